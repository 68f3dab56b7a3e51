use http::{HeaderMap, HeaderValue, header::ACCEPT};

use super::{Accepted, Encoding, Offer, Shape, check_known};

fn headers(accept: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))])
}

fn shape(accept: &'static str, offer: Offer) -> Result<Shape, String> {
    Accepted::negotiate(&headers(accept), offer)
        .map(|found| found.shape)
        .map_err(|error| error.message)
}

#[test]
fn the_first_alternative_that_can_be_served_wins() {
    let kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,\
                   application/json";
    assert_eq!(shape(kubectl, Offer::Objects), Ok(Shape::Table));
    assert_eq!(shape(kubectl, Offer::Plain), Ok(Shape::Object));
    assert_eq!(
        shape("application/json;as=Table;v=v9;g=meta.k8s.io, application/json", Offer::Objects),
        Ok(Shape::Object)
    );
    assert_eq!(
        shape("application/vnd.kubernetes.protobuf,application/json", Offer::Objects),
        Ok(Shape::Object)
    );
    assert_eq!(
        shape(
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
            Offer::Discovery
        ),
        Ok(Shape::Discovery)
    );
    assert_eq!(shape("", Offer::Objects), Ok(Shape::Object));
}

#[test]
fn quality_goes_before_order() {
    let accepted = Accepted::negotiate(
        &headers("application/yaml;q=0.1, application/json;q=0.5"),
        Offer::Objects,
    );
    assert_eq!(accepted.map(|accepted| accepted.encoding), Ok(Encoding::Json));
}

#[test]
fn what_cannot_be_served_is_refused() {
    assert_eq!(
        shape("application/json;as=Table;v=v9;g=meta.k8s.io", Offer::Objects),
        Err("only the following media types are accepted: application/json, application/yaml, \
             application/vnd.kubernetes.protobuf"
            .to_owned())
    );
    assert_eq!(
        shape("application/vnd.kubernetes.protobuf", Offer::Objects),
        Err("this server does not write protobuf - accept application/json as well".to_owned())
    );
    assert!(shape("application/yaml", Offer::Stream).is_err());
    assert!(check_known(&headers("application/*")).is_err());
    assert!(check_known(&headers("text/html, */*")).is_ok());
}
