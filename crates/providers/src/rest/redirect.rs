//! Where a service sends a request instead.

use bytes::Bytes;
use http::{Request, Response, StatusCode, Uri, header};
use reqwest::Url;

/// The place that an answer sends a request to, if it is one of the same host, port and scheme, and if the request means the same
/// there: what changes something is sent on only by answers that keep its method and its body.
pub(super) fn target(request: &Request<Bytes>, response: &Response<Bytes>) -> Option<Uri> {
    let keeps_meaning = match response.status() {
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => request.method().is_safe(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        _ => false,
    };
    if !keeps_meaning {
        return None;
    }
    let here = Url::parse(&request.uri().to_string()).ok()?;
    let place = response.headers().get(header::LOCATION)?.to_str().ok()?;
    let there = here.join(place).ok()?;
    let is_clean = there.username().is_empty() && there.password().is_none();
    let is_same = here.origin() == there.origin() && is_clean && here != there;
    is_same.then(|| there.as_str().parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Request, Response, target};

    /// Where a request to `http://host/a` is sent by an answer.
    fn sent(method: &str, status: u16, location: &str) -> Option<String> {
        let request = Request::builder().method(method).uri("http://host/a?b=c");
        let response = Response::builder().status(status).header("location", location);
        let body = Bytes::new;
        let next = target(&request.body(body()).unwrap(), &response.body(body()).unwrap());
        next.map(|next| next.to_string())
    }

    #[test]
    fn a_request_is_sent_on_within_the_same_host() {
        let there = Some("http://host/a/".to_owned());
        for status in [301, 302, 307, 308] {
            assert_eq!(sent("GET", status, "/a/"), there, "{status}");
            assert_eq!(sent("GET", status, "http://host:80/a/"), there, "{status}");
        }
        assert_eq!(sent("GET", 301, "a/?b=c"), Some("http://host/a/?b=c".to_owned()));
    }

    #[test]
    fn what_changes_something_is_sent_on_only_as_it_is() {
        for method in ["POST", "DELETE"] {
            assert_eq!(sent(method, 301, "/a/"), None, "{method}");
            assert_eq!(sent(method, 302, "/a/"), None, "{method}");
            assert_eq!(sent(method, 308, "/a/"), Some("http://host/a/".to_owned()), "{method}");
        }
    }

    #[test]
    fn nothing_is_sent_elsewhere_or_in_circles() {
        for elsewhere in [
            "http://other/a",
            "https://host/a",
            "http://host:8080/a",
            "//other/a",
            "http://host.other/a",
            "http://user@host/a/",
            "ftp://host/a",
            "http://host/a?b=c",
            "",
        ] {
            assert_eq!(sent("GET", 301, elsewhere), None, "{elsewhere}");
        }
        assert_eq!(sent("GET", 200, "/a/"), None);
        assert_eq!(sent("GET", 303, "/a/"), None);
    }
}
