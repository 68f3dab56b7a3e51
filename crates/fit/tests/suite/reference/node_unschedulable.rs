//! NodeUnschedulable: a cordoned node takes only pods that tolerate the taint which a cordon stands for.

use plimsoll_model::{Effect, Node, PodShape, Symbol, Taint};

use super::Cluster;

pub(super) fn rejects(_cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    let cordon = Taint {
        key: Symbol::new("node.kubernetes.io/unschedulable"),
        value: Symbol::new(""),
        effect: Effect::NoSchedule,
    };
    node.unschedulable && !pod.tolerations.iter().any(|toleration| toleration.tolerates(&cordon))
}
