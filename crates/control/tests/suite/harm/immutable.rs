//! The API server itself refuses to change what an order says is to be done.

use bytes::Bytes;
use http::{Request, header::CONTENT_TYPE};
use http_body_util::{BodyExt as _, Full};
use plimsoll_control::fault::Faults;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::stage::{Stage, TWO_GROUPS, text};

const PATH: &str = "/apis/plimsoll.dev/v1alpha1/nodeorders";

/// Sends a merge patch for an order as `kubectl patch` does, and returns the code and the body of the answer.
async fn patch(stage: &Stage, order: &str, change: &Value) -> (u16, Value) {
    let request = Request::patch(format!("{PATH}/{order}"))
        .header(CONTENT_TYPE, "application/merge-patch+json")
        .body(Full::new(Bytes::from(change.to_string())))
        .unwrap();
    let answer = stage.gate.clone().oneshot(request).await.unwrap();
    let code = answer.status().as_u16();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&body).unwrap())
}

#[tokio::test(start_paused = true)]
async fn the_spec_of_an_order_cannot_be_changed() {
    let mut stage = Stage::with(TWO_GROUPS).await;
    stage.pass(3).await;
    stage.cloud.set_stock("cheap".into(), Some(0)).unwrap();
    stage.deploy("web", 1, "3");
    stage.until("a scale-up is written", |stage| !stage.orders().is_empty()).await;
    stage.kill().await;
    let orders = stage.list("nodeorders.plimsoll.dev");
    let order = orders.first().unwrap();
    let name = text(order, "/metadata/name");
    for change in [
        json!({ "count": 6 }),
        json!({ "group": "dear" }),
        json!({ "action": "Retire" }),
        json!({ "node": "victim" }),
        json!({ "instance": "simulated://cheap/victim" }),
        json!({ "why": null }),
    ] {
        let (code, answer) = patch(&stage, &name, &json!({ "spec": change })).await;
        assert_eq!(code, 422, "{change}: {answer}");
        let message = text(&answer, "/message");
        assert!(message.contains("spec of an order cannot be changed"), "{change}: {message}");
    }
    // What does not change the spec is allowed: a person may label an order.
    let label =
        json!({ "metadata": { "labels": { "seen": "yes" } }, "spec": { "group": "cheap" } });
    assert_eq!(patch(&stage, &name, &label).await.0, 200);
    let found = stage.list("nodeorders.plimsoll.dev");
    let found = found.iter().find(|found| text(found, "/metadata/name") == name).unwrap();
    assert_eq!(found["spec"], order["spec"]);
    // The loop goes on from an order that was labelled.
    stage.start(Faults::default());
    stage.until("the pod runs", |stage| stage.running("web") == 1).await;
}
