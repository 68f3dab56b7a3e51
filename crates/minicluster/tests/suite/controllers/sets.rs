//! Stateful sets and daemon sets.

use plimsoll_minicluster::api::{WatchEvent, WatchQuery};
use serde_json::{Value, json};

use super::{Cluster, is_ready, number, settle, template, text, workload};

/// What happens to pods from here on, as long as a minute: `+name` when one comes, `!name` when it becomes ready, `-name` when it goes.
async fn story(cluster: &Cluster, change: impl FnOnce(&Cluster)) -> Vec<String> {
    let kind = cluster.kind("pods");
    let query = WatchQuery {
        resource_version: cluster.api.revision().to_string(),
        ..WatchQuery::default()
    };
    let mut watch = cluster.api.watch(&kind, &query).unwrap();
    change(cluster);
    let mut story: Vec<String> = Vec::new();
    let end = tokio::time::Instant::now() + std::time::Duration::from_mins(1);
    while let Ok(Some(event)) = tokio::time::timeout_at(end, watch.next()).await {
        let line = match event {
            WatchEvent::Added(pod) => format!("+{}", pod.key.name),
            WatchEvent::Modified(pod) if is_ready(&pod.value()) => format!("!{}", pod.key.name),
            WatchEvent::Deleted(pod) => format!("-{}", pod.key.name),
            _ => continue,
        };
        if !story.contains(&line) || !line.starts_with('!') {
            story.push(line);
        }
    }
    story
}

#[tokio::test(start_paused = true)]
async fn a_stateful_set_keeps_its_order() {
    let cluster = Cluster::with_kubelets();
    let set = workload("db", 3, &json!({ "serviceName": "db" }));
    let made = story(&cluster, |cluster| drop(cluster.create("statefulsets.apps", set))).await;
    assert_eq!(made, ["+db-0", "!db-0", "+db-1", "!db-1", "+db-2", "!db-2"]);
    let status = cluster.get("statefulsets.apps", "db")["status"].clone();
    assert_eq!((number(&status, "/readyReplicas"), number(&status, "/currentReplicas")), (3, 3));

    let update = json!({ "spec": { "template": template("db", "image:2") } });
    let updated =
        story(&cluster, |cluster| cluster.change("statefulsets.apps", "db", &update)).await;
    let order: Vec<&String> = updated.iter().filter(|line| !line.starts_with('!')).collect();
    assert_eq!(order, ["-db-2", "+db-2", "-db-1", "+db-1", "-db-0", "+db-0"]);
    let set = cluster.get("statefulsets.apps", "db");
    assert_eq!(text(&set, "/status/currentRevision"), text(&set, "/status/updateRevision"));

    let scale = json!({ "spec": { "replicas": 1 } });
    let scaled = story(&cluster, |cluster| cluster.change("statefulsets.apps", "db", &scale)).await;
    let gone: Vec<&String> = scaled.iter().filter(|line| line.starts_with('-')).collect();
    assert_eq!(gone, ["-db-2", "-db-1"]);
}

#[tokio::test(start_paused = true)]
async fn a_parallel_stateful_set_does_not_wait() {
    let cluster = Cluster::with_kubelets();
    let set = workload("db", 3, &json!({ "podManagementPolicy": "Parallel" }));
    let made = story(&cluster, |cluster| drop(cluster.create("statefulsets.apps", set))).await;
    assert_eq!(made[..3], ["+db-0", "+db-1", "+db-2"]);
}

#[tokio::test(start_paused = true)]
async fn a_partition_holds_an_update_back() {
    let cluster = Cluster::with_kubelets();
    let strategy = json!({ "type": "RollingUpdate", "rollingUpdate": { "partition": 2 } });
    cluster.create("statefulsets.apps", workload("db", 3, &json!({ "updateStrategy": strategy })));
    settle().await;
    cluster.change(
        "statefulsets.apps",
        "db",
        &json!({ "spec": { "template": template("db", "image:2") } }),
    );
    settle().await;
    // One that is lost comes back as it was.
    cluster.delete("pods", "db-0", &plimsoll_minicluster::api::DeleteOptions::default());
    settle().await;
    let images: Vec<String> = cluster
        .list("pods", "app=db")
        .iter()
        .map(|pod| text(pod, "/spec/containers/0/image"))
        .collect();
    assert_eq!(images, ["image:1", "image:1", "image:2"]);
    assert_eq!(number(&cluster.get("statefulsets.apps", "db"), "/status/updatedReplicas"), 1);
}

