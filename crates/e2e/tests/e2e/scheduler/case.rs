//! Clusters made at random: groups, nodes that are there, pods that run, and pods that wait, as a scenario that `plimsoll plan` reads.

use std::collections::BTreeMap;

use rand::{RngExt as _, SeedableRng as _, seq::IndexedRandom as _};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

const ZONES: [&str; 3] = ["a", "b", "c"];
const ZONE: &str = "topology.kubernetes.io/zone";
const HOST: &str = "kubernetes.io/hostname";

/// A cluster, as a scenario and in parts that can be put into an API server.
pub(crate) struct Case {
    groups: Vec<Group>,
    nodes: Vec<Value>,
    pods: Vec<Value>,
}

struct Group {
    id: String,
    zone: &'static str,
    cpu: u32,
    memory: u32,
    gpus: u32,
    dedicated: bool,
}

// === impl Case ===

impl Case {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let groups: Vec<Group> = (0..chance.random_range(2..=5))
            .map(|number| Group::new(seed, number, &mut chance))
            .collect();
        let mut nodes = Vec::new();
        let mut pods = Vec::new();
        for group in &groups {
            for number in 0..chance.random_range(0..=2) {
                let name = format!("{}-{number}", group.id);
                if chance.random_bool(0.7) {
                    pods.push(resident(&name, group, &mut chance));
                }
                nodes.push(group.node(&name));
            }
        }
        for number in 0..chance.random_range(2..=7) {
            pods.extend(workload(number, &mut chance));
        }
        Self { groups, nodes, pods }
    }

    /// As `plimsoll plan` reads it.
    pub(crate) fn scenario(&self) -> Value {
        let objects: Vec<&Value> = self.nodes.iter().chain(&self.pods).collect();
        let groups: Vec<Value> = self.groups.iter().map(Group::describe).collect();
        json!({"name": "generated", "now": "2026-01-01T12:00:00Z", "groups": groups, "objects": objects})
    }

    /// The nodes that are there.
    pub(crate) fn nodes(&self) -> &[Value] {
        &self.nodes
    }

    /// The pods, whether they run or wait.
    pub(crate) fn pods(&self) -> &[Value] {
        &self.pods
    }

    /// A new node of a group.
    pub(crate) fn new_node(&self, group: &str, number: u32) -> Value {
        let group = self.groups.iter().find(|known| known.id == group).unwrap();
        group.node(&format!("{}-{number}", group.id))
    }

    /// From now on these nodes are there, too.
    pub(crate) fn add(&mut self, nodes: Vec<Value>) {
        self.nodes.extend(nodes);
    }

    /// Whether there is a node of that name.
    pub(crate) fn has(&self, node: &str) -> bool {
        self.nodes.iter().any(|known| known["metadata"]["name"] == node)
    }

    /// From now on these pods run, each on its node.
    pub(crate) fn bind(&mut self, nodes: &BTreeMap<String, String>) {
        for pod in &mut self.pods {
            if let Some(node) = pod["metadata"]["name"].as_str().and_then(|name| nodes.get(name)) {
                pod["spec"]["nodeName"] = json!(node);
            }
        }
    }
}

// === impl Group ===

impl Group {
    fn new(seed: u64, number: u32, chance: &mut ChaCha8Rng) -> Self {
        let cpu = *[2, 4, 8, 16].choose(chance).unwrap();
        Self {
            // Of no other cluster that may have been there before.
            id: format!("s{seed}g{number}"),
            zone: ZONES.choose(chance).unwrap(),
            cpu,
            memory: cpu * *[2, 4, 8].choose(chance).unwrap(),
            gpus: if chance.random_bool(0.2) { *[1, 4].choose(chance).unwrap() } else { 0 },
            dedicated: chance.random_bool(0.2),
        }
    }

    fn price(&self) -> f64 {
        f64::from(self.cpu) * 0.04 + f64::from(self.memory) * 0.005 + f64::from(self.gpus) * 0.6
    }

    fn describe(&self) -> Value {
        let node = self.node("template");
        json!({"id": self.id, "min": 0, "max": 30, "price": self.price(), "template": {
            "metadata": {"labels": node["metadata"]["labels"]}, "spec": node["spec"], "status": node["status"],
        }})
    }

