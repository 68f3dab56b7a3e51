//! The scheduler against the filters, on random clusters: what is bound may be there, what is not bound fits nowhere.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_fit::Snapshot;
use plimsoll_manifest::Reader;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Cluster;
use crate::api::{ListQuery, Watch, WatchEvent, WatchQuery};

#[derive(Clone, Debug)]
struct NodeSpec {
    cpu: u32,
    zone: u8,
    tainted: bool,
    cordoned: bool,
}

#[derive(Clone, Debug)]
struct PodSpec {
    cpu: u32,
    app: u8,
    zone: Option<u8>,
    tolerates: bool,
    bond: Bond,
}

/// What a pod wants of others.
#[derive(Clone, Copy, Debug)]
enum Bond {
    None,
    Spread,
    Away,
    Near,
    Port,
}

fn node_spec() -> impl Strategy<Value = NodeSpec> {
    (1..5_u32, 0..3_u8, prop::bool::weighted(0.2), prop::bool::weighted(0.1)).prop_map(
        |(cpu, zone, tainted, cordoned)| NodeSpec { cpu: cpu * 500, zone, tainted, cordoned },
    )
}

fn pod_spec() -> impl Strategy<Value = PodSpec> {
    let bond = prop_oneof![
        4 => Just(Bond::None),
        2 => Just(Bond::Spread),
        1 => Just(Bond::Away),
        1 => Just(Bond::Near),
        1 => Just(Bond::Port),
    ];
    let zone = prop::option::weighted(0.2, 0..3_u8);
    (1..10_u32, 0..3_u8, zone, prop::bool::weighted(0.3), bond).prop_map(
        |(cpu, app, zone, tolerates, bond)| PodSpec { cpu: cpu * 100, app, zone, tolerates, bond },
    )
}

impl PodSpec {
    fn object(&self, name: &str) -> Value {
        let app = format!("app-{}", self.app);
        let selector = json!({ "matchLabels": { "app": app } });
        let term = |key: &str| {
            json!({ "requiredDuringSchedulingIgnoredDuringExecution":
                    [{ "labelSelector": selector, "topologyKey": key }] })
        };
        let resources = json!({ "requests": { "cpu": format!("{}m", self.cpu) } });
        let mut spec = json!({
            "containers": [{ "name": "c", "image": "i", "resources": resources }],
        });
        if let Some(zone) = self.zone {
            spec["nodeSelector"] = json!({ "zone": zone.to_string() });
        }
        if self.tolerates {
            spec["tolerations"] = json!([{ "key": "special", "operator": "Exists" }]);
        }
        match self.bond {
            Bond::None => {}
            Bond::Spread => {
                spec["topologySpreadConstraints"] = json!([{
                    "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": selector,
                }]);
            }
            Bond::Away => spec["affinity"]["podAntiAffinity"] = term("kubernetes.io/hostname"),
            Bond::Near => spec["affinity"]["podAffinity"] = term("zone"),
            Bond::Port => {
                spec["containers"][0]["ports"] = json!([{ "containerPort": 80, "hostPort": 80 }]);
            }
        }
        json!({ "metadata": { "name": name, "labels": { "app": app } }, "spec": spec })
    }
}

/// Goes through everything that happened to pods, in order, and asks the filters about each binding when it was made, and about
/// what waits in the end.
fn disagreements(cluster: &Cluster, history: &mut Watch) -> Vec<String> {
    let mut reader = Reader::new(jiff::Timestamp::UNIX_EPOCH);
    for plural in ["namespaces", "nodes"] {
        for object in cluster.api.list(&cluster.kind(plural), &ListQuery::default()).unwrap().items
        {
            reader.add_json(std::str::from_utf8(&object.json).unwrap()).unwrap();
        }
    }
    let objects = reader.drain().unwrap();
    let mut snapshot = Snapshot::new(objects.namespaces, objects.storage);
    let nodes: Vec<_> =
        objects.nodes.into_iter().map(|node| (node.name, snapshot.add_node(node))).collect();
    let mut placed = BTreeMap::new();
    let mut pending = BTreeMap::new();
    let mut wrong = Vec::new();
    while let Some(event) = history.try_next() {
        let (object, gone) = match &event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => (object, false),
            WatchEvent::Deleted(object) => (object, true),
            other => panic!("{other:?}"),
        };
        if gone {
            pending.remove(&object.key);
            if let Some(slot) = placed.remove(&object.key) {
                snapshot.evict(slot);
            }
            continue;
        }
        reader.add_json(std::str::from_utf8(&object.json).unwrap()).unwrap();
        let pod = reader.drain().unwrap().pods.remove(0);
        let shape = snapshot.shape(&pod.shape);
        match pod.node {
            Some(name) if !placed.contains_key(&object.key) => {
                let node = nodes.iter().find(|(other, _)| *other == name).unwrap().1;
                let why = snapshot.judge(shape, node);
                if !why.is_empty() {
                    wrong.push(format!("{} went where it may not be: {why:?}", pod.name));
                }
                pending.remove(&object.key);
                placed.insert(object.key.clone(), snapshot.place(shape, node));
            }
            Some(_) => {}
            None => {
                pending.insert(object.key.clone(), shape);
            }
        }
    }
    for (key, shape) in pending {
        if let Some((name, _)) = nodes.iter().find(|(_, node)| snapshot.fits(shape, *node)) {
            wrong.push(format!("{} waits, but fits on {name}", key.name));
        }
    }
    wrong
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn bindings_are_admissible_and_waiting_pods_fit_nowhere(
        nodes in prop::collection::vec(node_spec(), 1..6),
        pods in prop::collection::vec(pod_spec(), 1..25),
        ended in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let wrong = runtime.block_on(async {
            let mut cluster = Cluster::new();
            for (number, node) in nodes.iter().enumerate() {
                let name = format!("n{number}");
                let mut spec = json!({});
                if node.tainted {
                    spec["taints"] = json!([{ "key": "special", "effect": "NoSchedule" }]);
                }
                if node.cordoned {
                    spec["unschedulable"] = json!(true);
                }
                cluster.node(&name, node.cpu, spec);
                cluster.change_node(&name, |object| {
                    object["metadata"]["labels"]["zone"] = json!(node.zone.to_string());
                });
            }
            let pods_kind = cluster.kind("pods");
            let mut history = cluster.api.watch(&pods_kind, &WatchQuery::default()).unwrap();
            for (number, pod) in pods.iter().enumerate() {
                cluster.make("pods", pod.object(&format!("p{number}")));
                if number % 5 == 0 {
                    cluster.settle();
                }
            }
            cluster.settle_later().await;
            // Pods that go make room for others.
            let mut gone = BTreeSet::new();
            for index in &ended {
                let name = format!("p{}", index.index(pods.len()));
                if gone.insert(name.clone()) {
                    cluster.end(&name);
                }
            }
            for _ in 0..6 {
                cluster.settle_later().await;
            }
            disagreements(&cluster, &mut history)
        });
        prop_assert!(wrong.is_empty(), "{wrong:?}");
    }
}
