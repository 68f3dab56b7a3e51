//! Objects that Kubernetes accepted and this version cannot read.

use serde_json::{Value, json};

use crate::{
    slicer,
    stage::{Stage, TWO_GROUPS, of},
};

/// Three pods on the only node, for a while.
async fn three_pods() -> (Stage, String) {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(300).await;
    let node = stage.node_names().remove(0);
    (stage, node)
}

/// More than fits into 64 bits.
fn with_too_much_memory(node: &mut Value) {
    for part in ["capacity", "allocatable"] {
        node["status"][part]["memory"] = json!("1e30");
    }
}

/// Something happens to an object, so that it is told again.
fn touch(object: &mut Value) {
    let touched = object["metadata"]["labels"]["touched"].as_str().unwrap_or_default();
    object["metadata"]["labels"]["touched"] = json!(format!("{touched}x"));
}

#[tokio::test(start_paused = true)]
async fn a_ready_node_whose_memory_cannot_be_read_keeps_its_machine() {
    let (stage, node) = three_pods().await;
    stage.modify_status("nodes", &node, with_too_much_memory);
    stage.pass(3600).await;
    assert_eq!((stage.machines(), stage.running("web"), stage.bought()), (1, 3, of("cheap", 1)));
    assert_eq!(stage.nodes(), [node]);
}

#[tokio::test(start_paused = true)]
async fn a_ready_node_of_slicer_whose_memory_cannot_be_read_keeps_its_machine() {
    let stage = slicer::stage::Stage::new().await;
    stage.deploy("web", 3);
    stage.until("three pods run", |stage| stage.running() == 3).await;
    // Older than max-node-provision-time: as one that never registered it would be deleted at once.
    stage.pass(1200).await;
    let names = || -> Vec<_> {
        stage.host.machines().into_iter().map(|machine| machine.hostname).collect()
    };
    let (nodes, machines) = (stage.nodes(), names());
    assert_eq!((nodes.len(), machines.len()), (1, 1));
    stage.ground.modify_status("nodes", "", &nodes[0], with_too_much_memory);
    stage.pass(3600).await;
    assert_eq!(names(), machines);
    assert_eq!((stage.nodes(), stage.running()), (nodes, 3));
}

#[tokio::test(start_paused = true)]
async fn a_node_with_a_taint_from_the_future_is_not_touched_until_it_can_be_read() {
    let (stage, node) = three_pods().await;
    stage.gate.reword("PreferNoSchedule", "PreferNoScheduleToday");
    stage.modify("nodes", &node, |node| {
        let taint = json!({ "key": "example.com/mood", "effect": "PreferNoSchedule" });
        node["spec"]["taints"] = json!([taint]);
    });
    stage.until("it is told", |stage| !stage.last_pass().seen.unreadable.is_empty()).await;
    stage.pass(600).await;
    assert_eq!((stage.machines(), stage.running("web"), stage.bought()), (1, 3, of("cheap", 1)));
    stage.scale("web", 0);
    stage.pass(3600).await;
    assert_eq!((stage.machines(), stage.nodes()), (1, vec![node.clone()]), "nobody can judge it");
    stage.gate.reword("", "");
    stage.modify("nodes", &node, touch);
    stage.until("the machine is deleted", |stage| stage.machines() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_cannot_be_read_keeps_its_node() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy_as("web", 1, "1", |template| {
        template["spec"]["topologySpreadConstraints"] = json!([{
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": { "matchLabels": { "app": "web" } },
        }]);
    });
    stage.until("the pod runs", |stage| stage.running("web") == 1).await;
    stage.gate.reword("ScheduleAnyway", "ScheduleByMood");
    let pod = stage.list("pods").remove(0)["metadata"]["name"].as_str().unwrap().to_owned();
    stage.modify("pods", &pod, touch);
    stage.until("it is told", |stage| !stage.last_pass().seen.unreadable.is_empty()).await;
    stage.pass(3600).await;
    assert_eq!((stage.machines(), stage.running("web"), stage.is_all_open()), (1, 1, true));
    assert_eq!(stage.bought(), of("cheap", 1));
    // When the pod is gone nobody needs the node.
    stage.scale("web", 0);
    stage.until("the machine is deleted", |stage| stage.machines() == 0).await;
}