    fn node(&self, name: &str) -> Value {
        let mut taints = Vec::new();
        if self.dedicated {
            taints.push(json!({"key": "dedicated", "value": "yes", "effect": "NoSchedule"}));
        }
        let mut room = json!({
            "cpu": self.cpu.to_string(), "memory": format!("{}Gi", self.memory), "pods": "20", "ephemeral-storage": "100Gi",
        });
        if self.gpus > 0 {
            room["nvidia.com/gpu"] = json!(self.gpus.to_string());
        }
        json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {
                HOST: name, ZONE: self.zone, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
                "plimsoll.dev/node-group": self.id, "size": self.cpu.to_string(),
            }},
            "spec": {"taints": taints},
            "status": {"capacity": room, "allocatable": room, "conditions": [
                {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T11:00:00Z", "lastTransitionTime": "2026-01-01T10:00:00Z"},
            ]},
        })
    }
}

/// A pod that runs on a node, of an application that others may want to be near or far from.
fn resident(node: &str, group: &Group, chance: &mut ChaCha8Rng) -> Value {
    let share = u64::from(group.cpu) * chance.random_range(100..=700);
    let app = format!("app{}", chance.random_range(0..3));
    let mut pod = pod(&format!("on-{node}"), &app, share, u64::from(group.memory) * 256, 0);
    pod["spec"]["nodeName"] = json!(node);
    pod["spec"]["tolerations"] = json!([{"operator": "Exists"}]);
    pod
}

/// Pods that are alike, and what they ask of a node.
fn workload(number: u32, chance: &mut ChaCha8Rng) -> Vec<Value> {
    let app = format!("app{number}");
    let millis = *[100, 250, 500, 900, 1500, 3000].choose(chance).unwrap();
    let mebibytes = *[128, 512, 1024, 3000, 6000].choose(chance).unwrap();
    let gpus = u32::from(chance.random_bool(0.12));
    let own = json!({"matchLabels": {"app": app}});
    let mut spec = json!({});
    if chance.random_bool(0.35) {
        spec["tolerations"] = json!([{"key": "dedicated", "operator": "Exists"}]);
    }
    if chance.random_bool(0.2) {
        spec["nodeSelector"] = json!({ZONE: ZONES.choose(chance).unwrap()});
    }
    let term = |topology: &str| json!([{"labelSelector": own, "topologyKey": topology}]);
    match chance.random_range(0..10) {
        0 => {
            spec["affinity"] = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term(HOST)}});
        }
        1 => {
            spec["affinity"] = json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term(ZONE)}});
        }
        2 => {
            let places =
                [("size", "Gt", "3"), ("size", "Lt", "9")].choose(chance).copied().unwrap();
            spec["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": places.0, "operator": places.1, "values": [places.2]}]},
            ]}}});
        }
        3 => spec["topologySpreadConstraints"] = spread(HOST, chance.random_range(1..=3), &own),
        4 => spec["topologySpreadConstraints"] = spread(ZONE, chance.random_range(1..=3), &own),
        _ => {}
    }
    let port = chance.random_bool(0.1).then(|| 8000 + number);
    let replicas =
        if port.is_some() { chance.random_range(1..=4) } else { chance.random_range(1..=14) };
    let pods = (0..replicas).map(|replica| {
        let mut pod = pod(&format!("{app}-{replica}"), &app, millis, mebibytes, gpus);
        for (key, value) in spec.as_object().unwrap() {
            pod["spec"][key] = value.clone();
        }
        if let Some(port) = port {
            pod["spec"]["containers"][0]["ports"] =
                json!([{"containerPort": port, "hostPort": port}]);
        }
        pod
    });
    pods.collect()
}

fn spread(topology: &str, skew: u32, selector: &Value) -> Value {
    json!([{"maxSkew": skew, "topologyKey": topology, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}])
}

fn pod(name: &str, app: &str, millis: u64, mebibytes: u64, gpus: u32) -> Value {
    let mut requests = json!({"cpu": format!("{millis}m"), "memory": format!("{mebibytes}Mi")});
    let mut resources = json!({});
    if gpus > 0 {
        requests["nvidia.com/gpu"] = json!(gpus.to_string());
        resources["limits"] = json!({"nvidia.com/gpu": gpus.to_string()});
    }
    resources["requests"] = requests;
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": app}},
        "spec": {"containers": [{"name": "main", "image": "none", "resources": resources}]},
    })
}
