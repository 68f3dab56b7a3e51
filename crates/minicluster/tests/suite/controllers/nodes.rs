//! Nodes that fall silent, and pods whose node is gone.

use std::time::Duration;

use plimsoll_minicluster::api::{DeleteOptions, Target, WriteOptions};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Cluster, condition, is_leaving, settle, template, text, workload};

/// Renews the lease of a node.
fn heartbeat(cluster: &Cluster, node: &str) {
    let leases = cluster.kind("leases.coordination.k8s.io");
    let now = cluster.api.clock().now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string();
    let lease = json!({ "metadata": { "name": node }, "spec": { "holderIdentity": node, "renewTime": now } });
    let made = cluster.api.create(&leases, "kube-node-lease", lease, &WriteOptions::default());
    if made.is_err() {
        let at = Target::new("kube-node-lease", node);
        cluster.api.modify(&leases, &at, |lease| lease["spec"]["renewTime"] = json!(now)).unwrap();
    }
}

fn taints(cluster: &Cluster, node: &str) -> Vec<String> {
    let node = cluster.get("nodes", node);
    let taints = node.pointer("/spec/taints").and_then(Value::as_array);
    let taint = |taint: &Value| format!("{}:{}", text(taint, "/key"), text(taint, "/effect"));
    taints.into_iter().flatten().map(taint).collect()
}

#[tokio::test(start_paused = true)]
async fn a_node_that_falls_silent_loses_its_pods_when_their_patience_ends() {
    let cluster = Cluster::with_kubelets();
    // Another node that is well, and never had a kubelet: nobody waits for it.
    cluster.node("still", &json!({}));
    heartbeat(&cluster, "node");
    cluster.create("replicasets.apps", workload("web", 1, &json!({})));
    settle().await;
    assert_eq!(taints(&cluster, "node"), Vec::<String>::new());
    for _ in 0..6 {
        heartbeat(&cluster, "node");
        sleep(Duration::from_secs(20)).await;
    }
    let pod = cluster.names("pods", "app=web").remove(0);
    assert_eq!(condition(&cluster.get("nodes", "node"), "Ready"), "True");

    sleep(Duration::from_secs(40)).await;
    assert_eq!(condition(&cluster.get("nodes", "node"), "Ready"), "Unknown");
    assert_eq!(condition(&cluster.get("nodes", "still"), "Ready"), "True");
    let unreachable = "node.kubernetes.io/unreachable";
    assert_eq!(
        taints(&cluster, "node"),
        [format!("{unreachable}:NoSchedule"), format!("{unreachable}:NoExecute")]
    );
    assert_eq!(condition(&cluster.get("pods", &pod), "Ready"), "False");
    sleep(Duration::from_secs(270)).await;
    assert!(!is_leaving(&cluster.get("pods", &pod)));
    sleep(Duration::from_secs(40)).await;
    assert!(cluster.find("pods", &pod).is_none());

    heartbeat(&cluster, "node");
    let ready = json!([{ "type": "Ready", "status": "True" }]);
    cluster.change_status("nodes", "node", &json!({ "status": { "conditions": ready } }));
    settle().await;
    assert_eq!(taints(&cluster, "node"), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn when_no_node_is_well_nobody_is_driven_off() {
    let cluster = Cluster::start();
    cluster.node("a", &json!({}));
    cluster.node("b", &json!({}));
    let unready = json!([{ "type": "Ready", "status": "False" }]);
    for node in ["a", "b"] {
        cluster.change_status("nodes", node, &json!({ "status": { "conditions": unready } }));
    }
    settle().await;
    let not_ready = "node.kubernetes.io/not-ready";
    for node in ["a", "b"] {
        assert_eq!(taints(&cluster, node), [format!("{not_ready}:NoSchedule")]);
    }
    let ready = json!([{ "type": "Ready", "status": "True" }]);
    cluster.change_status("nodes", "b", &json!({ "status": { "conditions": ready } }));
    settle().await;
    assert_eq!(
        taints(&cluster, "a"),
        [format!("{not_ready}:NoSchedule"), format!("{not_ready}:NoExecute")]
    );
    assert_eq!(taints(&cluster, "b"), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn cordoning_taints_and_uncordoning_does_not() {
    let cluster = Cluster::start();
    cluster.node("a", &json!({}));
    cluster.change("nodes", "a", &json!({ "spec": { "unschedulable": true } }));
    settle().await;
    assert_eq!(taints(&cluster, "a"), ["node.kubernetes.io/unschedulable:NoSchedule"]);
    cluster.change("nodes", "a", &json!({ "spec": { "unschedulable": false } }));
    settle().await;
    assert_eq!(taints(&cluster, "a"), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn taints_of_others_drive_off_whoever_does_not_tolerate_them() {
    let cluster = Cluster::with_kubelets();
    let tolerant = |name: &str, tolerations: Value| {
        let mut pod = template(name, "image:1");
        pod["metadata"]["name"] = json!(name);
        pod["spec"]["tolerations"] = tolerations;
        cluster.create("pods", pod);
    };
    tolerant("none", json!([]));
    tolerant(
        "some",
        json!([{ "key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60 }]),
    );
    tolerant("all", json!([{ "operator": "Exists" }]));
    settle().await;
    let taint = json!([{ "key": "k", "value": "v", "effect": "NoExecute" }]);
    cluster.change("nodes", "node", &json!({ "spec": { "taints": taint } }));
    settle().await;
    assert_eq!(cluster.names("pods", ""), ["all", "some"]);
    sleep(Duration::from_mins(1)).await;
    assert_eq!(cluster.names("pods", ""), ["all"]);
}

#[tokio::test(start_paused = true)]
async fn pods_of_a_node_that_is_gone_are_replaced() {
    let cluster = Cluster::start();
    cluster.node("gone", &json!({}));
    cluster.create("replicasets.apps", workload("web", 1, &json!({})));
    settle().await;
    let pod = cluster.names("pods", "app=web").remove(0);
    let binding = json!({ "metadata": { "name": pod }, "target": { "name": "gone" } });
    let at = Target::new("default", &pod);
    let options = WriteOptions::default();
    plimsoll_minicluster::special::binding::bind(
        &cluster.api,
        &cluster.kind("pods"),
        &at,
        &binding,
        &options,
    )
    .unwrap();
    cluster.delete("nodes", "gone", &DeleteOptions::default());
    sleep(Duration::from_secs(30)).await;
    assert_eq!(cluster.names("pods", "app=web"), std::slice::from_ref(&pod));
    sleep(Duration::from_secs(20)).await;
    let now = cluster.names("pods", "app=web");
    assert_eq!(now.len(), 1);
    assert_ne!(now, [pod]);
}
