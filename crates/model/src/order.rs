//! Orders: what was decided and is written down before anything is touched.
//!
//! One order is one value of this type, from the decision over the NodeOrder object in the cluster, which is its serialisation, to
//! what users are shown of it. Its id tells it from every other order of all time; nothing is ever joined to an order by a time, a
//! group or a name that can come again.

use std::fmt;

use jiff::Timestamp;

use crate::Symbol;

/// The name of an order: unique for all time, chosen before anything is touched.
///
/// Lower-case letters, digits and dashes, at most 63 of them, so that it can be a label, a tag or part of a name everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OrderId(Box<str>);

/// An order and how far it has come. `Order<ScaleUp>` is one of which it is known what it is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order<I = Intent> {
    /// The name of the order; for a scale-up also the name under which the provider knows it.
    pub id: OrderId,
    /// The name of the provider that has the group; `None` for an order of a version that did not write it down.
    pub provider: Option<Box<str>>,
    /// What is to be done. It never changes.
    pub intent: I,
    /// How far it has come.
    pub phase: OrderPhase,
    /// When it was decided.
    pub created: Timestamp,
    /// Since when it has been in its phase.
    pub since: Timestamp,
    /// What the provider said when it refused or did not answer; empty otherwise.
    pub message: String,
    /// How many machines the provider made for a scale-up, once it has accepted it.
    pub made: Option<u32>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Make a group larger.
    ScaleUp(ScaleUp),
    /// Drain a node, delete its machine, then the Node.
    RemoveNode(RemoveNode),
    /// Delete a machine that is no node.
    DeleteMachine(DeleteMachine),
}

/// A group to make larger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaleUp {
    /// The group.
    pub group: Symbol,
    /// How many machines are added.
    pub count: u32,
    /// The target size when this was decided. A service that does not keep the names of orders tells by it whether this one was
    /// served.
    pub from: u32,
    /// The uids of the pods that it is for; empty when it is for no pods in particular.
    pub pods: Vec<Box<str>>,
    /// The reason in a few words.
    pub why: String,
}

/// A node to remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoveNode {
    /// The group of the machine.
    pub group: Symbol,
    /// The node.
    pub node: Symbol,
    /// The uid of the Node: another one of that name is not meant. `None` for an order of a version that did not write it down.
    pub node_uid: Option<Box<str>>,
    /// The provider's id of the machine.
    pub instance: Box<str>,
    /// Whether the node was cordoned before: then it stays cordoned if it stays.
    pub was_closed: bool,
    /// Whether cheaper nodes were ordered for its pods.
    pub replaced: bool,
    /// The reason in a few words.
    pub why: String,
    /// The reason in a word for programs.
    pub reason: Option<String>,
    /// Whether pods have to be evicted from it first.
    pub drains: bool,
}

/// A machine without a node to delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteMachine {
    /// The group of the machine.
    pub group: Symbol,
    /// The provider's id of the machine.
    pub instance: Box<str>,
    /// The reason in a few words.
    pub why: String,
}

/// How far an order has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OrderPhase {
    /// Scale-up: the provider has not answered yet, or the answer was lost.
    Wanted,
    /// Scale-up: the provider has accepted it.
    Placed,
    /// Removal: the node is to be tainted, or is.
    Marked,
    /// Removal: the pods of the node are evicted.
    Draining,
    /// Removal, deletion of a machine: the provider is asked to delete the machine.
    Deleting,
    /// It is done.
    Done,
    /// Scale-up, deletion of a machine: the provider refused it.
    Failed,
    /// Removal: the node stays.
    Released,
}

// === impl OrderId ===

impl OrderId {
    /// The longest name that is a label value everywhere.
    pub const LONGEST: usize = 63;

    /// `None` for text that cannot be the name of an order.
    pub fn new(text: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = (1..=Self::LONGEST).contains(&text.len());
        let is_name = text.bytes().all(|byte| is_plain(byte) || byte == b'-');
        let ends_plain = text.bytes().next().is_some_and(is_plain)
            && text.bytes().next_back().is_some_and(is_plain);
        (fits && is_name && ends_plain).then(|| Self(text.into()))
    }

    /// The name of the order with this number among those of a described world, in which orders have no names.
    pub fn numbered(number: usize) -> Self {
        Self(format!("order-{number}").into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// === impl Order ===

impl<I> Order<I> {
    /// An order that is about to be written.
    pub const fn new(id: OrderId, intent: I, phase: OrderPhase, now: Timestamp) -> Self {
        Self {
            id,
            provider: None,
            intent,
            phase,
            created: now,
            since: now,
            message: String::new(),
            made: None,
        }
    }

    fn with<J>(self, intent: J) -> Order<J> {
        let Self { id, provider, intent: _, phase, created, since, message, made } = self;
        Order { id, provider, intent, phase, created, since, message, made }
    }
}

impl Order {
    /// The order as a scale-up, if it is one.
    pub fn as_scale_up(&self) -> Option<Order<ScaleUp>> {
        match &self.intent {
            Intent::ScaleUp(scale_up) => Some(self.clone().with(scale_up.clone())),
            Intent::RemoveNode(_) | Intent::DeleteMachine(_) => None,
        }
    }
}

impl Order<ScaleUp> {
    /// A scale-up that its provider has accepted, as a described world has it.
    pub const fn placed(id: OrderId, group: Symbol, count: u32, at: Timestamp) -> Self {
        let intent = ScaleUp { group, count, from: 0, pods: Vec::new(), why: String::new() };
        Self::new(id, intent, OrderPhase::Placed, at)
    }

    /// How many machines it brings: what was not made is not expected.
    pub fn machines(&self) -> u32 {
        self.made.map_or(self.intent.count, |made| made.min(self.intent.count))
    }

    /// The size that its group has once it is served.
    pub fn target(&self) -> u32 {
        self.intent.from.saturating_add(self.machines())
    }
}

// === impl Intent ===

impl Intent {
    /// The group that it is about.
    pub const fn group(&self) -> Symbol {
        match self {
            Self::ScaleUp(ScaleUp { group, .. })
            | Self::RemoveNode(RemoveNode { group, .. })
            | Self::DeleteMachine(DeleteMachine { group, .. }) => *group,
        }
    }

    /// Gives the group the name that it has by now: names change when providers are added or removed.
    pub const fn set_group(&mut self, name: Symbol) {
        match self {
            Self::ScaleUp(ScaleUp { group, .. })
            | Self::RemoveNode(RemoveNode { group, .. })
            | Self::DeleteMachine(DeleteMachine { group, .. }) => *group = name,
        }
    }

    /// The phase in which such an order begins.
    pub const fn first_phase(&self) -> OrderPhase {
        match self {
            Self::ScaleUp(_) => OrderPhase::Wanted,
            Self::RemoveNode(_) => OrderPhase::Marked,
            Self::DeleteMachine(_) => OrderPhase::Deleting,
        }
    }
}

// === impl OrderPhase ===

impl OrderPhase {
    /// Every phase.
    pub const ALL: [Self; 8] = [
        Self::Wanted,
        Self::Placed,
        Self::Marked,
        Self::Draining,
        Self::Deleting,
        Self::Done,
        Self::Failed,
        Self::Released,
    ];

    /// Whether there is nothing left to do.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Released)
    }

    /// The phase as a NodeOrder's status has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wanted => "Wanted",
            Self::Placed => "Placed",
            Self::Marked => "Marked",
            Self::Draining => "Draining",
            Self::Deleting => "Deleting",
            Self::Done => "Done",
            Self::Failed => "Failed",
            Self::Released => "Released",
        }
    }

    /// The phase of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }
}
