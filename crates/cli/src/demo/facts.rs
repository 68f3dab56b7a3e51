//! What has been observed: everything that acts are judged by and that the view shows, at one moment.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use plimsoll_model::Money;

/// What is so at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Since the beginning.
    pub(super) at: Duration,
    /// Whether the autoscaler has looked at the cluster, and found a node of its own.
    pub(super) awake: bool,
    /// What runs, by name.
    pub(super) services: BTreeMap<String, Service>,
    pub(super) groups: Vec<Group>,
    pub(super) nodes: Vec<Node>,
    /// Pods that do not run yet, the oldest first.
    pub(super) pending: Vec<Waiting>,
    /// Machines that were bought, by group.
    pub(super) bought: BTreeMap<String, u32>,
    /// Machines that were given back, by group.
    pub(super) returned: BTreeMap<String, u32>,
    /// Nodes whose machines were made to die.
    pub(super) killed: Vec<String>,
    /// What all machines cost an hour.
    pub(super) rate: Money,
    /// The most they cost an hour until now.
    pub(super) peak: Money,
}

/// A Deployment or a Job, and its pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Service {
    /// How many pods there are to be.
    pub(super) wanted: u32,
    pub(super) running: u32,
    /// Pods that have done their work.
    pub(super) done: u32,
    /// Running pods by zone.
    pub(super) zones: BTreeMap<String, u32>,
}

/// A group of machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) id: String,
    pub(super) min: u32,
    pub(super) max: u32,
    /// Machines that there are or are coming, those that leave left out.
    pub(super) size: u32,
    /// Those of them that have not come up yet.
    pub(super) booting: u32,
    pub(super) price: Money,
    /// What a person should know about it: that it is sold out, or rests.
    pub(super) note: String,
}

/// A node, or a machine that will be one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) group: String,
    pub(super) zone: String,
    pub(super) state: NodeState,
    pub(super) pods: usize,
    /// What its pods belong to.
    pub(super) services: BTreeSet<String>,
    /// How much of what pods may ask for is taken, in thousandths, of the resource of which the most is taken.
    pub(super) load: u32,
    /// How much of the machine pods may ask for, in thousandths: where the load line is.
    pub(super) line: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NodeState {
    #[default]
    Ready,
    /// The machine was bought, and there is no node yet.
    Booting,
    NotReady,
    /// On its way out.
    Leaving,
}

/// A pod that does not run yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) pod: String,
    pub(super) since: Duration,
}

// === impl Facts ===

impl Facts {
    /// Whether every group is as small as it may be, and nothing is on its way out.
    pub(super) fn is_at_rest(&self) -> bool {
        self.groups.iter().all(|group| group.size <= group.min)
            && self.nodes.iter().all(|node| node.state != NodeState::Leaving)
    }

    /// Whether everything runs that is wanted.
    pub(super) fn is_served(&self) -> bool {
        self.pending.is_empty() && self.services.values().all(Service::is_full)
    }
}

// === impl Service ===

impl Service {
    pub(super) fn is_full(&self) -> bool {
        self.running + self.done >= self.wanted
    }
}

/// A length of time as people say it: `4.2 s`.
pub(super) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// So many machines.
pub(super) fn machines(count: u32) -> String {
    format!("{count} machine{}", if count == 1 { "" } else { "s" })
}
