use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use axum::{
    Router,
    body::Body,
    http::{HeaderMap, StatusCode, Uri},
    response::IntoResponse,
    routing::{any, get},
};
use bytes::Bytes;
use http::{Request, Response};
use plimsoll_provider::{Class, Error};
use secrecy::SecretString;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, UnixListener},
};

use super::{Ask, Endpoint, Exchange, Local, Patience, Rest, Trust, UNREACHABLE, class_of};

/// A service that answers everything with this.
#[derive(Debug)]
struct Always(u16, &'static str);

#[async_trait]
impl Exchange for Always {
    async fn exchange(&self, _: Request<Bytes>) -> Result<Response<Bytes>, String> {
        let mut response = Response::new(Bytes::from_static(self.1.as_bytes()));
        *response.status_mut() = StatusCode::from_u16(self.0).unwrap();
        response.headers_mut().insert("retry-after", "7".parse().unwrap());
        Ok(response)
    }
}

fn somewhere() -> Endpoint {
    Endpoint::parse("http://slicer.example:8080").unwrap()
}

async fn asked(status: u16, body: &'static str) -> Result<Vec<u32>, Error> {
    let rest = Rest::new(Arc::new(Always(status, body)), somewhere(), "test")
        .with_token(SecretString::from("tok-en"));
    rest.send(Ask::get(["a", "b c"])).await?.json()
}

#[tokio::test]
async fn only_an_answer_is_an_answer() {
    assert_eq!(asked(200, "[1, 2]").await.unwrap(), [1, 2]);
    let cases = [
        (200, "[1, 2", Class::Retry),
        (200, "", Class::Retry),
        (200, "[1, 2] and more", Class::Bug),
        (200, "[1, -2]", Class::Bug),
        (200, "null", Class::Bug),
        (200, "{}", Class::Bug),
        (204, "", Class::Retry),
        (302, "[1]", Class::Bug),
        (500, "[1]", Class::Retry),
    ];
    for (status, body, class) in cases {
        assert_eq!(asked(status, body).await.unwrap_err().class(), class, "{status} {body:?}");
    }
}

#[tokio::test]
async fn a_failure_says_who_was_asked_what_and_why_it_was_refused() {
    let told = async |status, body| asked(status, body).await.unwrap_err().to_string();
    let begin = "http://slicer.example:8080: GET /a/b c: ";
    assert_eq!(told(500, r#"{"error": "no\n\troom"}"#).await, format!("{begin}500: no room"));
    assert_eq!(told(404, "gone").await, format!("{begin}404: gone"));
    assert_eq!(told(503, "{}").await, format!("{begin}503 Service Unavailable"));
    assert_eq!(
        told(401, r#"{"error": "tok-en is unknown"}"#).await,
        format!("{begin}401: (hidden) is unknown")
    );
    let long = told(500, Box::leak("long ".repeat(1000).into_boxed_str())).await;
    assert!(long.len() < 400, "{long}");
    let error = asked(429, "").await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
}

#[test]
fn every_status_has_a_class() {
    let classes = [200, 301, 400, 401, 402, 403, 404, 408, 409, 410, 422, 429, 500, 501, 503]
        .map(|status| class_of(StatusCode::from_u16(status).unwrap()).name());
    assert_eq!(
        classes.join(" "),
        "Bug Bug Invalid Auth Quota Auth NotFound Retry Invalid NotFound Invalid Retry Retry Unsupported Retry"
    );
}

#[test]
fn addresses() {
    let shown = |text| Endpoint::parse(text).map(|endpoint| endpoint.to_string());
    assert_eq!(shown("http://10.0.0.1:8080/").unwrap(), "http://10.0.0.1:8080");
    assert_eq!(shown("https://host/slicer").unwrap(), "https://host/slicer");
    assert_eq!(shown("unix:///run/s").unwrap(), "/run/s");
    assert_eq!(shown("./s.sock").unwrap(), "./s.sock");
    assert_eq!(shown("s.sock").unwrap(), "s.sock");
    for wrong in
        ["", "host:8080", "ftp://host", "http://", "http://u:p@host", "http://host?a=b", "unix://"]
    {
        assert!(shown(wrong).is_err(), "{wrong}");
    }
}

/// Tells what it was sent.
fn mirror() -> Router {
    let tell = |uri: Uri, headers: HeaderMap| async move {
        let token = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        axum::response::Response::new(Body::from(
            serde_json::to_vec(&(uri.path_and_query().unwrap().as_str(), token)).unwrap(),
        ))
    };
    Router::new().fallback(any(tell))
}

#[tokio::test]
async fn names_stay_inside_their_part_of_the_path() {
    let rest = Rest::new(Arc::new(Local::new(mirror())), somewhere(), "test");
    let ask = Ask::get(["hostgroup", "a/b?c#d e%2Fé", "nodes"]).with_query("tag", "a=b&c");
    let told: (String, Option<String>) = rest.send(ask).await.unwrap().json().unwrap();
    assert_eq!(told.0, "/hostgroup/a%2Fb%3Fc%23d%20e%252F%C3%A9/nodes?tag=a%3Db%26c");
    assert_eq!(told.1, None);
    for dots in ["..", ".", ""] {
        assert_eq!(rest.send(Ask::get(["a", dots])).await.unwrap_err().class(), Class::Bug);
    }
}

#[tokio::test]
async fn sockets_of_the_network_and_of_this_machine() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let http = format!("http://{}/under", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, mirror()).await });
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("api.sock");
    let listener = UnixListener::bind(&path).unwrap();
    tokio::spawn(async move { axum::serve(listener, mirror()).await });
    for (address, expected) in [(http.as_str(), "/under/nodes"), (path.to_str().unwrap(), "/nodes")]
    {
        let endpoint = Endpoint::parse(address).unwrap();
        let rest = Rest::connect(endpoint, &Trust::System, Patience::default(), "test").unwrap();
        let rest = rest.with_token(SecretString::from("tok-en"));
        let reply = rest.send(Ask::get(["nodes"])).await.unwrap();
        let told: (String, Option<String>) = reply.json().unwrap();
        assert_eq!(told, (expected.to_owned(), Some("Bearer tok-en".to_owned())));
        assert!(!format!("{rest:?}").contains("tok-en"), "{rest:?}");
    }
}

#[tokio::test]
async fn a_body_that_ends_too_early_is_no_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 1024]).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n[1, 2]").await;
    });
    let endpoint = Endpoint::parse(&address).unwrap();
    let rest = Rest::connect(endpoint, &Trust::System, Patience::default(), "test").unwrap();
    let error = rest.send(Ask::get(["nodes"])).await.unwrap_err();
    assert_eq!(error.class(), Class::Retry, "{error}");
    // Nobody listens any more.
    let error = rest.send(Ask::get(["nodes"])).await.unwrap_err();
    assert_eq!(error.class(), Class::Retry, "{error}");
}

