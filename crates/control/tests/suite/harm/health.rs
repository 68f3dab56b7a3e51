//! What `/health-check` answers when nothing can be done, and when what is seen is contradictory.

use plimsoll_control::settings::Mode;

use crate::{
    running::Running,
    stage::{Stage, TWO_GROUPS},
};

const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";
const ORDERS: &str = "nodeorders.plimsoll.dev";

/// Lets the API server say from here on that we may not install definitions.
fn forbid_definitions(stage: &Stage) {
    stage.gate.reword("\"allowed\":true", "\"allowed\":false");
}

fn allow_definitions(stage: &Stage) {
    stage.gate.reword("", "");
}

/// Lets time pass until `/health-check` is answered with this code, for half an hour at most, and returns the text of the answer.
async fn until_health(stage: &Stage, running: &Running, wanted: u16) -> String {
    for _ in 0..1800 {
        let (code, text) = running.get("/health-check").await;
        if code == wanted {
            return text;
        }
        stage.pass(1).await;
    }
    panic!("{:?} is still the answer", running.get("/health-check").await);
}

#[tokio::test(start_paused = true)]
async fn health_fails_while_orders_cannot_be_written_for_want_of_their_definition() {
    let stage = Stage::set(TWO_GROUPS).await;
    let running = Running::start(&stage, "one", Mode::Act);
    stage.pass(15).await;
    assert_eq!(until_health(&stage, &running, 200).await, "OK");
    forbid_definitions(&stage);
    stage.ground.delete(DEFINITIONS, "", ORDERS);
    stage.deploy("web", 3, "1");
    let told = until_health(&stage, &running, 500).await;
    assert!(told.contains("install deploy/crds/nodeorders.yaml"), "{told}");
    stage.pass(600).await;
    assert_eq!((stage.machines(), running.get("/health-check").await.0), (0, 500));
    // Once it may be installed everything goes on, without a restart.
    allow_definitions(&stage);
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    assert_eq!(until_health(&stage, &running, 200).await, "OK");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn health_fails_as_well_where_only_a_removal_needs_the_definition() {
    let stage = Stage::set(TWO_GROUPS).await;
    let running = Running::start(&stage, "one", Mode::Act);
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(300).await;
    forbid_definitions(&stage);
    stage.ground.delete(DEFINITIONS, "", ORDERS);
    stage.scale("web", 0);
    let told = until_health(&stage, &running, 500).await;
    assert!(told.contains("install deploy/crds/nodeorders.yaml"), "{told}");
    stage.pass(600).await;
    assert_eq!(stage.machines(), 1, "what cannot be written down is not done");
    allow_definitions(&stage);
    stage.until("the node is gone", |stage| stage.node_names().is_empty()).await;
    assert_eq!(until_health(&stage, &running, 200).await, "OK");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn health_says_that_most_machines_have_no_node_and_does_not_fail() {
    let stage = Stage::set(TWO_GROUPS).await;
    let running = Running::start(&stage, "one", Mode::Act);
    stage.deploy("web", 3, "3");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    // Pods would be served by new machines, which have nodes.
    stage.scale("web", 0);
    stage.until("no pod is left", |stage| stage.list("pods").is_empty()).await;
    for node in stage.node_names() {
        stage.ground.kubelets().vanish(&node);
        stage.ground.delete("nodes", "", &node);
    }
    stage.pass(3600).await;
    for path in ["/health-check", "/ready"] {
        let (code, told) = running.get(path).await;
        // A restart would not help, so no probe fails.
        assert_eq!(code, 200, "{told}");
        assert!(
            told.starts_with("OK\nwarning: 3 of 3 machines have had no node since "),
            "{path}: {told}"
        );
    }
    let warnings = running.json("/status").await["warnings"].to_string();
    assert!(warnings.contains("3 of 3 machines have had no node"), "{warnings}");
    assert_eq!(stage.machines(), 3);
    running.stop().await;
}
