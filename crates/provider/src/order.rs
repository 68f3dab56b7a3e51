//! Wishes, and what a provider can do about them.

use std::sync::Arc;

use plimsoll_model::{Node, OrderId, Symbol};

use crate::Error;

/// A wish for more machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Its name. The same name is the same order, however often it is placed.
    pub id: OrderId,
    /// The group to grow.
    pub group: Symbol,
    /// By how many machines.
    pub count: u32,
    /// The group's target when this was decided. A service that cannot keep names of orders knows by it whether this one has been
    /// served, as long as nothing is deleted in between.
    pub from: u32,
}

/// What became of one machine that was to be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The machine.
    pub instance: Box<str>,
    /// `Ok` once it is on its way out.
    pub outcome: Result<(), Error>,
}

/// A group to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSpec {
    /// What to call it.
    pub name: Box<str>,
    /// It is never shrunk below this.
    pub min: u32,
    /// It is never grown above this.
    pub max: u32,
    /// The provider's name for the kind of machine.
    pub machine: Box<str>,
    /// Labels, taints and resources that its nodes are to have.
    pub template: Option<Arc<Node>>,
}

/// What a provider can do beyond what every provider must.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent abilities, by name")]
pub struct Capabilities {
    /// It knows what its machines cost.
    pub prices: bool,
    /// It knows what a new node of an empty group looks like.
    pub templates: bool,
    /// Its groups may have settings of their own.
    pub options: bool,
    /// It can make and remove groups.
    pub groups: bool,
    /// It knows how many more machines can be had.
    pub stock: bool,
    /// It keeps the names of orders itself; without, it goes by [`Order::from`].
    pub order_ids: bool,
    /// It answers a deletion machine by machine; without, one answer holds for all that were named.
    pub single_deletions: bool,
    /// It sees machines that belong to none of its groups, and refuses a deletion that names one. Without, such a machine looks like
    /// one that is gone: it is `NotFound`, and left alone.
    pub strangers: bool,
    /// It keeps the minimum of a group itself: a deletion of running machines that would bring the target below it is refused as
    /// `Invalid`. Without, the minimum is the caller's concern.
    pub keeps_minimum: bool,
    /// It knows how many machines an order has, and answers with that when it served one in part. Without, the answer to every order
    /// that was taken is how many were ordered.
    pub counts_orders: bool,
}
