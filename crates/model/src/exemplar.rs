//! What nodes of a group looked like when there last were any.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{Node, PodShape, ResourceSlice, Symbol};

/// What is remembered of the nodes of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// What they looked like. Shared from pass to pass while it stays the same.
    pub exemplar: Arc<Exemplar>,
    /// Since when there has been none to look at; `None` while there is one. So what is remembered of a group that rests in
    /// itself does not change from pass to pass.
    pub gone_since: Option<Timestamp>,
}

/// A node that stands for the others of its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exemplar {
    /// The node, without all that was its own: name, hostname, age, cordon, passing taints.
    pub node: Node,
    /// Pods that ran on it and that no DaemonSet explains: static ones.
    pub pods: Box<[Arc<PodShape>]>,
    /// Devices of its own.
    pub slices: Arc<[Arc<ResourceSlice>]>,
    /// How many volumes it took, by driver.
    pub volume_limits: Arc<[(Symbol, i64)]>,
    /// What the provider said at that time that a new node would look like, without what is a single node's own.
    pub template: Option<Node>,
}
