//! What a new node of a host group looks like.

use std::sync::Arc;

use plimsoll_model::{Labels, Node, Resources, Symbol, resource};

use super::{config::GroupConfig, userdata, wire::HostGroup};
use crate::template::new_node;

/// What the device plugin of the GPUs offers.
const GPU: &str = "nvidia.com/gpu";

/// As many pods as a kubelet takes unless it is told otherwise.
const DEFAULT_PODS: i64 = 110;

/// How the kubelet is told otherwise.
const MAX_PODS: &str = "--kubelet-arg=max-pods=";

const GIB: i64 = 1024 * 1024 * 1024;

/// What k3s says of every node.
const INSTANCE_TYPE: (&str, &str) = ("node.kubernetes.io/instance-type", "k3s");

/// Kubernetes' name of an architecture; `None` for one that is not known.
pub(super) fn architecture(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().as_str() {
        "x86_64" | "amd64" => Some("amd64"),
        "aarch64" | "arm64" => Some("arm64"),
        _ => None,
    }
}

/// What a new node looks like; the error says what the host left out.
pub(super) fn node(group: &GroupConfig, host: &HostGroup) -> Result<Arc<Node>, String> {
    let memory = host.ram_bytes.or_else(|| host.ram_gb?.checked_mul(GIB));
    let cpus = host.cpus.filter(|cpus| *cpus > 0).and_then(|cpus| cpus.checked_mul(1000));
    let (Some(cpus), Some(memory)) = (cpus, memory.filter(|memory| *memory > 0)) else {
        return Err(format!("the host does not say how large machines of {} are", host.name));
    };
    let pods = (group.k3s_arguments.iter())
        .find_map(|argument| argument.strip_prefix(MAX_PODS)?.parse().ok())
        .unwrap_or(DEFAULT_PODS);
    let gpus = host.gpu_count.filter(|gpus| *gpus > 0).map(|gpus| (GPU, gpus));
    let amounts = [(resource::CPU, cpus), (resource::MEMORY, memory), (resource::PODS, pods)];
    let amounts = amounts.into_iter().chain(gpus);
    let capacity =
        Resources::from_amounts(amounts.map(|(name, amount)| (Symbol::new(name), amount)));
    // An architecture that has no other name in Kubernetes is called as the host calls it.
    let arch = group.arch.as_deref().or_else(|| {
        let arch = host.arch.as_deref().filter(|arch| !arch.is_empty())?;
        Some(architecture(arch).unwrap_or(arch))
    });
    let common = [
        ("kubernetes.io/os", "linux"),
        ("kubernetes.io/arch", arch.unwrap_or("amd64")),
        INSTANCE_TYPE,
        (userdata::HOST_GROUP, &*group.name),
        (userdata::NODE_TYPE, userdata::AGENT),
    ];
    let own = group.labels.iter().map(|(key, value)| (&**key, &**value));
    let labels = common.into_iter().chain(own);
    let labels: Labels =
        labels.map(|(key, value)| (Symbol::new(key), Symbol::new(value))).collect();
    let (name, taints) = (Symbol::new(&group.name), group.taints.clone().into());
    Ok(Arc::new(new_node(name, labels, taints, capacity.clone(), capacity)))
}
