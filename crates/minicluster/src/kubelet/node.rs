//! What a kubelet writes about its node.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::read::{make, text, time};

const LEASE_DURATION: u32 = 40;
/// The version that kubelets say they are.
const VERSION: &str = "v1.36.4";

/// Whether a node can run pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    Ready,
    Unready,
}

/// The Node as the machine registers it: what was given, and what a kubelet adds. `number` tells machines apart.
pub(super) fn register(given: &Value, number: u32, now: Timestamp) -> Value {
    let mut node = given.clone();
    let name = text(given, "/metadata/name").to_owned();
    let [.., high, middle, low] = number.to_be_bytes();
    let top = make(&mut node, &[]);
    top.insert("apiVersion".to_owned(), json!("v1"));
    top.insert("kind".to_owned(), json!("Node"));
    fill(
        make(&mut node, &["metadata", "labels"]),
        [
            ("kubernetes.io/hostname", json!(name)),
            ("kubernetes.io/os", json!("linux")),
            ("kubernetes.io/arch", json!("amd64")),
        ],
    );
    let status = make(&mut node, &["status"]);
    let room = json!({
        "cpu": "4",
        "memory": "16Gi",
        "pods": "110",
        "ephemeral-storage": "100Gi",
    });
    // Whoever says one of the two means both.
    let capacity = status.get("capacity").or_else(|| status.get("allocatable")).cloned();
    let capacity = capacity.unwrap_or(room);
    fill(status, [("capacity", capacity.clone()), ("allocatable", capacity)]);
    fill(
        status,
        [
            (
                "addresses",
                json!([
                    { "type": "InternalIP", "address": format!("10.{}.{middle}.{low}", 32 + high % 32) },
                    { "type": "Hostname", "address": name },
                ]),
            ),
            ("daemonEndpoints", json!({ "kubeletEndpoint": { "Port": 10250 } })),
        ],
    );
    fill(
        make(&mut node, &["status", "nodeInfo"]),
        [
            ("machineID", json!(format!("{number:032x}"))),
            ("systemUUID", json!(format!("00000000-0000-4000-8000-{number:012x}"))),
            ("bootID", json!(format!("00000000-0000-4000-9000-{number:012x}"))),
            ("kernelVersion", json!("6.12.0-plimsoll")),
            ("osImage", json!("Plimsoll")),
            ("containerRuntimeVersion", json!("plimsoll://1.0.0")),
            ("kubeletVersion", json!(VERSION)),
            ("kubeProxyVersion", json!("")),
            ("operatingSystem", json!("linux")),
            ("architecture", json!("amd64")),
        ],
    );
    make(&mut node, &["status"])
        .insert("conditions".to_owned(), conditions(Health::Ready, now, now));
    node
}

/// A patch that says how the node is. `since` is when it began to be so.
pub(super) fn report(health: Health, since: Timestamp, now: Timestamp) -> Value {
    let all = conditions(health, since, now);
    let told = match (&all, health) {
        (Value::Array(list), Health::Unready) => json!(list.last().into_iter().collect::<Vec<_>>()),
        _ => all,
    };
    json!({ "status": { "conditions": told } })
}

/// The address of a node.
pub(super) fn address(node: &Value) -> String {
    crate::read::items(node, "/status/addresses")
        .find(|address| text(address, "/type") == "InternalIP")
        .map_or_else(String::new, |address| text(address, "/address").to_owned())
}

/// The lease by which a node shows that it lives.
pub(super) fn lease(name: &str, uid: &str, now: Timestamp) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": name,
            "namespace": "kube-node-lease",
            "ownerReferences": [{ "apiVersion": "v1", "kind": "Node", "name": name, "uid": uid }],
        },
        "spec": {
            "holderIdentity": name,
            "leaseDurationSeconds": LEASE_DURATION,
            "renewTime": micro_time(now),
        },
    })
}

/// A patch that renews a lease.
pub(super) fn renewal(name: &str, now: Timestamp) -> Value {
    json!({ "spec": { "holderIdentity": name, "renewTime": micro_time(now) } })
}

fn micro_time(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}

fn conditions(health: Health, since: Timestamp, now: Timestamp) -> Value {
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": kind,
            "status": status,
            "lastHeartbeatTime": time(now),
            "lastTransitionTime": time(since),
            "reason": reason,
            "message": message,
        })
    };
    let ready = match health {
        Health::Ready => {
            condition("Ready", "True", "KubeletReady", "kubelet is posting ready status")
        }
        Health::Unready => {
            condition("Ready", "False", "KubeletNotReady", "container runtime is down")
        }
    };
    json!([
        condition(
            "MemoryPressure",
            "False",
            "KubeletHasSufficientMemory",
            "kubelet has sufficient memory available"
        ),
        condition(
            "DiskPressure",
            "False",
            "KubeletHasNoDiskPressure",
            "kubelet has no disk pressure"
        ),
        condition(
            "PIDPressure",
            "False",
            "KubeletHasSufficientPID",
            "kubelet has sufficient PID available"
        ),
        ready,
    ])
}

/// Puts in what is not there.
fn fill<const N: usize>(object: &mut Map<String, Value>, members: [(&str, Value); N]) {
    for (name, value) in members {
        object.entry(name.to_owned()).or_insert(value);
    }
}
