//! NodeResourcesFit: a free slot for the pod, and as much as it asks for of each resource.

use plimsoll_model::{Node, PodShape, Symbol, resource};

use super::Cluster;

pub(super) fn rejects(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    let slots = free(cluster, node, Symbol::new(resource::PODS));
    slots < 1 || pod.requests.iter().any(|(name, amount)| amount > free(cluster, node, name))
}

/// What the pods on the node leave; negative when the node is overcommitted. Every pod takes a slot.
pub(crate) fn free(cluster: &Cluster, node: &Node, name: Symbol) -> i64 {
    let mut free = node.allocatable.get(name);
    for other in cluster.pods_on(node) {
        free -= if name.as_str() == resource::PODS { 1 } else { other.requests.get(name) };
    }
    free
}
