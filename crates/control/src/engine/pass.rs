//! What a pass saw, decided and began, as one value for those who tell others about it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_cluster::{evict::Eviction, mirror::Staleness};
use plimsoll_model::{Group, Memory, Node, Order, Pod, PodName, Resources, ScaleUp, Symbol, World};
use plimsoll_plan::{Plan, Removal, Repair, RetirementReason};
use plimsoll_provider::{Class, OrderId};

use crate::settings::Settings;

/// A pass. Published when its actions have begun; what became of them is in [`News`] and in later passes.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Counted from the start of the process.
    pub number: u64,
    /// Why it was made.
    pub cause: Cause,
    /// The moment for which it decided.
    pub at: Timestamp,
    /// What keeps the plan from being acted on.
    pub held_back: Option<HeldBack>,
    /// What the user wants.
    pub settings: Arc<Settings>,
    /// What was seen.
    pub seen: Seen,
    /// What was decided, and why.
    pub plan: Arc<Plan>,
    /// What is remembered from here on.
    pub memory: Arc<Memory>,
    /// Groups that pods are kept away from, with the reason in words.
    pub steered: BTreeMap<Symbol, String>,
    /// What providers say of groups that are used although part of them could not be read.
    pub remarks: BTreeMap<Symbol, Vec<String>>,
    /// What was begun in this pass.
    pub begun: Begun,
    /// Increases that are not over, and those that ended lately.
    pub orders: Vec<Order<ScaleUp>>,
    /// Nodes on their way out.
    pub retirements: Vec<OpenRetirement>,
    /// How long its parts took.
    pub took: Took,
    /// The whole World, when somebody asked for it: see [`Handle::want_world`](super::Handle::want_world).
    pub world: Option<Arc<World>>,
}

/// Why a pass was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// `scan-interval` is over.
    Scan,
    /// Something changed in the cluster that calls for a decision.
    Cluster,
    /// A provider shows something new.
    Fleet,
    /// Something that an earlier pass began has ended.
    Outcome,
    /// The user wants something else than before.
    Settings,
    /// We have become the leader.
    Leading,
    /// Somebody asked for it.
    Asked,
}

/// What keeps a plan from being acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldBack {
    /// The user wants it told only.
    DryRun,
    /// What is known of the cluster is too old.
    Stale(Staleness),
    /// Orders of an earlier run are being placed again first.
    Resuming,
}

/// What was seen. The parts that are large are shared with the loop.
#[derive(Clone, Debug)]
pub struct Seen {
    /// All nodes, as they are in the cluster.
    pub nodes: Vec<Arc<Node>>,
    /// All groups, with the nodes of their machines.
    pub groups: Vec<Group>,
    /// Pods without a node.
    pub pending: Vec<Pod>,
    /// What the pods of each node ask for in all; nodes without pods are left out.
    pub requested: BTreeMap<Symbol, Resources>,
    /// How many pods there are in all.
    pub pods: usize,
    /// The uids of the pods that the plan speaks of.
    pub pod_uids: BTreeMap<PodName, Box<str>>,
    /// The uids of the nodes.
    pub node_uids: BTreeMap<Symbol, Box<str>>,
    /// What could not be read, and why.
    pub unreadable: Vec<String>,
}

/// What a pass began.
#[derive(Clone, Debug, Default)]
pub struct Begun {
    /// Increases.
    pub orders: Vec<OrderId>,
    /// Retirements.
    pub retirements: Vec<OrderId>,
    /// Repairs at providers.
    pub repairs: Vec<Repair>,
    /// Nodes without a machine that are being removed.
    pub removals: Vec<Removal>,
    /// What the plan wanted and was not begun, with the reason.
    pub left: Vec<String>,
}

/// A node on its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRetirement {
    /// The name of its order.
    pub id: OrderId,
    /// The node.
    pub node: Symbol,
    /// Its group.
    pub group: Symbol,
    /// Its machine.
    pub instance: Box<str>,
    /// Why it leaves, in words.
    pub why: String,
    /// Why it leaves; `None` for what an earlier run began and did not say.
    pub reason: Option<RetirementReason>,
    /// Whether pods have to leave it first.
    pub drains: bool,
    /// Whether it was to stay after all because somebody needs it. That is no failure.
    pub needed: bool,
    /// How far it has come, in a word: `Marking`, `Draining`, …
    pub stage: &'static str,
    /// Since when it is on its way.
    pub since: Timestamp,
    /// What it waits for, in words; empty when for nothing in particular.
    pub waits_for: String,
}

/// How long the parts of a pass took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Took {
    /// From the first change that called for it to its beginning.
    pub waited: Duration,
    /// To bring everything together.
    pub observe: Duration,
    /// To decide.
    pub plan: Duration,
    /// To begin what was decided.
    pub act: Duration,
}

/// Something that happened between passes. Every one is told, in order.
#[derive(Clone, Debug)]
pub enum News {
    /// A provider took an order.
    Placed(Order<ScaleUp>),
    /// A provider refused an order, or never answered.
    OrderFailed {
        /// The order.
        order: Order<ScaleUp>,
        /// What kind of failure.
        class: Class,
        /// The provider's own code.
        code: String,
    },
    /// The API server does not know what an order is, and we may not define it: nothing can be done. The next order is tried all
    /// the same.
    OrderUnwritten {
        /// Why.
        why: String,
    },
    /// A scale-up was held back because it was more than pods can need.
    ScaleUpHeldBack {
        /// Of which group.
        group: Symbol,
        /// By how many machines.
        machines: u32,
        /// Why.
        why: String,
    },
    /// A repair was made.
    Repaired(Repair),
    /// A repair could not be made.
    RepairFailed {
        /// The repair.
        repair: Repair,
        /// Why.
        message: String,
    },
    /// An eviction was tried.
    Evicted {
        /// From which node.
        node: Symbol,
        /// Which pod.
        pod: PodName,
        /// Its uid.
        uid: Option<Box<str>>,
        /// What became of it.
        outcome: Eviction,
    },
    /// A node began to leave.
    Leaving(OpenRetirement),
    /// A node is gone.
    Gone(OpenRetirement),
    /// A node stays after all.
    Released {
        /// Which.
        retirement: OpenRetirement,
        /// Why.
        why: String,
    },
    /// A mark was taken off a node that no order explained.
    Cleaned(Symbol),
}
