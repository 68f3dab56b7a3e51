//! New nodes of groups that ask for it are closed until they are whole.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use plimsoll_control::{
    fault::Faults,
    settings::{HoldBack, Until, Which},
};
use plimsoll_model::Symbol;
use serde_json::json;

use crate::stage::{Stage, TWO_GROUPS, of, text};

/// One machine is always there.
const ONE: &str = "
name: simulated
groups:
- {id: cheap, min: 1, max: 5, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
";

/// A cluster with a new node that is closed.
async fn holding_until(until: Until) -> Stage {
    let mut stage = Stage::set(ONE).await;
    let rule = HoldBack { until, patience: SignedDuration::from_mins(10) };
    stage.settings.hold_back.groups.insert(Symbol::new("cheap"), Some(rule));
    stage.start(Faults::default());
    stage.until("a node is there", |stage| !stage.node_names().is_empty()).await;
    stage.pass(1).await;
    assert!(!stage.is_all_open(), "{:?}", stage.nodes());
    stage
}

/// A daemon that runs on every node, closed or not, and is ready once its image is there.
fn agent(stage: &Stage, pull_time: &str) {
    let labels = json!({ "app": "network" });
    let annotations = json!({ "plimsoll.dev/pull-time": pull_time });
    stage.create(
        "daemonsets.apps",
        json!({
            "metadata": { "name": "network" },
            "spec": {
                "selector": { "matchLabels": labels },
                "template": {
                    "metadata": { "labels": labels, "annotations": annotations },
                    "spec": {
                        "tolerations": [{ "operator": "Exists" }],
                        "containers": [{ "name": "main", "image": "agent" }],
                    },
                },
            },
        }),
    );
}

fn annotation(stage: &Stage) -> String {
    text(&stage.list("nodes")[0], "/metadata/annotations/plimsoll.dev~1held-back")
}

#[tokio::test(start_paused = true)]
async fn a_node_opens_when_a_condition_is_true() {
    let mut stage = holding_until(Until::Condition("AgentReady".to_owned())).await;
    stage.deploy("web", 2, "1");
    let node = stage.node_names().remove(0);
    stage.pass(120).await;
    assert_eq!(stage.running("web"), 0);
    assert_eq!(stage.bought(), of("cheap", 1), "nothing is bought for pods that will find room");
    // Another process goes on where this one stopped.
    stage.kill().await;
    stage.start(Faults::default());
    stage.pass(60).await;
    assert_eq!(stage.nodes(), [format!("{node} closed")]);
    stage.modify_status("nodes", &node, |node| {
        let conditions = node["status"]["conditions"].as_array_mut().unwrap();
        conditions.push(json!({ "type": "AgentReady", "status": "True" }));
    });
    stage.until("the pods run", |stage| stage.running("web") == 2).await;
    assert!(stage.is_all_open());
    assert_eq!((stage.bought(), annotation(&stage)), (of("cheap", 1), "opened".to_owned()));
    // What was opened once is not new any more.
    stage.modify_status("nodes", &node, |node| {
        let conditions = node["status"]["conditions"].as_array_mut().unwrap();
        conditions.retain(|condition| condition["type"] != "AgentReady");
    });
    stage.pass(60).await;
    assert!(stage.is_all_open());
}

#[tokio::test(start_paused = true)]
async fn a_node_opens_when_a_pod_on_it_is_ready() {
    for which in [
        Which::Prefix("network-".to_owned()),
        Which::Labels(BTreeMap::from([("app".to_owned(), "network".to_owned())])),
    ] {
        let stage = holding_until(Until::Pod { namespace: "default".to_owned(), which }).await;
        agent(&stage, "40s");
        stage.deploy("web", 2, "1");
        let closed = stage.clock.now();
        stage.until("the node opens", Stage::is_all_open).await;
        let took = stage.clock.now().duration_since(closed);
        assert!(took >= SignedDuration::from_secs(30), "{took}");
        stage.until("the pods run", |stage| stage.running("web") == 2).await;
        assert_eq!(stage.bought(), of("cheap", 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_never_whole_is_replaced_and_stays_closed() {
    let stage = holding_until(Until::Condition("AgentReady".to_owned())).await;
    stage.deploy("web", 2, "1");
    let first = format!("{} closed", stage.node_names().remove(0));
    stage.pass(9 * 60).await;
    assert_eq!(stage.bought(), of("cheap", 1));
    stage.pass(3 * 60).await;
    assert_eq!(stage.bought(), of("cheap", 2), "nothing is expected of the first one any more");
    let is_first = |node: &String| node.starts_with(&first);
    assert!(stage.nodes().iter().any(is_first), "{:?}", stage.nodes());
}

#[tokio::test(start_paused = true)]
async fn nodes_in_use_and_those_that_others_closed_are_left_alone() {
    let mut stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 2, "1");
    stage.until("the pods run", |stage| stage.running("web") == 2).await;
    let until = Until::Condition("AgentReady".to_owned());
    let rule = HoldBack { until, patience: SignedDuration::from_mins(10) };
    stage.reset(|settings| {
        settings.hold_back.groups.insert(Symbol::new("cheap"), Some(rule));
    });
    stage.pass(60).await;
    assert!(stage.is_all_open(), "it has pods");
    let node = stage.node_names().remove(0);
    stage.modify("nodes", &node, |node| node["spec"]["unschedulable"] = json!(true));
    stage.pass(60).await;
    stage.reset(|settings| settings.hold_back.groups.clear());
    stage.pass(60).await;
    assert_eq!(stage.nodes(), [format!("{node} closed")], "somebody else did that");
}
