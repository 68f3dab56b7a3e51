//! What a new node of a host group looks like.

use std::sync::Arc;

use plimsoll_model::{Labels, Node, Symbol};

use super::{
    config::GroupConfig,
    kubelet::{Kubelet, Nominal},
    userdata,
    wire::HostGroup,
};
use crate::template::new_node;

/// What the device plugin of the GPUs offers.
const GPU: &str = "nvidia.com/gpu";

/// The type of GPUs where the configuration names none.
const SOME_GPU: &str = "nvidia";

/// As large as a disk is at least: hosts do not tell, and a node with less than this hardly starts.
const SMALLEST_DISK: i64 = 10 * GIB;

const GIB: i64 = 1024 * 1024 * 1024;

/// What k3s says of every node.
const INSTANCE_TYPE: &str = "k3s";

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
    let storage = group.storage.unwrap_or(SMALLEST_DISK);
    let kubelet = Kubelet::read(group.k3s_arguments.iter().map(|argument| &**argument));
    let (mut capacity, mut allocatable) = kubelet.report(Nominal { cpu: cpus, memory, storage });
    let gpus = host.gpu_count.unwrap_or_default().max(0);
    if gpus > 0 {
        capacity.add(Symbol::new(GPU), gpus);
        allocatable.add(Symbol::new(GPU), gpus);
    }
    // An architecture that has no other name in Kubernetes is called as the host calls it.
    let arch = group.arch.as_deref().or_else(|| {
        let arch = host.arch.as_deref().filter(|arch| !arch.is_empty())?;
        Some(architecture(arch).unwrap_or(arch))
    });
    let arch = arch.unwrap_or("amd64");
    // Kubelets still say these in the words of the time before they were settled, and so do pods.
    let common = [
        ("kubernetes.io/os", "linux"),
        ("beta.kubernetes.io/os", "linux"),
        ("kubernetes.io/arch", arch),
        ("beta.kubernetes.io/arch", arch),
        ("node.kubernetes.io/instance-type", INSTANCE_TYPE),
        ("beta.kubernetes.io/instance-type", INSTANCE_TYPE),
        (userdata::HOST_GROUP, &*group.name),
        (userdata::NODE_TYPE, userdata::AGENT),
    ];
    let gpu_type = (gpus > 0).then(|| group.gpu_type.as_deref().unwrap_or(SOME_GPU));
    let gpu = gpu_type.map(|kind| (userdata::GPU, kind));
    let own = group.labels.iter().map(|(key, value)| (&**key, &**value));
    let labels = common.into_iter().chain(gpu).chain(own);
    let labels: Labels =
        labels.map(|(key, value)| (Symbol::new(key), Symbol::new(value))).collect();
    let (name, taints) = (Symbol::new(&group.name), group.taints.clone().into());
    Ok(Arc::new(new_node(name, labels, taints, capacity, allocatable)))
}