#[tokio::test(start_paused = true)]
async fn each_pod_of_a_stateful_set_keeps_its_claim() {
    let cluster = Cluster::with_kubelets();
    let claim = json!({
        "metadata": { "name": "data" },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "resources": { "requests": { "storage": "1Gi" } },
        },
    });
    for (name, size) in [("large", "9Gi"), ("small", "2Gi"), ("tiny", "1Mi")] {
        let spec = json!({
            "capacity": { "storage": size },
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "hostPath": { "path": "/data" },
        });
        cluster.create("persistentvolumes", json!({ "metadata": { "name": name }, "spec": spec }));
    }
    cluster.create(
        "statefulsets.apps",
        workload("db", 1, &json!({ "volumeClaimTemplates": [claim] })),
    );
    settle().await;
    let claim = cluster.get("persistentvolumeclaims", "data-db-0");
    assert_eq!(
        (text(&claim, "/spec/volumeName"), text(&claim, "/status/phase")),
        ("small".into(), "Bound".into())
    );
    let volume = cluster.get("persistentvolumes", "small");
    assert_eq!(
        (text(&volume, "/spec/claimRef/name"), text(&volume, "/status/phase")),
        ("data-db-0".into(), "Bound".into())
    );
    assert_eq!(text(&cluster.get("persistentvolumes", "large"), "/status/phase"), "Available");
    let volumes = cluster.get("pods", "db-0")["spec"]["volumes"].clone();
    assert_eq!(text(&volumes, "/0/persistentVolumeClaim/claimName"), "data-db-0");
}

/// The nodes on which there are pods of a daemon set.
fn nodes_of(cluster: &Cluster) -> Vec<String> {
    let mut nodes: Vec<String> =
        cluster.list("pods", "app=agent").iter().map(|pod| text(pod, "/spec/nodeName")).collect();
    nodes.sort();
    nodes
}

fn agent(spec: &Value) -> Value {
    let mut object = workload("agent", 0, &json!({ "template": { "spec": spec } }));
    object["spec"].as_object_mut().unwrap().remove("replicas");
    object
}

#[tokio::test(start_paused = true)]
async fn a_daemon_set_follows_the_nodes() {
    let cluster = Cluster::with_kubelets_alone();
    for name in ["a", "b", "c"] {
        cluster.node(name, &json!({ "pool": if name == "c" { "other" } else { "own" } }));
    }
    cluster.create("daemonsets.apps", agent(&json!({ "nodeSelector": { "pool": "own" } })));
    settle().await;
    assert_eq!(nodes_of(&cluster), ["a", "b"]);

    cluster.node("d", &json!({ "pool": "own" }));
    cluster.change("nodes", "c", &json!({ "metadata": { "labels": { "pool": "own" } } }));
    cluster.change("nodes", "b", &json!({ "metadata": { "labels": { "pool": "other" } } }));
    settle().await;
    assert_eq!(nodes_of(&cluster), ["a", "c", "d"]);

    // What only keeps new pods away lets the old one stay, but gets no new one.
    let taint = json!([{ "key": "full", "effect": "NoSchedule" }]);
    cluster.change("nodes", "a", &json!({ "spec": { "taints": taint } }));
    cluster.change("nodes", "c", &json!({ "spec": { "unschedulable": true } }));
    settle().await;
    assert_eq!(nodes_of(&cluster), ["a", "c", "d"]);
    let status = cluster.get("daemonsets.apps", "agent")["status"].clone();
    let counts = ["desiredNumberScheduled", "numberReady", "numberMisscheduled"];
    assert_eq!(counts.map(|name| number(&status, &format!("/{name}"))), [2, 2, 1]);
    for pod in cluster.names("pods", "app=agent") {
        cluster.delete("pods", &pod, &plimsoll_minicluster::api::DeleteOptions::default());
    }
    settle().await;
    assert_eq!(nodes_of(&cluster), ["c", "d"]);
}

#[tokio::test(start_paused = true)]
async fn a_daemon_set_is_updated_node_by_node() {
    let cluster = Cluster::with_kubelets_alone();
    for name in ["a", "b", "c"] {
        cluster.node(name, &json!({}));
    }
    cluster.create("daemonsets.apps", agent(&json!({})));
    settle().await;
    let mut watch = cluster.api.watch(&cluster.kind("pods"), &WatchQuery::default()).unwrap();
    cluster.change(
        "daemonsets.apps",
        "agent",
        &json!({ "spec": { "template": template("agent", "image:2") } }),
    );
    let mut least = usize::MAX;
    let end = tokio::time::Instant::now() + std::time::Duration::from_mins(1);
    while let Ok(Some(_)) = tokio::time::timeout_at(end, watch.next()).await {
        let pods = cluster.list("pods", "app=agent");
        least =
            least.min(pods.iter().filter(|pod| is_ready(pod) && !super::is_leaving(pod)).count());
    }
    assert_eq!(least, 2);
    let images: Vec<String> = cluster
        .list("pods", "app=agent")
        .iter()
        .map(|pod| text(pod, "/spec/containers/0/image"))
        .collect();
    assert_eq!(images, ["image:2"; 3]);
    assert_eq!(
        number(&cluster.get("daemonsets.apps", "agent"), "/status/updatedNumberScheduled"),
        3
    );
}
