//! Nodes.

use jiff::Timestamp;

use crate::{Labels, Resources, Symbol, Taint};

/// A Kubernetes node, or what a new one of a group would look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: Symbol,
    /// Its labels.
    pub labels: Labels,
    /// Its taints, in the node's order.
    pub taints: Box<[Taint]>,
    /// Cordoned.
    pub unschedulable: bool,
    /// What pods may ask for.
    pub allocatable: Resources,
    /// What the machine has.
    pub capacity: Resources,
    /// How the infrastructure knows it; empty when it does not say.
    pub provider_id: Box<str>,
    /// When it registered.
    pub created: Timestamp,
    /// What its kubelet reports.
    pub conditions: Conditions,
    /// `cluster-autoscaler.kubernetes.io/scale-down-disabled: "true"`.
    pub keep: bool,
    /// Its Node object is being deleted.
    pub deleting: bool,
}

/// The conditions that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Ready is True. A node that reports no conditions at all counts as ready.
    pub ready: bool,
    /// When Ready last changed.
    pub ready_since: Option<Timestamp>,
    /// The network is not set up yet.
    pub network_unavailable: bool,
    /// Put to sleep by its infrastructure: neither ready nor unready.
    pub suspended: bool,
}

// === impl Conditions ===

impl Default for Conditions {
    fn default() -> Self {
        Self { ready: true, ready_since: None, network_unavailable: false, suspended: false }
    }
}

/// Label keys that have a meaning of their own.
pub mod label {
    /// The node's own name, so different on every node.
    pub const HOSTNAME: &str = "kubernetes.io/hostname";
    /// The zone.
    pub const ZONE: &str = "topology.kubernetes.io/zone";
    /// The region.
    pub const REGION: &str = "topology.kubernetes.io/region";
    /// The zone's name before Kubernetes 1.17.
    pub const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
    /// The region's name before Kubernetes 1.17.
    pub const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";
    /// Names the group that a node belongs to.
    pub const GROUP: &str = "plimsoll.dev/node-group";
}
