//! Topology domains: nodes that share the value of a label.

use indexmap::IndexSet;
use plimsoll_model::{Node, Symbol, Text};
use rustc_hash::FxBuildHasher;

use crate::ids::{KeyId, NodeId};

/// A domain of a key: the place of the label's value among those seen.
pub(crate) type Domain = u32;

/// All label keys by which some pod is spread, drawn or kept apart.
#[derive(Debug, Default)]
pub(crate) struct Topology {
    labels: IndexSet<Symbol, FxBuildHasher>,
    keys: Vec<Key>,
}

/// One such label key.
#[derive(Debug, Default)]
struct Key {
    values: IndexSet<Text, FxBuildHasher>,
    /// By node: its domain, or `NOWHERE`.
    of_node: Vec<Domain>,
    /// By domain: the nodes that are present, in order.
    members: Vec<Vec<NodeId>>,
}

/// A node without the label.
const NOWHERE: Domain = Domain::MAX;

// === impl Topology ===

impl Topology {
    pub(crate) fn find(&self, label: Symbol) -> Option<KeyId> {
        self.labels.get_index_of(&label).map(KeyId::new)
    }

    /// Adds a key; `nodes` are all rows with whether the node is present.
    pub(crate) fn add<'a>(
        &mut self,
        label: Symbol,
        nodes: impl Iterator<Item = (&'a Node, bool)>,
    ) -> KeyId {
        let mut key = Key::default();
        for (row, (node, present)) in nodes.enumerate() {
            key.push(label, node);
            if present {
                key.attach(NodeId::new(row));
            }
        }
        self.keys.push(key);
        KeyId::new(self.labels.insert_full(label).0)
    }

    /// Appends a node that is not present yet.
    pub(crate) fn push(&mut self, node: &Node) {
        for (key, label) in self.keys.iter_mut().zip(&self.labels) {
            key.push(*label, node);
        }
    }

    /// Removes the last node, which is no longer present.
    pub(crate) fn pop(&mut self) {
        for key in &mut self.keys {
            key.of_node.pop();
        }
    }

    /// The node is there from now on.
    pub(crate) fn attach(&mut self, node: NodeId) {
        self.keys.iter_mut().for_each(|key| key.attach(node));
    }

    /// The node is gone.
    pub(crate) fn detach(&mut self, node: NodeId) {
        self.keys.iter_mut().for_each(|key| key.detach(node));
    }

    pub(crate) fn label(&self, key: KeyId) -> Symbol {
        self.labels[key.index()]
    }

    pub(crate) fn domain(&self, key: KeyId, node: NodeId) -> Option<Domain> {
        let domain = self.keys[key.index()].of_node[node.index()];
        (domain != NOWHERE).then_some(domain)
    }

    pub(crate) fn value(&self, key: KeyId, domain: Domain) -> &Text {
        &self.keys[key.index()].values[domain as usize]
    }

    /// The domains of a key with the nodes present in each, in the order the domains were first seen.
    pub(crate) fn members(&self, key: KeyId) -> &[Vec<NodeId>] {
        &self.keys[key.index()].members
    }
}

// === impl Key ===

impl Key {
    fn push(&mut self, label: Symbol, node: &Node) {
        let domain = node.labels.get(label).map_or(NOWHERE, |value| {
            let place = self.values.get_index_of(value).unwrap_or_else(|| {
                self.members.push(Vec::new());
                self.values.insert_full(value.clone()).0
            });
            Domain::try_from(place).unwrap_or(NOWHERE)
        });
        self.of_node.push(domain);
    }

    fn attach(&mut self, node: NodeId) {
        let domain = self.of_node[node.index()];
        if domain != NOWHERE {
            let members = &mut self.members[domain as usize];
            let place = members.partition_point(|other| *other < node);
            members.insert(place, node);
        }
    }

    fn detach(&mut self, node: NodeId) {
        let domain = self.of_node[node.index()];
        if domain != NOWHERE {
            self.members[domain as usize].retain(|other| *other != node);
        }
    }
}
