//! The Plan: what to do, and for every pod, node and group why.

use std::sync::Arc;

use plimsoll_fit::Rejection;
use plimsoll_model::{
    Condition, Contested, Memory, Money, OrderId, PodName, Question, StandIn, Symbol, Timestamp,
};

pub use self::{
    blocked::{BlockReason, Blocked, PodBlockReason},
    place::Place,
};
use crate::buffers::BufferReport;

mod blocked;
mod carried_out;
mod place;

/// What a pass decided. Every list is sorted by its fields in the order they stand.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Groups to grow.
    pub purchases: Vec<Purchase>,
    /// Nodes to give back.
    pub retirements: Vec<Retirement>,
    /// What to put right at the providers.
    pub repairs: Vec<Repair>,
    /// Nodes without a machine, to be deleted as objects.
    pub removals: Vec<Removal>,
    /// Machines that more than one node claims: none of these nodes is touched.
    pub contested: Vec<Contested>,
    /// Nodes that nobody needs, with the moment that began.
    pub unneeded: Vec<Unneeded>,
    /// Nodes that stay, with the reason that decided.
    pub blocked: Vec<Blocked>,
    /// Pods without a node, and what becomes of them.
    pub pods: Vec<PodReport>,
    /// Requests for room that are ours to serve, and what becomes of them.
    pub requests: Vec<RequestReport>,
    /// Groups as the pass found them.
    pub groups: Vec<GroupReport>,
    /// Scale-ups of the World whose machines are still expected. The others have ended: their machines are there, or will not come.
    pub open_orders: Vec<OrderId>,
    /// CapacityQuotas, and what is used of them.
    pub quotas: Vec<QuotaReport>,
    /// That most machines have no node: then none of those that may have had one is deleted for it.
    pub contradiction: Option<Contradiction>,
    /// Whether the cluster as a whole can be trusted.
    pub healthy: bool,
    /// The cost of all nodes per hour, as it is and as it will be.
    pub cost: Cost,
    /// Where the plan puts each pod it has a place for, in an order in which each is admissible when it is made.
    pub placements: Vec<Placement>,
    /// Room that the plan keeps for pods that do not exist.
    pub kept: Vec<Kept>,
    /// CapacityBuffers that are ours.
    pub buffers: Vec<BufferReport>,
    /// What the next pass has to remember.
    pub memory: Memory,
    /// What the user's service would have to be asked to choose as they want it. While there is a question the purchases are
    /// provisional: with the answer in the World the plan may be another.
    pub questions: Vec<Question>,
}

/// A group to grow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Purchase {
    /// The group.
    pub group: Symbol,
    /// Its target, after repairs.
    pub from: u32,
    /// Its new target.
    pub to: u32,
    /// The pods without a node that get their place by it.
    pub pods: Vec<PodName>,
}

/// A node to give back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Retirement {
    /// The node.
    pub node: Symbol,
    /// Its group.
    pub group: Symbol,
    /// Why it can go.
    pub why: RetirementReason,
    /// Pods to evict from it.
    pub evict: Vec<PodName>,
}

/// Why a node can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RetirementReason {
    /// Nothing runs on it.
    Empty,
    /// Little runs on it, and that has another place.
    Underutilized,
    /// It has been unready for too long.
    Unready,
    /// Its pods fit on fewer or cheaper nodes.
    Consolidate,
    /// Its time is up.
    Rotate,
}

/// Something to put right at a provider.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// An instance that will not become a node.
    DeleteInstance {
        /// The group.
        group: Symbol,
        /// The instance.
        instance: Box<str>,
        /// In words.
        why: String,
    },
    /// A target above what is there and what is coming.
    LowerTarget {
        /// The group.
        group: Symbol,
        /// The target.
        from: u32,
        /// The new target.
        to: u32,
        /// In words.
        why: String,
    },
    /// A group below its minimum.
    RaiseToMin {
        /// The group.
        group: Symbol,
        /// The target.
        from: u32,
        /// The minimum.
        to: u32,
    },
}

/// A Node to delete: its machine has been gone for long enough.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Removal {
    /// The node.
    pub node: Symbol,
    /// The group that its machine was of.
    pub group: Symbol,
    /// The machine.
    pub instance: Box<str>,
    /// Since when nothing has been heard of it.
    pub unready: Timestamp,
}

/// A node that nobody needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unneeded {
    /// The node.
    pub node: Symbol,
    /// Since when.
    pub since: Timestamp,
}

/// Room that is kept on a node for pods that do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kept {
    /// The node.
    pub node: Place,
    /// What they stand for.
    pub stands_for: StandIn,
    /// How many of them.
    pub pods: u32,
}

/// What becomes of a pod without a node.
#[derive(Clone, Debug)]
pub struct PodReport {
    /// The pod.
    pub pod: PodName,
    /// What becomes of it.
    pub outcome: Outcome,
    /// The group that grows for it.
    pub group: Option<Symbol>,
    /// The node that takes it, with `FitsExisting` and `Nominated`.
    pub node: Option<Place>,
    /// When no group takes it: what each has against it, sorted by group. Pods of one shape share the list.
    pub rejections: Arc<[GroupRejection]>,
}

