//! The cluster of the benchmark, in a process of its own.

use std::{io::Write as _, path::Path, sync::Arc, time::Duration};

use plimsoll_minicluster::{
    Api, Kind, Minicluster,
    api::{Target, WriteOptions},
    minicluster::{self, Part},
};
use plimsoll_net::Clock;
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::sleep};

use crate::Outcome;

/// A node says that it is well so often, as kubelets do.
const HEARTBEAT: Duration = Duration::from_mins(5);
/// The cluster: nodes that are well, pods that run, a scheduler, and a line of input for every pod that is to be created.
pub(crate) async fn serve(nodes: u32, pods: u32, file: &Path) -> Outcome {
    let settings = minicluster::Settings {
        listen: Some(([127, 0, 0, 1], 0).into()),
        kubeconfig: Some(file.to_owned()),
        parts: vec![Part::Scheduler],
        ..minicluster::Settings::default()
    };
    let cluster = Minicluster::start(Clock::system(), settings).await?;
    let api = cluster.api().clone();
    let (node_kind, pod_kind) = (kind(&api, "", "nodes")?, kind(&api, "", "pods")?);
    let options = WriteOptions::default();
    let owners = kind(&api, "apps", "replicasets")?;
    for number in 0..pods / 100 {
        api.create(&owners, "default", replica_set(number), &options)?;
    }
    for number in 0..nodes {
        api.create(&node_kind, "", node(number), &options)?;
        let (name, status) = (format!("node-{number}"), node_status());
        api.modify(&node_kind, &Target::status("", &name), |node| {
            node["status"] = status.clone();
        })?;
        // New nodes are tainted until somebody finds them ready; they have been here for long.
        api.modify(&node_kind, &Target::new("", &name), |node| {
            node["spec"]["taints"] = Value::Null;
        })?;
    }
    for number in 0..pods {
        let (name, node) = (format!("pod-{number}"), format!("node-{}", number % nodes));
        api.create(&pod_kind, "default", pod(&name, Some(&node), "400m"), &options)?;
        let at = Target::status("default", &name);
        api.modify(&pod_kind, &at, |pod| pod["status"]["phase"] = json!("Running"))?;
    }
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    out.flush()?;
    tokio::spawn(beat(api.clone(), Arc::clone(&node_kind), nodes));
    let (sender, mut lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let mut created = 0;
    while lines.recv().await.is_some() {
        let name = format!("new-{created}");
        api.create(&pod_kind, "default", pod(&name, None, "15"), &options)?;
        created += 1;
    }
    Ok(())
}

/// Nodes say that they are well, evenly over time.
async fn beat(api: Api, kind: Arc<Kind>, nodes: u32) {
    let mut number = 0;
    loop {
        sleep(HEARTBEAT / nodes).await;
        number = (number + 1) % nodes;
        let (name, now) = (format!("node-{number}"), api.clock().now());
        let now = json!(now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        // A node that cannot be written to is not well, which does not matter here.
        let _ = api.modify(&kind, &Target::status("", &name), |node| {
            node["status"]["conditions"][0]["lastHeartbeatTime"] = now.clone();
        });
    }
}

fn node(number: u32) -> Value {
    let name = format!("node-{number}");
    let zone = ["a", "b", "c"].get(usize::try_from(number % 3).unwrap_or_default());
    json!({
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "topology.kubernetes.io/zone": zone,
            },
        },
        "spec": { "providerID": format!("shop://{name}") },
    })
}

fn node_status() -> Value {
    let resources = json!({ "cpu": "16", "memory": "64Gi", "pods": "110" });
    let ready = json!({ "type": "Ready", "status": "True", "reason": "KubeletReady" });
    json!({ "capacity": resources, "allocatable": resources, "conditions": [ready] })
}

fn replica_set(number: u32) -> Value {
    let labels = json!({ "app": format!("app-{number}") });
    json!({
        "metadata": { "name": format!("app-{number}") },
        "spec": {
            "replicas": 100,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "main", "image": "app" }] },
            },
        },
    })
}

fn pod(name: &str, node: Option<&str>, cpu: &str) -> Value {
    let mut spec = json!({
        "containers": [{
            "name": "main", "image": "registry.example/app:1.2.3",
            "resources": { "requests": { "cpu": cpu, "memory": "256Mi" } },
            "env": [{ "name": "MODE", "value": "production" }],
        }],
    });
    if let Some(node) = node {
        spec["nodeName"] = json!(node);
    }
    let number: u32 = name.rsplit('-').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    let app = format!("app-{}", number / 100);
    json!({
        "metadata": {
            "name": name,
            "labels": { "app": app, "pod-template-hash": "7c5ddbdf54" },
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "controller": true,
                "uid": format!("6f1c1d3e-0f0c-4a53-9a0e-{number:012}"), "blockOwnerDeletion": true,
            }],
        },
        "spec": spec,
    })
}

fn kind(api: &Api, group: &str, plural: &str) -> Outcome<Arc<Kind>> {
    api.kind(group, "v1", plural).ok_or_else(|| format!("no kind {plural}").into())
}
