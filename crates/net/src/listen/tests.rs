use std::{convert::Infallible, fs, net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use jiff::Timestamp;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};
use tower::service_fn;

use super::{Limits, Peer, serve, serve_within};
use crate::{
    Shutdown,
    pki::{Authority, Identity},
    tls::{Clients, ServerTls, client_config},
};

/// Answers with the name on the client's certificate.
async fn whoami(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let peer = request.extensions().get::<Peer>().cloned().unwrap();
    let name = peer.certificate.map_or_else(
        || "nobody".to_owned(),
        |subject| format!("{} of {}", subject.name, subject.organizations.join("+")),
    );
    Ok(Response::new(Full::from(name)))
}

async fn start(tls: Option<ServerTls>, shutdown: &Shutdown) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = shutdown.clone();
    let server = tokio::spawn(async move {
        serve(listener, tls, service_fn(whoami), &shutdown, Duration::from_secs(5)).await;
    });
    (address, server)
}

async fn get(
    address: SocketAddr,
    authority: &Authority,
    as_: Option<&Identity>,
) -> Result<String, String> {
    let config = client_config(authority.certificate(), as_).unwrap();
    let client = reqwest::Client::builder().tls_backend_preconfigured(config).build().unwrap();
    let reply = client.get(format!("https://localhost:{}/", address.port())).send().await;
    reply.map_err(|error| format!("{error:?}"))?.text().await.map_err(|error| error.to_string())
}

fn authority() -> Authority {
    Authority::new("test", Timestamp::from_second(1_800_000_000).unwrap()).unwrap()
}

#[tokio::test]
async fn a_client_is_known_by_its_certificate() {
    let authority = Authority::new("test", now()).unwrap();
    let server = authority.server(&["localhost", "127.0.0.1"]).unwrap();
    let tls = ServerTls::from_pem(&server, Clients::Known(authority.certificate())).unwrap();
    let shutdown = Shutdown::new();
    let (address, _) = start(Some(tls), &shutdown).await;
    let admin = authority.client("admin", Some("system:masters")).unwrap();

    let named = get(address, &authority, Some(&admin)).await;
    assert_eq!(named.as_deref(), Ok("admin of system:masters"));
    assert_eq!(get(address, &authority, None).await.as_deref(), Ok("nobody"));
}

#[tokio::test]
async fn strangers_are_kept_out() {
    let authority = Authority::new("test", now()).unwrap();
    let server = authority.server(&["localhost"]).unwrap();
    let tls = ServerTls::from_pem(&server, Clients::Required(authority.certificate())).unwrap();
    let shutdown = Shutdown::new();
    let (address, _) = start(Some(tls), &shutdown).await;
    let stranger = Authority::new("other", now()).unwrap().client("admin", None).unwrap();

    assert!(get(address, &authority, None).await.is_err());
    assert!(get(address, &authority, Some(&stranger)).await.is_err());
}

#[tokio::test]
async fn renewed_certificates_are_taken_and_broken_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    let write = |identity: &Identity| {
        fs::write(&certificate, &identity.certificate).unwrap();
        fs::write(&key, identity.key_pem()).unwrap();
    };
    let (before, after) =
        (Authority::new("before", now()).unwrap(), Authority::new("after", now()).unwrap());
    write(&before.server(&["localhost"]).unwrap());
    let tls = ServerTls::from_files(&certificate, &key, None).unwrap();
    let shutdown = Shutdown::new();
    let (address, _) = start(Some(tls.clone()), &shutdown).await;
    assert!(get(address, &before, None).await.is_ok());
    assert!(!tls.reload().unwrap());

    fs::write(&key, "nonsense").unwrap();
    assert!(tls.reload().is_err());
    assert!(get(address, &before, None).await.is_ok());

    write(&after.server(&["localhost"]).unwrap());
    assert!(tls.reload().unwrap());
    assert!(get(address, &after, None).await.is_ok());
    assert!(get(address, &before, None).await.is_err());
}

