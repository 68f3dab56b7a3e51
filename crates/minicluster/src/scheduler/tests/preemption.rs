use expect_test::expect;
use serde_json::{Value, json};

use super::Cluster;
use crate::api::Target;

/// A cluster with priority classes for 1 to 3 and 10.
fn cluster() -> Cluster {
    let cluster = Cluster::new();
    for value in [1, 2, 3, 10] {
        let name = format!("p{value}");
        cluster.make("priorityclasses", json!({ "metadata": { "name": name }, "value": value }));
    }
    cluster
}

fn at(priority: i32) -> Value {
    json!({ "priorityClassName": format!("p{priority}") })
}

/// A running pod of a priority on a node.
fn resident(cluster: &Cluster, name: &str, cpu: u32, priority: i32, node: &str) {
    let mut spec = at(priority);
    spec["nodeName"] = json!(node);
    cluster.pod(name, cpu, spec);
}

fn leaving(cluster: &Cluster) -> Vec<String> {
    let listing = cluster.api.list(&cluster.kind("pods"), &super::ListQuery::default()).unwrap();
    let pods = listing.items.iter().map(|pod| pod.value());
    pods.filter(|pod| pod["metadata"]["deletionTimestamp"].is_string())
        .map(|pod| pod["metadata"]["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn as_few_as_possible_leave_and_the_node_is_kept_for_whom_they_left() {
    let mut cluster = cluster();
    cluster.node("n", 1000, json!({}));
    resident(&cluster, "small", 200, 1, "n");
    resident(&cluster, "large", 600, 1, "n");
    resident(&cluster, "dear", 200, 3, "n");
    let high = cluster.pod("high", 500, at(2));
    cluster.settle();
    assert_eq!(leaving(&cluster), ["large"]);
    let waiting = cluster.get("pods", "high");
    assert_eq!(waiting["status"]["nominatedNodeName"], "n");
    expect!["0/1 nodes are available: 1 Insufficient cpu."].assert_eq(&cluster.why("high"));
    let victim = cluster.get("pods", "large");
    assert_eq!(victim["metadata"]["deletionGracePeriodSeconds"], 30);
    let conditions = victim["status"]["conditions"].as_array().unwrap();
    let target = conditions.iter().find(|one| one["type"] == "DisruptionTarget").unwrap();
    assert_eq!(target["reason"], "PreemptionByScheduler");
    assert_eq!(
        target["message"],
        "default-scheduler: preempting to accommodate a higher priority pod"
    );
    let event = &cluster.events("Preempted")[0];
    let uid = high["metadata"]["uid"].as_str().unwrap();
    assert_eq!(event["message"], format!("Preempted by pod {uid} on node n"));
    assert_eq!(event["related"]["name"], "high");
    // A lesser pod does not get the room that was made.
    cluster.end("large");
    cluster.pod("thief", 300, at(1));
    cluster.settle();
    assert_eq!(cluster.node_of("thief"), None);
    cluster.settle_later().await;
    assert_eq!(cluster.node_of("high").as_deref(), Some("n"));
    assert_eq!(cluster.get("pods", "high")["status"].get("nominatedNodeName"), None);
    assert_eq!(cluster.node_of("thief"), None);
}

#[tokio::test(start_paused = true)]
async fn while_victims_leave_nobody_else_has_to() {
    let mut cluster = cluster();
    for node in ["a", "b"] {
        cluster.node(node, 1000, json!({}));
        resident(&cluster, &format!("on-{node}"), 900, 1, node);
    }
    cluster.pod("high", 900, at(2));
    cluster.settle_later().await;
    let first = leaving(&cluster);
    assert_eq!(first.len(), 1);
    cluster.node("tiny", 100, json!({}));
    cluster.settle_later().await;
    assert_eq!(leaving(&cluster), first);
    expect!["0/3 nodes are available: 3 Insufficient cpu. preemption: not eligible due to a terminating pod on the nominated node."]
        .assert_eq(&cluster.why("high"));
}

#[tokio::test(start_paused = true)]
async fn the_cheapest_victims_are_chosen() {
    // Each node with its pods, as (cpu, priority); the second node is always the cheaper one.
    let cases = [
        ("lowest highest priority", vec![(500, 3), (500, 1)], vec![(500, 2), (500, 2)]),
        ("smallest sum", vec![(500, 3), (500, 2)], vec![(500, 3), (500, 1)]),
        ("fewest", vec![(500, 2), (500, 2)], vec![(1000, 2)]),
        ("youngest", vec![(1000, 2)], vec![(1000, 2)]),
    ];
    for (what, dear, cheap) in cases {
        let mut cluster = cluster();
        for (node, pods) in [("dear", dear), ("cheap", cheap)] {
            cluster.node(node, 1000, json!({}));
            for (number, (cpu, priority)) in pods.iter().enumerate() {
                resident(&cluster, &format!("{node}-{number}"), *cpu, *priority, node);
            }
            tokio::time::advance(std::time::Duration::from_secs(1)).await;
        }
        cluster.pod("high", 900, at(10));
        cluster.settle();
        assert_eq!(cluster.get("pods", "high")["status"]["nominatedNodeName"], "cheap", "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn budgets_are_spared_where_possible() {
    let mut cluster = cluster();
    cluster.node("a", 1000, json!({}));
    resident(&cluster, "protected", 900, 1, "a");
    cluster.make(
        "poddisruptionbudgets",
        json!({ "metadata": { "name": "budget" },
                "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": "protected" } } } }),
    );
    cluster.node("b", 1000, json!({}));
    resident(&cluster, "free", 900, 3, "b");
    cluster.pod("high", 900, at(10));
    cluster.settle();
    assert_eq!(leaving(&cluster), ["free"]);
    // Where nothing else helps the budget is violated.
    cluster.change_node("b", |node| node["spec"]["unschedulable"] = json!(true));
    cluster.settle_later().await;
    assert_eq!(leaving(&cluster), ["free", "protected"]);
    assert_eq!(cluster.get("pods", "high")["status"]["nominatedNodeName"], "a");
}

#[tokio::test(start_paused = true)]
async fn the_peaceful_wait() {
    let mut cluster = cluster();
    cluster.node("n", 1000, json!({}));
    resident(&cluster, "low", 900, 1, "n");
    cluster.make(
        "priorityclasses",
        json!({ "metadata": { "name": "peaceful" }, "value": 100, "preemptionPolicy": "Never" }),
    );
    cluster.pod("high", 900, json!({ "priorityClassName": "peaceful" }));
    cluster.settle();
    assert_eq!(leaving(&cluster), Vec::<String>::new());
    expect!["0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never."]
        .assert_eq(&cluster.why("high"));
    cluster.end("low");
    cluster.settle_later().await;
    assert_eq!(cluster.node_of("high").as_deref(), Some("n"));
}

#[tokio::test(start_paused = true)]
async fn a_promise_falls_when_the_node_goes() {
    let mut cluster = cluster();
    cluster.node("n", 1000, json!({}));
    resident(&cluster, "low", 900, 1, "n");
    cluster.pod("high", 900, at(2));
    cluster.settle();
    assert_eq!(cluster.get("pods", "high")["status"]["nominatedNodeName"], "n");
    let nodes = cluster.kind("nodes");
    cluster.api.delete(&nodes, &Target::new("", "n"), &super::DeleteOptions::default()).unwrap();
    cluster.node("small", 100, json!({}));
    cluster.settle_later().await;
    assert_eq!(cluster.get("pods", "high")["status"].get("nominatedNodeName"), None);
}
