//! NodeName: a pod with `spec.nodeName` goes there and nowhere else.

use plimsoll_model::{Node, PodShape};

use super::Cluster;

pub(super) fn rejects(_cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    pod.pinned_to.is_some_and(|name| name != node.name)
}
