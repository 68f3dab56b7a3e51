//! The filters of kube-scheduler's default profile, one file a plugin.
//!
//! Each file answers twice: quickly whether a node will do, and in full what stands in the way. Labels, taints and cordon
//! are one lookup in the quick answer, see `gates.rs`.

mod dynamic_resources;
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

use plimsoll_model::{Extent, Plugin, PodShape};

pub use self::{volume_binding::BindingProblem, volume_restrictions::Restriction};

use crate::{
    Rejection, Snapshot,
    ids::{NodeId, ShapeId},
    shapes::ShapeEntry,
    snapshot::Standing,
};

/// What a filter looks at: a shape and a node of a snapshot.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub snapshot: &'a Snapshot,
    pub shape: &'a PodShape,
    pub entry: &'a ShapeEntry,
    pub node: NodeId,
}

// === impl Question ===

impl Question<'_> {
    /// How much of a plugin is at work.
    fn extent(self, plugin: Plugin) -> Extent {
        self.snapshot.profile.extent(plugin)
    }

    /// Whether a plugin looks at the node at all.
    fn concerns(self, plugin: Plugin) -> bool {
        self.snapshot.profile.filters(plugin)
    }
}

impl Snapshot {
    /// Whether the scheduler would put a pod of this shape on the node.
    pub fn fits(&self, shape: ShapeId, node: NodeId) -> bool {
        self.fits_entry(self.shapes.entry(shape), shape, node)
    }

    /// Everything that keeps a pod of this shape from the node, in the order of the profile; nothing if it fits.
    ///
    /// The scheduler itself stops at the first. A closed node is judged as if it were open.
    pub fn judge(&self, shape: ShapeId, node: NodeId) -> Vec<Rejection> {
        let (entry, shape) = (self.shapes.entry(shape), self.shapes.shape(shape));
        let question = Question { snapshot: self, shape, entry, node };
        [
            node_unschedulable::judge(question),
            node_name::judge(question),
            taint_toleration::judge(question),
            node_affinity::judge(question),
            node_ports::judge(question),
            node_resources_fit::judge(question),
            volume_restrictions::judge(question),
            node_volume_limits::judge(question),
            volume_binding::judge(question),
            volume_zone::judge(question),
            pod_topology_spread::judge(question),
            inter_pod_affinity::judge(question),
            dynamic_resources::judge(question),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// `fits` for callers that hold the entry already. Cheap and often decisive questions come first.
    pub(crate) fn fits_entry(&self, entry: &ShapeEntry, shape: ShapeId, node: NodeId) -> bool {
        let row = &self.rows[node.index()];
        if row.standing != Standing::Open
            || !self.capacity.takes(node, &entry.asks)
            || !self.gates.is_open(entry.gate, node, &row.node)
        {
            return false;
        }
        let shape = self.shapes.shape(shape);
        let question = Question { snapshot: self, shape, entry, node };
        fits_alone(question)
            && pod_topology_spread::fits(question)
            && inter_pod_affinity::fits(question)
    }

    /// Whether the node would take a pod of this shape if no other pod had to be near, away or evenly spread: everything
    /// but PodTopologySpread and InterPodAffinity. What is refused here, placing other pods will not cure, unless they share
    /// its volumes.
    pub fn fits_alone(&self, shape: ShapeId, node: NodeId) -> bool {
        let (entry, shape) = (self.shapes.entry(shape), self.shapes.shape(shape));
        let row = &self.rows[node.index()];
        row.standing == Standing::Open
            && self.capacity.takes(node, &entry.asks)
            && self.gates.is_open(entry.gate, node, &row.node)
            && fits_alone(Question { snapshot: self, shape, entry, node })
    }
}

/// Name, ports, volumes and devices: what is left after labels, taints and resources.
fn fits_alone(question: Question<'_>) -> bool {
    node_name::fits(question)
        && node_ports::fits(question)
        && (question.shape.volumes.is_empty()
            || (volume_restrictions::judge(question).is_none()
                && node_volume_limits::judge(question).is_none()
                && volume_binding::judge(question).is_none()
                && volume_zone::judge(question).is_none()))
        && dynamic_resources::fits(question)
}
