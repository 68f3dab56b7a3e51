//! New nodes join before their network is there: they are closed until its agent is Ready.

use serde_json::{Value, json};

use super::{Stage, group};
use crate::stage::text;

/// The agent of the network: it runs on every node, closed or not, and is ready a minute after it came.
fn deploy_agent(stage: &Stage) {
    let labels = json!({ "app": "flannel" });
    let annotations = json!({ "plimsoll.dev/pull-time": "1m" });
    let spec = json!({
        "tolerations": [{ "operator": "Exists" }],
        "containers": [{ "name": "main", "image": "flannel" }],
    });
    let metadata = json!({ "labels": labels, "annotations": annotations });
    let template = json!({ "metadata": metadata, "spec": spec });
    let object = json!({
        "metadata": { "name": "kube-flannel" },
        "spec": { "selector": { "matchLabels": labels }, "template": template },
    });
    stage.ground.create("daemonsets.apps", "kube-system", object);
}

/// What is noted on the group's only node, and whether it is closed.
fn held(stage: &Stage) -> Option<(String, bool)> {
    let nodes = stage.ground.list("nodes");
    let of_group = |node: &&Value| {
        text(node, "/metadata/labels/stackpoint.io~1node_group") == group().as_str()
    };
    let node = nodes.iter().find(of_group)?;
    let closed = node.pointer("/spec/unschedulable").and_then(Value::as_bool);
    let note = text(node, "/metadata/annotations/plimsoll.dev~1held-back");
    Some((note, closed.unwrap_or_default()))
}

#[tokio::test(start_paused = true)]
async fn a_new_node_is_closed_until_the_agent_that_the_user_names_is_ready() {
    let stage = Stage::with("network-agent: kube-system/kube-flannel\n").await;
    deploy_agent(&stage);
    closed_until_the_agent_is_ready(&stage).await;
}

#[tokio::test(start_paused = true)]
async fn the_agent_of_the_network_is_known_by_its_name() {
    let stage = Stage::new().await;
    deploy_agent(&stage);
    closed_until_the_agent_is_ready(&stage).await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_would_not_run_on_the_node_is_not_waited_for() {
    let stage = Stage::new().await;
    deploy_agent(&stage);
    stage.ground.modify("daemonsets.apps", "kube-system", "kube-flannel", |set| {
        set["spec"]["template"]["spec"]["nodeSelector"] = json!({ "kubernetes.io/os": "windows" });
    });
    stage.emulator.set_bounds(group(), 1, 12);
    stage.deploy("web", 1);
    stage.until("the pod runs", |stage| stage.running("web") == 1).await;
}

async fn closed_until_the_agent_is_ready(stage: &Stage) {
    stage.emulator.set_bounds(group(), 1, 12);
    stage
        .until("the new node is closed", |stage| held(stage).is_some_and(|(_, closed)| closed))
        .await;
    stage.deploy("web", 1);
    stage.pass(30).await;
    assert_eq!(stage.running("web"), 0, "its network is not there");
    stage.until("it is opened", |stage| held(stage) == Some(("opened".to_owned(), false))).await;
    stage.until("the pod runs", |stage| stage.running("web") == 1).await;
    assert_eq!(stage.machines().len(), 1, "nothing was bought for a pod that will find room");
}