#[tokio::test]
async fn open_requests_end_well_and_nonsense_ends_alone() {
    let (begun, go_on, shutdown) =
        (Arc::new(Notify::new()), Arc::new(Notify::new()), Shutdown::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = {
        let (begun, go_on, shutdown) = (begun.clone(), go_on.clone(), shutdown.clone());
        let service = service_fn(move |request| {
            let (begun, go_on) = (begun.clone(), go_on.clone());
            async move {
                begun.notify_one();
                go_on.notified().await;
                whoami(request).await
            }
        });
        tokio::spawn(async move {
            serve(listener, None, service, &shutdown, Duration::from_mins(1)).await;
        })
    };
    let mut nonsense = TcpStream::connect(address).await.unwrap();
    nonsense.write_all(b"\x00\xffnonsense\r\n\r\n").await.unwrap();

    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    begun.notified().await;
    shutdown.trigger();
    go_on.notify_one();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("nobody"), "{answer}");
    server.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[test]
fn what_is_wrong_with_a_certificate_is_said_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.pem");
    let error = ServerTls::from_files(&missing, &missing, None).unwrap_err().to_string();
    assert!(error.starts_with("cannot read ") && error.contains("missing.pem: "), "{error}");

    let empty = folder.path().join("empty.pem");
    fs::write(&empty, "").unwrap();
    let error = ServerTls::from_files(&empty, &empty, None).unwrap_err().to_string();
    assert!(error.ends_with("has no usable certificate: no CERTIFICATE section found"), "{error}");
    assert!(!format!("{:?}", authority().client("a", None).unwrap()).contains("PRIVATE"));
}

fn now() -> Timestamp {
    crate::Clock::system().now()
}

/// What happens to requests that wait.
#[derive(Clone, Default)]
struct Waiting {
    begun: Arc<Notify>,
    go_on: Arc<Notify>,
}

/// A port within limits. Requests for `/wait` wait.
async fn limited(limits: Limits, waiting: Waiting) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let service = service_fn(move |request: Request<Incoming>| {
            let waiting = waiting.clone();
            async move {
                if request.uri().path() == "/wait" {
                    waiting.begun.notify_one();
                    waiting.go_on.notified().await;
                }
                whoami(request).await
            }
        });
        serve_within(listener, limits, service, &Shutdown::new(), Duration::ZERO).await;
    });
    address
}

async fn ask(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn idle_connections_keep_nobody_out() {
    let limits = Limits { connections: 4, ..Limits::default() };
    let address = limited(limits, Waiting::default()).await;
    let mut idle = Vec::new();
    for _ in 0..20 {
        idle.push(TcpStream::connect(address).await.unwrap());
    }
    for _ in 0..10 {
        assert!(ask(address, "/").await.starts_with("HTTP/1.1 200"));
    }
    // The first of them had to make way.
    let first = idle.first_mut().unwrap();
    assert_eq!(first.read(&mut [0]).await.unwrap_or_default(), 0);
}

#[tokio::test]
async fn a_request_under_way_is_not_ended_for_another() {
    let waiting = Waiting::default();
    let limits = Limits { connections: 1, ..Limits::default() };
    let address = limited(limits, waiting.clone()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /wait HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    waiting.begun.notified().await;
    assert_eq!(ask(address, "/").await, "", "there is no place for another");
    waiting.go_on.notify_one();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("nobody"), "{answer}");
    assert!(ask(address, "/").await.ends_with("nobody"), "now there is");
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let address = limited(Limits::default(), Waiting::default()).await;
    let long = "a".repeat(60_000);
    assert!(ask(address, &format!("/explain?pod={long}")).await.starts_with("HTTP/1.1 431"));
    assert!(ask(address, &format!("/?{}", "a".repeat(8000))).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test(start_paused = true)]
async fn who_says_nothing_or_never_ends_is_not_waited_for() {
    let address = limited(Limits::default(), Waiting::default()).await;
    let begun = tokio::time::Instant::now();
    for sent in ["", "G", "GET / HTTP/1.1\r\nhost: x\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // Nobody else sends anything, so this ends only because the server closes the connection.
        let _ = stream.read_to_end(&mut answer).await;
        assert!(!String::from_utf8_lossy(&answer).contains("nobody"), "{sent:?}");
    }
    let waited = begun.elapsed();
    assert!(waited <= 5 * Limits::default().patience, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_second_request_that_never_ends_is_not_waited_for() {
    let address = limited(Limits::default(), Waiting::default()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\nGET /").await.unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert!(String::from_utf8_lossy(&answer).contains("nobody"));
}
