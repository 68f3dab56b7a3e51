//! What a client remembers from one call to the next. All of it can be lost: it saves calls, and makes answers better.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use plimsoll_model::{Node, Symbol};
use plimsoll_provider::{Inventory, NodeIdentity, Order, OrderId, Owner};

use tracing::warn;

use crate::proto::external::{ExternalGrpcNode, NodeGroup};

/// So many orders are remembered, which is those of the last hours at least.
const MOST_ORDERS: usize = 10_000;

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The groups as they were last listed.
    listed: Vec<NodeGroup>,
    /// Of the groups in the list; asked for again when the list changes.
    pub(crate) templates: BTreeMap<String, Option<Template>>,
    /// The label and the kinds of GPU.
    pub(crate) gpu: Option<(Box<str>, Vec<Box<str>>)>,
    /// Whose a machine is.
    machines: HashMap<Box<str>, Symbol>,
    /// How nodes of machines introduced themselves: some servers know them by their names only. `None` where two nodes said that
    /// they are the same machine, until that machine is gone: then it is named by its provider id alone.
    nodes: HashMap<Box<str>, Option<NodeIdentity>>,
    served: BTreeSet<OrderId>,
    /// The oldest first.
    served_in_order: VecDeque<OrderId>,
}

/// What a new node looks like.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) node: Arc<Node>,
    /// The same, for asking for its price.
    pub(crate) identity: ExternalGrpcNode,
}

// === impl Memory ===

impl Memory {
    /// The groups are these now. Answers whether others were before.
    pub(crate) fn set_groups(&mut self, groups: &[NodeGroup]) -> bool {
        if self.listed == groups {
            return false;
        }
        self.listed = groups.to_vec();
        self.templates.clear();
        true
    }

    /// The bounds of a group in the last list.
    pub(crate) fn bounds(&self, group: Symbol) -> Option<(u32, u32)> {
        let listed = self.listed.iter().find(|listed| listed.id == group.as_str())?;
        let size = |size: i32| u32::try_from(size).unwrap_or_default();
        Some((size(listed.min_size), size(listed.max_size)))
    }

    /// The machines are these now.
    pub(crate) fn set_machines(&mut self, inventory: &Inventory) {
        self.machines.clear();
        for state in &inventory.groups {
            let ids = state.group.instances.iter().map(|instance| instance.id.clone());
            self.machines.extend(ids.map(|id| (id, state.group.id)));
        }
        let machines = &self.machines;
        self.nodes.retain(|id, _| machines.contains_key(id));
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
            if other.name == node.name {
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

    /// What is known of the node of this machine; at least its provider id.
    pub(crate) fn node(&self, machine: &str) -> NodeIdentity {
        self.nodes.get(machine).cloned().flatten().unwrap_or_else(|| NodeIdentity {
            provider_id: machine.to_owned(),
            ..NodeIdentity::default()
        })
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
            assert_eq!(memory.node("m-0"), NodeIdentity { name: String::new(), ..node("") });
        }
    }
}
