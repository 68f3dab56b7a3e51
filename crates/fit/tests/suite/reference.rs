//! The scheduler's filters once more, slow and obvious.
//!
//! Written from the notes beside the scheduling vectors, as plain loops over all nodes and pods: no counters, caches or
//! indexes, and nothing of the crate under test but the names of its plugins. The vectors say whether this is right; the
//! property tests then ask whether the snapshot, after any history, says the same.

use std::sync::Arc;

use plimsoll_fit::Plugin;
use plimsoll_model::{Namespaces, Node, PodShape, Storage, Symbol};

pub(crate) use node_resources_fit::free;

mod claims;
mod inter_pod_affinity;
mod node_affinity;
mod node_name;
mod node_ports;
mod node_resources_fit;
mod node_unschedulable;
mod node_volume_limits;
mod pod_topology_spread;
mod taint_toleration;
mod volume_binding;
mod volume_restrictions;
mod volume_zone;

/// A cluster as a list of what is there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cluster {
    /// Namespaces that somebody listed.
    pub(crate) namespaces: Namespaces,
    /// The storage objects.
    pub(crate) storage: Storage,
    /// The nodes in the order they came.
    pub(crate) nodes: Vec<Arc<Node>>,
    /// The pods, each with the name of its node.
    pub(crate) pods: Vec<(Arc<PodShape>, Symbol)>,
}

/// Whether the filter keeps the pod off the node.
type Filter = fn(&Cluster, &PodShape, &Node) -> bool;

/// All filters, in profile order.
const FILTERS: [(Plugin, Filter); 12] = [
    (Plugin::NodeUnschedulable, node_unschedulable::rejects),
    (Plugin::NodeName, node_name::rejects),
    (Plugin::TaintToleration, taint_toleration::rejects),
    (Plugin::NodeAffinity, node_affinity::rejects),
    (Plugin::NodePorts, node_ports::rejects),
    (Plugin::NodeResourcesFit, node_resources_fit::rejects),
    (Plugin::VolumeRestrictions, volume_restrictions::rejects),
    (Plugin::NodeVolumeLimits, node_volume_limits::rejects),
    (Plugin::VolumeBinding, volume_binding::rejects),
    (Plugin::VolumeZone, volume_zone::rejects),
    (Plugin::PodTopologySpread, pod_topology_spread::rejects),
    (Plugin::InterPodAffinity, inter_pod_affinity::rejects),
];

/// Every filter that keeps the pod off the node, in profile order; none means that it fits.
pub(crate) fn rejecting_plugins(cluster: &Cluster, pod: &PodShape, node: &Node) -> Vec<Plugin> {
    let rejecting = FILTERS.iter().filter(|(_, rejects)| rejects(cluster, pod, node));
    rejecting.map(|(plugin, _)| *plugin).collect()
}

// === impl Cluster ===

impl Cluster {
    /// The node of that name.
    pub(crate) fn node(&self, name: Symbol) -> Option<&Arc<Node>> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// The pods on a node.
    fn pods_on(&self, node: &Node) -> impl Iterator<Item = &PodShape> {
        let name = node.name;
        self.pods.iter().filter(move |(_, on)| *on == name).map(|(pod, _)| pod.as_ref())
    }

    /// All pods with their nodes.
    fn pods_with_nodes(&self) -> impl Iterator<Item = (&PodShape, &Node)> {
        self.pods.iter().filter_map(|(pod, on)| Some((pod.as_ref(), self.node(*on)?.as_ref())))
    }
}
