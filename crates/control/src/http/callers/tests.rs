//! Callers near and far, with and without tokens. The API server knows the tokens of Ada, who may get `/status`, and of Bob, who may not.

use std::net::SocketAddr;

use axum::{Json, Router, body::Body, middleware::from_fn_with_state, routing};
use http_body_util::BodyExt as _;
use plimsoll_cluster::connect;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::*;

/// The machine itself.
const HERE: &str = "127.0.0.1:40000";
/// Another machine.
const THERE: &str = "10.0.0.7:40000";

async fn whose(Json(mut review): Json<Value>) -> Json<Value> {
    let name = review["spec"]["token"].as_str().unwrap().to_owned();
    let is_known = ["ada", "bob"].contains(&name.as_str());
    review["status"] = json!({ "authenticated": is_known, "user": { "username": name } });
    Json(review)
}

async fn may(Json(mut review): Json<Value>) -> Json<Value> {
    let is_allowed = review["spec"]["user"] == "ada"
        && review["spec"]["nonResourceAttributes"] == json!({ "path": "/status", "verb": "get" });
    review["status"] = json!({ "allowed": is_allowed });
    Json(review)
}

fn authorised() -> Callers {
    let server = Router::new()
        .route("/apis/authentication.k8s.io/v1/tokenreviews", routing::post(whose))
        .route("/apis/authorization.k8s.io/v1/subjectaccessreviews", routing::post(may));
    let server = server.map_request(|request: http::Request<_>| request.map(Body::new));
    Callers::Authorised(Access::new(connect::over(server)))
}

async fn ask(callers: &Callers, peer: Option<&str>, header: Option<&str>) -> (u16, Value) {
    let router = Router::new()
        .route("/status", routing::get(|| async { "{}" }))
        .route("/snapshotz", routing::get(|| async { "{}" }))
        .route_layer(from_fn_with_state(callers.clone(), admit));
    let mut request = Request::builder().uri("/status");
    if let Some(peer) = peer {
        let address: SocketAddr = peer.parse().unwrap();
        request = request.extension(Peer { address, certificate: None });
    }
    if let Some(header) = header {
        request = request.header("authorization", header);
    }
    let response = router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let code = response.status();
    let challenge = response.headers().contains_key("www-authenticate");
    assert_eq!(challenge, code == StatusCode::UNAUTHORIZED);
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (code.as_u16(), serde_json::from_slice(&body).unwrap())
}

#[tokio::test(start_paused = true)]
async fn the_machine_itself_is_answered() {
    let callers = authorised();
    for peer in [HERE, "127.8.8.8:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        assert_eq!(ask(&callers, Some(peer), None).await.0, 200, "{peer}");
    }
}

#[tokio::test(start_paused = true)]
async fn other_machines_need_a_token() {
    let callers = authorised();
    for peer in [Some(THERE), Some("[::ffff:10.0.0.7]:1"), Some("[fe80::1]:1"), None] {
        let (code, body) = ask(&callers, peer, None).await;
        assert_eq!(code, 401, "{peer:?}");
        assert_eq!(body["error"], "/status needs a bearer token from other machines");
        assert!(body["help"].as_str().unwrap().contains("port-forward"), "{body}");
    }
    for header in ["Bearer", "Bearer ", "Basic YWRhOmFkYQ==", "ada"] {
        assert_eq!(ask(&callers, Some(THERE), Some(header)).await.0, 401, "{header}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_counts_for_what_its_owner_may() {
    let callers = authorised();
    assert_eq!(ask(&callers, Some(THERE), Some("Bearer ada")).await.0, 200);
    assert_eq!(ask(&callers, Some(THERE), Some("bearer ada")).await.0, 200);
    let (code, body) = ask(&callers, Some(THERE), Some("Bearer bob")).await;
    assert_eq!((code, &body["error"]), (403, &json!("user bob may not get the path /status")));
    assert!(body["help"].as_str().unwrap().contains("plimsoll-debug-viewer"), "{body}");
    let (code, body) = ask(&callers, Some(THERE), Some("Bearer eve")).await;
    assert_eq!(code, 401);
    assert_eq!(body["error"], "the API server does not accept this bearer token");
}

#[tokio::test(start_paused = true)]
async fn an_api_server_that_does_not_answer_authorises_nobody() {
    let server = Router::new();
    let server = server.map_request(|request: http::Request<_>| request.map(Body::new));
    let callers = Callers::Authorised(Access::new(connect::over(server)));
    let (code, body) = ask(&callers, Some(THERE), Some("Bearer ada")).await;
    assert_eq!(code, 503, "{body}");
    assert_eq!(ask(&callers, Some(HERE), None).await.0, 200);
}

#[tokio::test(start_paused = true)]
async fn who_wants_it_open_gets_it_open() {
    assert_eq!(ask(&Callers::Everybody, Some(THERE), None).await.0, 200);
    assert_eq!(ask(&Callers::Everybody, None, None).await.0, 200);
}
