//! What is found of orders in the cluster.

use plimsoll_model::{Order, OrderPhase, Symbol};

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
    pub orders: Vec<Order>,
    /// Those that cannot.
    pub unreadable: Vec<Unreadable>,
}

/// How far an order has come, as it is written to its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The phase that it has reached.
    pub phase: OrderPhase,
    /// What the provider said when it refused or did not answer.
    pub message: &'a str,
    /// How many machines were made for a scale-up.
    pub made: Option<u32>,
}

/// Whether an order was there before it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is new. Its status is still empty, which reads as its first phase.
    Created,
    /// It was there already, and is ours.
    Found,
}

// === impl Progress ===

impl From<OrderPhase> for Progress<'_> {
    fn from(phase: OrderPhase) -> Self {
        Self { phase, message: "", made: None }
    }
}
