//! NodePorts: no host port of the pod may be taken by a pod on the node.

use plimsoll_model::{HostPort, Node, PodShape};

use super::Cluster;

pub(super) fn rejects(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    let mut taken = cluster.pods_on(node).flat_map(|other| &other.ports);
    taken.any(|port| pod.ports.iter().any(|wanted| clash(port, wanted)))
}

/// All addresses (`None`) is a clash with any.
fn clash(left: &HostPort, right: &HostPort) -> bool {
    let same_address = match (left.ip, right.ip) {
        (Some(left), Some(right)) => left == right,
        _ => true,
    };
    same_address && left.protocol == right.protocol && left.port == right.port
}
