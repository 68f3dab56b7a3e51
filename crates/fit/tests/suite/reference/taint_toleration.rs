//! TaintToleration: each taint of the node that is more than advice has to be tolerated.

use plimsoll_model::{Effect, Node, PodShape, Taint};

use super::Cluster;

pub(super) fn rejects(_cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    !tolerates_all(pod, node)
}

/// Whether the pod tolerates all taints of the node that keep pods away.
pub(super) fn tolerates_all(pod: &PodShape, node: &Node) -> bool {
    node.taints.iter().all(|taint| is_advice(taint) || is_tolerated(pod, taint))
}

fn is_advice(taint: &Taint) -> bool {
    taint.effect == Effect::PreferNoSchedule
}

fn is_tolerated(pod: &PodShape, taint: &Taint) -> bool {
    pod.tolerations.iter().any(|toleration| toleration.tolerates(taint))
}