#[tokio::test]
async fn what_is_too_long_is_not_read_to_its_end() {
    let endless = || async {
        let chunk = Bytes::from(vec![b' '; 1 << 20]);
        let stream = futures::stream::repeat_with(move || Ok::<_, String>(chunk.clone()));
        Body::from_stream(stream).into_response()
    };
    let router = Router::new().route("/", get(endless)).route("/nodes", get(endless));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let endpoint = Endpoint::parse(&address).unwrap();
    let rest = Rest::connect(endpoint, &Trust::System, Patience::default(), "test").unwrap();
    let error = rest.send(Ask::get(["nodes"])).await.unwrap_err();
    assert!(error.to_string().contains("longer than"), "{error}");
}

#[test]
fn authorities_that_cannot_be_used_are_told() {
    let endpoint = Endpoint::parse("https://slicer.example").unwrap();
    let trust = Trust::Only("no certificate".to_owned());
    let problem = Rest::connect(endpoint, &trust, Patience::default(), "test").unwrap_err();
    assert!(problem.contains("no usable certificate"), "{problem}");
}

#[tokio::test]
async fn a_request_may_have_a_time_limit_of_its_own() {
    let slow = || async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        "[]"
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().route("/nodes", get(slow));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let endpoint = Endpoint::parse(&address).unwrap();
    let patience = Patience { request: Duration::from_millis(1), ..Patience::default() };
    let rest = Rest::connect(endpoint, &Trust::System, patience, "test").unwrap();
    let error = rest.send(Ask::get(["nodes"])).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Retry, UNREACHABLE), "{error}");
    let patient = Ask::get(["nodes"]).with_limit(Duration::from_mins(5));
    assert!(rest.send(patient).await.unwrap().status().is_success());
}
