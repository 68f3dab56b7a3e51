//! What a client remembers from one call to the next. All of it can be lost: it saves calls, and makes answers better.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use plimsoll_model::{InstanceState, Symbol};
use plimsoll_provider::{GroupState, Inventory, NodeIdentity, Order, OrderId, Owner};
use tracing::warn;

use crate::{client::known::Extras, proto::external::NodeGroup};

/// So many orders are remembered, which is those of the last hours at least.
const MOST_ORDERS: usize = 10_000;

/// A machine that still runs after this many deletions that were answered well is told as one that the server does not delete.
const ENOUGH: u32 = 2;

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The groups as they were last listed.
    listed: BTreeMap<String, Listed>,
    /// What the server told of groups that it need not tell.
    pub(crate) extras: BTreeMap<String, Extras>,
    /// The label and the kinds of GPU.
    pub(crate) gpu: Option<(Box<str>, Vec<Box<str>>)>,
    /// The groups of the last inventory.
    seen: HashMap<Symbol, GroupState>,
    /// Whose a machine is.
    machines: HashMap<Box<str>, Symbol>,
    /// How nodes of machines introduced themselves: some servers know them by their names only. `None` where two nodes said that
    /// they are the same machine, until that machine is gone: then neither is named.
    nodes: HashMap<Box<str>, Option<NodeIdentity>>,
    /// How often the deletion of a machine was answered well.
    deletions: HashMap<Box<str>, u32>,
    served: BTreeSet<OrderId>,
    /// The oldest first.
    served_in_order: VecDeque<OrderId>,
}

/// A group as it stands in a list.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) group: NodeGroup,
    /// Why it cannot be relied on.
    pub(crate) nonsense: Option<String>,
}

// === impl Listed ===

impl Listed {
    pub(crate) fn new(group: NodeGroup) -> Self {
        let NodeGroup { min_size, max_size, .. } = group;
        let nonsense = (min_size < 0 || max_size < min_size)
            .then(|| format!("it is to have {min_size} to {max_size} machines"));
        Self { group, nonsense }
    }
}

// === impl Memory ===

impl Memory {
    /// The groups are these now.
    pub(crate) fn set_groups(&mut self, groups: &[Listed]) {
        self.listed = groups.iter().map(|one| (one.group.id.clone(), one.clone())).collect();
        let listed = &self.listed;
        self.extras.retain(|group, _| listed.contains_key(group));
    }

    /// The group in the last list.
    pub(crate) fn listed(&self, group: Symbol) -> Option<&Listed> {
        self.listed.get(group.as_str())
    }

    /// The group as it was last seen.
    pub(crate) fn seen(&self, group: Symbol) -> Option<GroupState> {
        self.seen.get(&group).cloned()
    }

    /// All is as this says now.
    pub(crate) fn set_inventory(&mut self, inventory: &Inventory) {
        self.machines.clear();
        let mut gone: BTreeSet<Box<str>> = self.deletions.keys().cloned().collect();
        for state in &inventory.groups {
            for instance in &state.group.instances {
                self.machines.insert(instance.id.clone(), state.group.id);
                if instance.state != InstanceState::Deleting {
                    gone.remove(&instance.id);
                }
            }
        }
        let (machines, groups) = (&self.machines, &inventory.groups);
        self.seen = groups.iter().map(|state| (state.group.id, state.clone())).collect();
        self.nodes.retain(|id, _| machines.contains_key(id));
        self.deletions.retain(|machine, _| !gone.contains(machine));
    }

    /// Whose this machine was when it was last looked.
    pub(crate) fn group_of(&self, machine: &str) -> Option<Symbol> {
        self.machines.get(machine).copied()
    }

    /// The owner of this node when it was last looked.
    pub(crate) fn owner(&mut self, node: &NodeIdentity) -> Option<Owner> {
        let group = self.group_of(&node.provider_id)?;
        let machine: Box<str> = node.provider_id.as_str().into();
        let known = self.nodes.entry(machine.clone()).or_insert_with(|| Some(node.clone()));
        if let Some(other) = known.as_mut() {
            if other.name == node.name || other.annotations.contains_key(NodeIdentity::MADE_UP) {
                other.clone_from(node);
            } else {
                warn!(
                    machine = &*machine,
                    node = node.name,
                    other = other.name,
                    "two nodes claim to be one machine"
                );
                *known = None;
            }
        }
        Some(Owner { group, instance: Some(machine) })
    }

    /// Records which node the machine is. The caller has read the Node from the API server and is about to delete the machine.
    pub(crate) fn introduce(&mut self, machine: &str, node: &NodeIdentity) {
        self.nodes.insert(machine.into(), Some(node.clone()));
    }

    /// How a machine is named to the server: as its node, or by its id where no node is known. Of two nodes that say that they are it,
    /// neither is named. Only a caller that has read all Nodes says that a machine has no node: it introduces a made-up one.
    pub(crate) fn node(&self, machine: &str) -> NodeIdentity {
        let id = machine.to_owned();
        let nameless =
            NodeIdentity { name: id.clone(), provider_id: id, ..NodeIdentity::default() };
        match self.nodes.get(machine) {
            Some(Some(node)) => NodeIdentity { provider_id: machine.to_owned(), ..node.clone() },
            Some(None) | None => nameless,
        }
    }

    /// The deletion of this machine was answered well.
    pub(crate) fn set_deleted(&mut self, machine: &str) {
        *self.deletions.entry(machine.into()).or_default() += 1;
    }

    /// Whether a machine that runs was deleted often enough. It is told once, and may be tried again then.
    pub(crate) fn is_undeletable(&mut self, machine: &str) -> bool {
        let enough = self.deletions.get(machine).is_some_and(|times| *times >= ENOUGH);
        if enough {
            self.deletions.remove(machine);
        }
        enough
    }

    /// Whether this order is known to be served.
    pub(crate) fn is_served(&self, order: &Order) -> bool {
        self.served.contains(&order.id)
    }

    /// This order has been served.
    pub(crate) fn set_served(&mut self, order: &Order) {
        if self.served.insert(order.id.clone()) {
            self.served_in_order.push_back(order.id.clone());
        }
        if self.served_in_order.len() > MOST_ORDERS
            && let Some(oldest) = self.served_in_order.pop_front()
        {
            self.served.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_provider::NodeIdentity;

    use super::Memory;

    fn node(name: &str) -> NodeIdentity {
        let provider_id = "m-0".to_owned();
        NodeIdentity { name: name.to_owned(), provider_id, ..NodeIdentity::default() }
    }

    #[test]
    fn of_two_nodes_that_claim_a_machine_neither_is_named_to_the_server() {
        let mut memory = Memory::default();
        memory.machines.insert("m-0".into(), "pool".into());
        for name in ["victim", "victim"] {
            assert!(memory.owner(&node(name)).is_some());
            assert_eq!(memory.node("m-0").name, "victim");
        }
        for name in ["other", "victim", "other"] {
            assert!(memory.owner(&node(name)).is_some(), "who asks decides what that means");
            assert_eq!(memory.node("m-0"), node("m-0"));
        }
    }
}
