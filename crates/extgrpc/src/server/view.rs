//! The last inventory, with what finds things in it.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use jiff::Timestamp;
use plimsoll_model::{Instance, InstanceState};
use plimsoll_provider::{GroupState, Inventory};

use crate::server::prepared::{Prepared, Replies};

/// An inventory and its index. Ids from outside are looked up as text: a symbol would be kept for all time.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) inventory: Arc<Inventory>,
    /// What was told to the provider before this is in the inventory.
    pub(crate) as_of: Timestamp,
    groups: HashMap<&'static str, usize>,
    /// The places of a machine's group and of the machine in it.
    machines: HashMap<Box<str>, (usize, usize)>,
    /// The list of all groups, once somebody has asked for it.
    pub(crate) groups_reply: OnceLock<Prepared>,
    /// What is answered about each group.
    replies: Vec<Replies>,
}

// === impl View ===

impl View {
    pub(crate) fn new(inventory: Arc<Inventory>, as_of: Timestamp) -> Self {
        let mut groups = HashMap::with_capacity(inventory.groups.len());
        let mut machines = HashMap::new();
        for (place, state) in inventory.groups.iter().enumerate() {
            groups.insert(state.group.id.as_str(), place);
            for (at, instance) in state.group.instances.iter().enumerate() {
                machines.insert(instance.id.clone(), (place, at));
            }
        }
        let replies = inventory.groups.iter().map(|_| Replies::default()).collect();
        Self { inventory, as_of, groups, machines, groups_reply: OnceLock::new(), replies }
    }

    /// The group of this id.
    pub(crate) fn group(&self, id: &str) -> Option<&GroupState> {
        self.group_and_replies(id).map(|(state, _)| state)
    }

    /// The group of this id, and what is answered about it.
    pub(crate) fn group_and_replies(&self, id: &str) -> Option<(&GroupState, &Replies)> {
        let place = *self.groups.get(id)?;
        Some((self.inventory.groups.get(place)?, self.replies.get(place)?))
    }

    /// The machine of this id, and its group.
    pub(crate) fn machine(&self, id: &str) -> Option<(&GroupState, &Instance)> {
        let (group, place) = self.machines.get(id)?;
        let state = self.inventory.groups.get(*group)?;
        Some((state, state.group.instances.get(*place)?))
    }
}

/// Whether a machine does its work: one that does not may go although its group is at its minimum.
pub(crate) fn is_healthy(instance: &Instance) -> bool {
    instance.state == InstanceState::Running && instance.error.is_none()
}
