//! Groups: machines of one kind that a provider can grow and shrink.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::{Money, Node, Symbol};

/// A group as its provider reports it.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name, unique over all providers.
    pub id: Symbol,
    /// It is never shrunk below this.
    pub min: u32,
    /// It is never grown above this.
    pub max: u32,
    /// How many machines were asked for, those being deleted left out.
    pub target: u32,
    /// The price of a node, when the provider knows it.
    pub price: Option<Money>,
    /// What a new node looks like, when the provider can tell.
    pub template: Option<Arc<Node>>,
    /// Its machines.
    pub instances: Vec<Instance>,
    /// Settings of its own, or those that hold for all.
    pub options: GroupOptions,
    /// How many more machines can be had, when the provider knows.
    pub stock: Option<u32>,
    /// Why nothing may be done with it: its provider cannot be read, or what it said is too old. What was last seen of it
    /// still counts.
    pub frozen: Option<Box<str>>,
}

/// A machine at a provider.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The provider's name for it.
    pub id: Box<str>,
    /// The node it became.
    pub node: Option<Symbol>,
    /// What it is doing.
    pub state: InstanceState,
    /// When it was asked for, if known.
    pub created: Option<Timestamp>,
    /// Why it will not come up.
    pub error: Option<InstanceError>,
}

/// What a machine is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceState {
    /// It runs.
    Running,
    /// It is being made.
    Creating,
    /// It is being deleted.
    Deleting,
}

/// Why a machine will not come up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceError {
    /// What kind of failure.
    pub class: ErrorClass,
    /// The provider's code.
    pub code: Box<str>,
    /// The provider's words.
    pub message: Box<str>,
}

/// Kinds of failure that are treated differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// The provider has no such machine left, or a quota is used up.
    OutOfResources,
    /// Anything else.
    Other,
}

/// Settings that a group may override.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupOptions {
    /// `scale-down-unneeded-time`.
    pub unneeded_time: SignedDuration,
    /// `scale-down-unready-time`.
    pub unready_time: SignedDuration,
    /// `scale-down-utilization-threshold`.
    pub utilization_threshold: f64,
    /// `scale-down-gpu-utilization-threshold`.
    pub gpu_utilization_threshold: f64,
    /// `ignore-daemonsets-utilization`.
    pub ignore_daemon_sets: bool,
    /// `max-node-provision-time`: an instance has to become a node within it.
    pub provision_time: SignedDuration,
    /// `max-node-startup-time`: a node has to become ready within it.
    pub startup_time: SignedDuration,
    /// `zero-or-max-node-scaling`: it grows to its maximum and shrinks to nothing, in one piece.
    pub atomic: bool,
}

// === impl GroupOptions ===

impl Default for GroupOptions {
    fn default() -> Self {
        Self {
            unneeded_time: SignedDuration::from_mins(10),
            unready_time: SignedDuration::from_mins(20),
            utilization_threshold: 0.5,
            gpu_utilization_threshold: 0.5,
            ignore_daemon_sets: false,
            provision_time: SignedDuration::from_mins(15),
            startup_time: SignedDuration::from_mins(15),
            atomic: false,
        }
    }
}
