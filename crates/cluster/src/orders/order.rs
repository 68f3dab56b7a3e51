//! What is to be done with machines, and how far it has come.

use jiff::Timestamp;
use plimsoll_model::Symbol;
use plimsoll_provider::OrderId;
use serde::{Deserialize, Serialize};

/// An intention and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredOrder {
    /// Its name; for an increase also the name under which the provider knows it.
    pub id: OrderId,
    /// The provider of its group; `None` for an order of a version that did not write it down.
    pub provider: Option<Box<str>>,
    /// What is to be done.
    pub intent: Intent,
    /// How far it has come.
    pub phase: Phase,
    /// Since when.
    pub since: Option<Timestamp>,
    /// When it was written down.
    pub created: Option<Timestamp>,
}

/// An order that cannot be read: a newer version wrote it, or a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The name of the object.
    pub name: String,
    /// The group it is about, when that much can be read.
    pub group: Option<Symbol>,
    /// What is wrong with it.
    pub problem: String,
}

/// All orders that there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Those that can be read.
    pub orders: Vec<StoredOrder>,
    /// Those that cannot.
    pub unreadable: Vec<Unreadable>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    /// More machines.
    Increase {
        /// Of which group.
        group: Symbol,
        /// How many.
        count: u32,
        /// How many the group was asked to have before.
        from: u32,
        /// The uids of the pods that they are for.
        pods: Vec<Box<str>>,
        /// For what, in a few words.
        why: String,
    },
    /// A node out of service and its machine deleted.
    Retire {
        /// Of which group.
        group: Symbol,
        /// Which node.
        node: Symbol,
        /// Its uid: another Node of that name is not meant. `None` for an order of a version that did not write it down.
        node_uid: Option<Box<str>>,
        /// Its machine.
        instance: Box<str>,
        /// Whether somebody had cordoned the node before: it stays cordoned if it stays.
        was_closed: bool,
        /// Whether cheaper nodes were ordered for its pods.
        replaced: bool,
        /// Why, in a few words.
        why: String,
        /// Why, in a word for programs.
        reason: Option<String>,
        /// Whether pods have to leave it first.
        drains: bool,
    },
    /// A machine that is not a node deleted.
    Delete {
        /// Of which group.
        group: Symbol,
        /// Which machine.
        instance: Box<str>,
        /// Why, in a few words.
        why: String,
    },
}

/// How far an intention has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Increase: the provider has not answered yet, or nobody knows whether it has.
    Wanted,
    /// Increase: the provider has taken it.
    Placed,
    /// Retire: the node is to be tainted, or is.
    Marked,
    /// Retire: its pods are evicted.
    Draining,
    /// Retire, Delete: the provider is asked to delete the machine.
    Deleting,
    /// It is done.
    Done,
    /// Increase, Delete: the provider refused it.
    Failed,
    /// Retire: the node stays.
    Released,
}

// === impl Intent ===

impl Intent {
    /// The group it is about.
    pub const fn group(&self) -> Symbol {
        match self {
            Self::Increase { group, .. }
            | Self::Retire { group, .. }
            | Self::Delete { group, .. } => *group,
        }
    }

    /// The group has another name by now.
    pub const fn set_group(&mut self, name: Symbol) {
        match self {
            Self::Increase { group, .. }
            | Self::Retire { group, .. }
            | Self::Delete { group, .. } => *group = name,
        }
    }

    pub(super) const fn beginning(&self) -> Phase {
        match self {
            Self::Increase { .. } => Phase::Wanted,
            Self::Retire { .. } => Phase::Marked,
            Self::Delete { .. } => Phase::Deleting,
        }
    }
}

// === impl Phase ===

impl Phase {
    /// Whether there is nothing left to do.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Released)
    }
}
