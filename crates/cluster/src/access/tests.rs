//! Tokens, checked by an API server that knows one.

use std::sync::atomic::{AtomicU32, Ordering};

use http::{Request, Response};
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde_json::{Value, json};
use tower::service_fn;

use super::*;
use crate::connect;

/// An API server that knows the token `good` of a user who may get `/status`; and how many requests it has had.
fn server() -> (Access, Arc<AtomicU32>) {
    let requests = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&requests);
    let client = connect::over(service_fn(move |request: Request<Body>| {
        counted.fetch_add(1, Ordering::SeqCst);
        answer(request)
    }));
    (Access::new(client), requests)
}

async fn answer(request: Request<Body>) -> Result<Response<Body>, kube::Error> {
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await?.to_bytes();
    let mut review: Value = serde_json::from_slice(&body).unwrap();
    let status = if path.ends_with("/tokenreviews") {
        match review["spec"]["token"].as_str().unwrap() {
            "good" => json!({
                "authenticated": true,
                "user": { "username": "ada", "groups": ["viewers"], "extra": { "scope": ["all"] } },
            }),
            _ => json!({ "authenticated": false, "error": "unknown" }),
        }
    } else {
        let spec = &review["spec"];
        assert_eq!((&spec["user"], &spec["groups"]), (&json!("ada"), &json!(["viewers"])));
        assert_eq!(spec["extra"], json!({ "scope": ["all"] }));
        assert_eq!(spec["nonResourceAttributes"]["verb"], "get");
        json!({ "allowed": spec["nonResourceAttributes"]["path"] == "/status" })
    };
    review["status"] = status;
    Ok(Response::new(Body::from(review.to_string().into_bytes())))
}

#[tokio::test(start_paused = true)]
async fn only_a_known_user_with_the_right_is_allowed() {
    let (access, _) = server();
    assert_eq!(access.may_get("good", "/status").await.unwrap(), Verdict::Allowed);
    assert_eq!(
        access.may_get("good", "/snapshotz").await.unwrap(),
        Verdict::Forbidden { user: "ada".to_owned() }
    );
    assert_eq!(access.may_get("bad", "/status").await.unwrap(), Verdict::Unauthenticated);
    assert!(!format!("{access:?}").contains("good"), "tokens are never written anywhere");
}

#[tokio::test(start_paused = true)]
async fn answers_are_kept_for_a_short_time() {
    let (access, requests) = server();
    for _ in 0..100 {
        access.may_get("good", "/status").await.unwrap();
    }
    assert_eq!(requests.load(Ordering::SeqCst), 2, "one review of each kind");
    tokio::time::advance(KEPT_FOR).await;
    access.may_get("good", "/status").await.unwrap();
    assert_eq!(requests.load(Ordering::SeqCst), 4, "a token may have been revoked since");
}

#[tokio::test(start_paused = true)]
async fn strangers_do_not_use_up_what_may_be_asked_of_the_api_server() {
    let (access, requests) = server();
    access.may_get("good", "/status").await.unwrap();
    let mut busy = 0;
    for number in 0..1000 {
        match access.may_get(&format!("bad-{number}"), "/status").await {
            Ok(verdict) => assert_eq!(verdict, Verdict::Unauthenticated),
            Err(error) => {
                assert!(matches!(error, AccessError::Busy));
                busy += 1;
            }
        }
    }
    assert_eq!(busy, 1000 - (CHECKS - 1));
    assert!(requests.load(Ordering::SeqCst) <= 2 * CHECKS);
    assert_eq!(access.may_get("good", "/status").await.unwrap(), Verdict::Allowed, "still known");
    tokio::time::advance(WINDOW).await;
    assert_eq!(access.may_get("bad", "/status").await.unwrap(), Verdict::Unauthenticated);
    assert!(access.state().answers.len() <= MOST_KEPT);
}

#[tokio::test(start_paused = true)]
async fn without_the_right_to_ask_nobody_is_allowed() {
    let refuses = service_fn(|_: Request<Body>| async {
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403,
            "reason": "Forbidden", "message": "tokenreviews is forbidden",
        });
        let reply = Response::builder().status(403);
        let reply = reply.body(Body::from(status.to_string().into_bytes()));
        Ok::<_, kube::Error>(reply.unwrap())
    });
    let access = Access::new(connect::over(refuses));
    let error = access.may_get("good", "/status").await.unwrap_err().to_string();
    assert!(error.starts_with("cannot check the bearer token with a TokenReview: "), "{error}");
    assert!(!error.contains("good"), "{error}");
}
