//! What a client remembers from one call to the next. All of it can be lost: it saves calls, and makes answers better.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use plimsoll_model::{Node, Symbol};
use plimsoll_provider::{Inventory, NodeIdentity, Order, OrderId, Owner};

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
    /// How nodes of machines introduced themselves: some servers know them by their names only.
    nodes: HashMap<Box<str>, NodeIdentity>,
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
        if self.nodes.get(&machine) != Some(node) {
            self.nodes.insert(machine.clone(), node.clone());
        }
        Some(Owner { group, instance: Some(machine) })
    }

    /// What is known of the node of this machine; at least its provider id.
    pub(crate) fn node(&self, machine: &str) -> NodeIdentity {
        self.nodes.get(machine).cloned().unwrap_or_else(|| NodeIdentity {
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
