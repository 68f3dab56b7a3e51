//! Nodes on their way out: what comes in between never costs a machine on which something runs, and nobody else's Node.

use plimsoll_control::fault::Faults;
use serde_json::{Value, json};

use crate::{
    gate::{NewWatches, State},
    stage::{Stage, TWO_GROUPS, text},
};

/// One node that nobody needs any more, at the moment at which it is tainted.
async fn a_tainted_node(stage: &Stage) -> String {
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(300).await;
    stage.scale("web", 0);
    stage.until("the node is tainted", |stage| !stage.is_all_open()).await;
    stage.node_names().remove(0)
}

/// A pod that tolerates everything, on this node at once: no scheduler is asked.
fn pod_on(node: &str, annotations: &Value) -> Value {
    json!({
        "metadata": { "name": "late", "labels": { "app": "late" }, "annotations": annotations },
        "spec": {
            "nodeName": node,
            "tolerations": [{ "operator": "Exists" }],
            "containers": [{ "name": "main", "image": "pause" }],
        },
    })
}

fn uid_of(stage: &Stage, node: &str) -> String {
    let nodes = stage.list("nodes");
    let found = nodes.iter().find(|one| text(one, "/metadata/name") == node);
    found.map(|node| text(node, "/metadata/uid")).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_lands_while_deletions_are_collected_keeps_the_machine() {
    let mut stage = Stage::set(TWO_GROUPS).await;
    stage.settings.retire.batch = jiff::SignedDuration::from_secs(12);
    stage.start(Faults::default());
    let node = a_tainted_node(&stage).await;
    // By then it is drained, and its deletion waits for others of its group.
    stage.pass(12).await;
    assert_eq!(stage.machines(), 1);
    let pinned = json!({ "cluster-autoscaler.kubernetes.io/safe-to-evict": "false" });
    stage.create("pods", pod_on(&node, &pinned));
    stage.pass(120).await;
    assert_eq!((stage.machines(), stage.running("late")), (1, 1), "{:?}", stage.orders());
    assert!(stage.is_all_open(), "{:?}", stage.nodes());
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_no_watch_shows_keeps_the_machine() {
    let stage = Stage::with(TWO_GROUPS).await;
    let node = a_tainted_node(&stage).await;
    // For less than the time after which what is known counts as stale.
    stage.gate.set(State::Frozen(NewWatches::AreMute));
    stage.create("pods", pod_on(&node, &json!({})));
    stage.pass(25).await;
    assert_eq!(stage.machines(), 1, "{:?}", stage.orders());
    stage.gate.set(State::Open);
    stage.pass(10).await;
    assert_eq!(stage.machines(), 1, "{:?}", stage.orders());
}

#[tokio::test(start_paused = true)]
async fn a_node_that_took_the_name_of_a_removed_one_is_not_deleted() {
    let stage = Stage::with(TWO_GROUPS).await;
    let node = a_tainted_node(&stage).await;
    let first = uid_of(&stage, &node);
    let is_deleting = |stage: &Stage| stage.orders().contains(&"Retire Deleting".to_owned());
    stage.until("its machine is being deleted", is_deleting).await;
    stage.pass(2).await;
    // The machine takes twenty seconds to go. Meanwhile another one registers under its name.
    stage.ground.kubelets().vanish(&node);
    stage.ground.delete("nodes", "", &node);
    let resources = json!({ "cpu": "2", "memory": "4Gi", "pods": "110" });
    stage.ground.kubelets().add(json!({
        "metadata": { "name": node },
        "spec": { "providerID": "elsewhere://1" },
        "status": { "capacity": resources, "allocatable": resources },
    }));
    stage.until("the machine is gone", |stage| stage.machines() == 0).await;
    stage.pass(300).await;
    assert_eq!(stage.node_names(), std::slice::from_ref(&node));
    assert_ne!(uid_of(&stage, &node), first);
    assert!(stage.is_all_open(), "{:?}", stage.nodes());
}