/// What becomes of a pod without a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// A group grows for it.
    TriggeredScaleUp,
    /// A node that is here or on its way takes it.
    FitsExisting,
    /// The scheduler has chosen a node for it.
    Nominated,
    /// Some group could take it, but not in this pass.
    AwaitsNextPass,
    /// No group's node would ever take it.
    NoGroupFits,
    /// It is too young to buy for.
    TooYoung,
    /// It consumes a request for room, and room is found for the request and not for the pod.
    ConsumesRequest,
    /// Its priority is too low to buy for.
    Expendable,
    /// It is somebody else's business: a DaemonSet's, gated, or of a foreign scheduler.
    Ignored,
}

/// What a group has against a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRejection {
    /// The group.
    pub group: Symbol,
    /// Its reason.
    pub reason: GroupReason,
}

/// Why a group does not grow for a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupReason {
    /// The scheduler would not put the pod on its node: the first filter that objects.
    Filter(Rejection),
    /// It is as large as it may be.
    MaxSizeReached {
        /// The maximum.
        max: u32,
    },
    /// It rests after a failure.
    Backoff {
        /// Until when.
        until: Timestamp,
        /// The failure's code.
        code: Box<str>,
    },
    /// Too many of its nodes are not ready.
    Unhealthy,
    /// Nothing may be done with it: its provider cannot be read.
    Frozen {
        /// Why.
        reason: Box<str>,
    },
    /// Its provider has no more machines of this kind, or not enough for a group that grows in one piece.
    OutOfStock {
        /// How many there are.
        stock: u32,
    },
    /// A limit of the whole cluster stands in the way.
    QuotaExceeded {
        /// The flag that sets it, or `CapacityQuota/NAME`.
        limit: Symbol,
    },
    /// One scale-up of the group brings no more machines than this pass has ordered already.
    ScaleUpLimitReached {
        /// The flag that sets the limit.
        flag: &'static str,
    },
    /// The pass had no time left to look at the pod.
    TimeLimitReached {
        /// The flag that sets the limit.
        flag: &'static str,
    },
    /// The user switched off what would be needed.
    SwitchedOff {
        /// The flag.
        flag: &'static str,
    },
    /// Nobody knows what its nodes look like.
    NoTemplate,
    /// It could take the pod, but another choice was made in this pass.
    NotChosen,
    /// The cluster as a whole is unhealthy, so nothing is bought.
    ClusterUnhealthy,
}

/// A request for room, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestReport {
    /// Its place in the World's list.
    pub place: usize,
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Its uid.
    pub uid: Box<str>,
    /// How far it has come.
    pub state: RequestState,
    /// All its conditions, as they should be.
    pub conditions: Vec<Condition>,
    /// Whether they are other ones than those that it has.
    pub is_news: bool,
}

/// How far a request for room has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestState {
    /// Room is looked for again.
    Waits {
        /// Not before this moment.
        until: Timestamp,
    },
    /// Room was found, and is kept.
    Booked {
        /// Until when.
        until: Timestamp,
    },
    /// Nothing is done about it any more.
    Over,
    /// It has been over for so long that nobody asks after it: it is to be deleted.
    Outlived,
}

/// A CapacityQuota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaReport {
    /// Its name.
    pub name: Symbol,
    /// By resource that is limited, in the scheduler's units: what the nodes that are there come to.
    pub used: Box<[(Symbol, i64)]>,
    /// The generation that was looked at.
    pub generation: i64,
    /// Since when it has been looked at.
    pub since: Timestamp,
}

/// A group as the pass found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupReport {
    /// Its id.
    pub id: Symbol,
    /// Whether it can be used.
    pub health: GroupHealth,
    /// How many machines were asked for.
    pub target: u32,
    /// Nodes that are ready.
    pub ready: u32,
    /// Machines that are on their way.
    pub upcoming: u32,
    /// Machines without a node that are not deleted for now.
    pub held: Option<Held>,
}

/// Machines without a node that would be deleted, had they not possibly had one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// How many.
    pub machines: u32,
    /// What keeps them.
    pub reason: HoldReason,
}

/// Why machines without a node are not deleted for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldReason {
    /// Most machines have no node, so it is the nodes that are doubted: see [`Plan::contradiction`].
    Contradiction,
    /// As many as may be deleted within an hour have been.
    HourlyLimit,
}

/// Most machines that should have a node have none: the API server is empty, was rebuilt, or is another cluster's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// How many machines should have a node.
    pub machines: u32,
    /// How many of them have none.
    pub without_node: u32,
    /// Since when.
    pub since: Timestamp,
}

/// Whether a group can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupHealth {
    /// It can.
    Healthy,
    /// It is left alone: its provider cannot be read.
    Frozen {
        /// Why.
        reason: Box<str>,
    },
    /// Too many of its nodes are not ready.
    Unhealthy,
    /// It rests after a failure.
    Backoff {
        /// Until when.
        until: Timestamp,
        /// The failure's code.
        code: Box<str>,
    },
}

/// The cost of all nodes per hour. Nodes of no group have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// As it is.
    pub before: Money,
    /// As it will be.
    pub after: Money,
}

/// A pod's place in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The pod.
    pub pod: PodName,
    /// The node.
    pub node: Place,
}
