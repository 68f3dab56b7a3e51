//! Marks on nodes that mean something to the planner: taints that come and go by themselves, and accelerators.

use std::sync::LazyLock;

use plimsoll_model::{Node, Resources, Symbol, Taint, TaintSettings, Text};

/// We put it on a node when its drain begins.
pub(crate) const TO_BE_DELETED: &str = "ToBeDeletedByClusterAutoscaler";
/// We put it on a node that nobody needs, as advice to the scheduler.
pub(crate) const DELETION_CANDIDATE: &str = "DeletionCandidateOfClusterAutoscaler";

const STARTUP_PREFIXES: [&str; 2] = [
    "startup-taint.cluster-autoscaler.kubernetes.io/",
    // Its name in earlier releases.
    "ignore-taint.cluster-autoscaler.kubernetes.io/",
];
const STATUS_PREFIX: &str = "status-taint.cluster-autoscaler.kubernetes.io/";

/// Labels that promise an accelerator, the clouds' own ones first: their values are the types that limits name.
static ACCELERATOR_LABELS: LazyLock<[Symbol; 5]> = LazyLock::new(|| {
    [
        "cloud.google.com/gke-accelerator",
        "k8s.amazonaws.com/accelerator",
        "accelerator",
        "crusoe.ai/accelerator",
        "nvidia.com/gpu.product",
    ]
    .map(Symbol::new)
});

/// Roles whose nodes carry the cluster itself.
static CONTROL_PLANE: LazyLock<[Symbol; 3]> = LazyLock::new(|| {
    [
        "node-role.kubernetes.io/control-plane",
        "node-role.kubernetes.io/master",
        "node-role.kubernetes.io/etcd",
    ]
    .map(Symbol::new)
});

/// Whether the cluster itself runs on the node.
pub fn is_control_plane(node: &Node) -> bool {
    CONTROL_PLANE.iter().any(|role| node.labels.contains_key(*role))
}

/// Whether a node with this taint has not started: somebody will take it off when the node can be used.
pub(crate) fn is_startup_taint(taint: &Taint, settings: &TaintSettings) -> bool {
    let key = taint.key.as_str();
    STARTUP_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
        || settings.startup.contains(&taint.key)
        || settings.startup_prefixes.iter().any(|prefix| key.starts_with(prefix))
}

/// Whether the taint says how a node is doing and will not be on a new one.
pub(crate) fn is_status_taint(taint: &Taint, settings: &TaintSettings) -> bool {
    taint.key.as_str().starts_with(STATUS_PREFIX) || settings.status.contains(&taint.key)
}

/// Whether Kubernetes, the cloud or we ourselves put the taint on a node for the condition it is in.
pub(crate) fn is_condition_taint(taint: &Taint) -> bool {
    matches!(
        taint.key.as_str(),
        "node.kubernetes.io/not-ready"
            | "node.kubernetes.io/unreachable"
            | "node.kubernetes.io/unschedulable"
            | "node.kubernetes.io/memory-pressure"
            | "node.kubernetes.io/disk-pressure"
            | "node.kubernetes.io/pid-pressure"
            | "node.kubernetes.io/network-unavailable"
            | "node.cloudprovider.kubernetes.io/uninitialized"
            | "node.cloudprovider.kubernetes.io/shutdown"
            | "cloud.google.com/impending-node-termination"
            | "NodeWithImpairedVolumes"
            | TO_BE_DELETED
            | DELETION_CANDIDATE
    )
}

/// Whether the node still has a taint with which nodes begin, and which Kubernetes takes off a moment after they are ready.
pub(crate) fn is_closed_to_begin_with(node: &Node) -> bool {
    node.taints.iter().any(|taint| {
        matches!(
            taint.key.as_str(),
            "node.kubernetes.io/not-ready"
                | "node.kubernetes.io/network-unavailable"
                | "node.cloudprovider.kubernetes.io/uninitialized"
        )
    })
}

/// Whether the taint is of the node and the moment, and not of the group: a new node will not keep it.
pub(crate) fn is_passing_taint(taint: &Taint, settings: &TaintSettings) -> bool {
    is_startup_taint(taint, settings)
        || is_status_taint(taint, settings)
        || is_condition_taint(taint)
}

/// Whether the resource is an accelerator, or a slice of one.
pub(crate) fn is_gpu_resource(name: Symbol) -> bool {
    let Some((domain, device)) = name.as_str().split_once('/') else { return false };
    match domain {
        "nvidia.com" => device == "gpu" || device.starts_with("gpu.") || device.starts_with("mig-"),
        "amd.com" => device == "gpu",
        // Intel's plugin also counts what a device has: memory, compute and tiles are no devices.
        "gpu.intel.com" => {
            !matches!(device, "memory.max" | "millicores" | "tiles")
                && !device.ends_with("_monitoring")
        }
        "google.com" => device == "tpu",
        "habana.ai" => device == "gaudi" || device == "goya",
        _ => is_neuron(name),
    }
}

/// How many accelerators there are, of whatever kind.
pub(crate) fn gpus(resources: &Resources) -> i64 {
    let devices = || resources.iter().filter(|(name, _)| is_gpu_resource(*name));
    // The Neuron plugin shows the same silicon as devices and as cores.
    let neurons = devices().filter(|(name, _)| is_neuron(*name)).map(|(_, amount)| amount).max();
    devices()
        .filter(|(name, _)| !is_neuron(*name))
        .fold(neurons.unwrap_or(0), |sum, (_, amount)| sum.saturating_add(amount))
}

/// The type of accelerator that the node's labels promise.
pub(crate) fn accelerator_label(node: &Node) -> Option<&Text> {
    let found = ACCELERATOR_LABELS.iter().find_map(|key| node.labels.get(*key));
    found.filter(|kind| !kind.is_empty())
}

fn is_neuron(name: Symbol) -> bool {
    name.as_str().starts_with("aws.amazon.com/neuron")
}
