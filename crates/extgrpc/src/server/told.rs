//! What was told to the provider and is not in an inventory yet.
//!
//! A caller that has raised a group's target asks for the target next, and must not see the old one. So what a wish changed lies
//! over the inventory until one arrives that was begun after the wish was answered.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use plimsoll_model::{Instance, InstanceState, Symbol};
use plimsoll_provider::{GroupState, Order};

use crate::server::view::View;

/// The changes that lie over the inventory, by group.
#[derive(Debug, Default)]
pub(crate) struct Told {
    groups: HashMap<Symbol, Change>,
}

#[derive(Debug)]
struct Change {
    /// When the last wish of the group was answered.
    at: Timestamp,
    /// The target that it left; `None` while only the failure of an order is remembered.
    target: Option<u32>,
    /// Machines that are on their way out.
    leaving: BTreeSet<Box<str>>,
    /// An order of which nobody knows whether it was served.
    open: Option<Order>,
}

// === impl Told ===

impl Told {
    /// The group's target.
    pub(crate) fn target(&self, view: &View, state: &GroupState) -> u32 {
        let change = self.change(view, state.group.id);
        change.and_then(|change| change.target).unwrap_or(state.group.target)
    }

    /// What the machine is doing.
    pub(crate) fn state(&self, view: &View, group: Symbol, instance: &Instance) -> InstanceState {
        let leaves = |change: &Change| change.leaving.contains(&instance.id);
        if self.change(view, group).is_some_and(leaves) {
            InstanceState::Deleting
        } else {
            instance.state
        }
    }

    /// Whether machines of this group do something else than the inventory says.
    pub(crate) fn is_about_machines(&self, view: &View, group: Symbol) -> bool {
        self.change(view, group).is_some_and(|change| !change.leaving.is_empty())
    }

    /// The order of this group that has to be settled before the next.
    pub(crate) fn open(&self, group: Symbol) -> Option<(&Order, Timestamp)> {
        let change = self.groups.get(&group)?;
        Some((change.open.as_ref()?, change.at))
    }

    /// The target was set, and no order is open any more.
    pub(crate) fn set_target(&mut self, group: Symbol, target: u32, at: Timestamp) {
        let change = self.entry(group, at);
        change.target = Some(target);
        change.open = None;
    }

    /// These machines are on their way out, and the target is this.
    pub(crate) fn set_leaving(
        &mut self,
        group: Symbol,
        machines: impl IntoIterator<Item = Box<str>>,
        target: u32,
        at: Timestamp,
    ) {
        let change = self.entry(group, at);
        change.target = Some(target);
        change.leaving.extend(machines);
    }

    /// Nobody knows whether this order was served.
    pub(crate) fn leave_open(&mut self, order: Order, at: Timestamp) {
        let group = order.group;
        self.entry(group, at).open = Some(order);
    }

    /// The open order is known to be served, or is not wanted any more.
    pub(crate) fn close(&mut self, group: Symbol) {
        if let Some(change) = self.groups.get_mut(&group) {
            change.open = None;
        }
    }

    /// Forgets what is in the inventory by now.
    pub(crate) fn forget(&mut self, view: &View) {
        self.groups.retain(|_, change| {
            let lies_over = change.at >= view.as_of;
            if !lies_over {
                change.target = None;
                change.leaving.clear();
            }
            lies_over || change.open.is_some()
        });
    }

    fn change(&self, view: &View, group: Symbol) -> Option<&Change> {
        self.groups.get(&group).filter(|change| change.at >= view.as_of)
    }

    fn entry(&mut self, group: Symbol, at: Timestamp) -> &mut Change {
        let change = self.groups.entry(group).or_insert_with(|| Change {
            at,
            target: None,
            leaving: BTreeSet::new(),
            open: None,
        });
        change.at = at;
        change
    }
}
