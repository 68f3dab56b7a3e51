//! Nodes of the mirror.

use std::sync::Arc;

use plimsoll_model::{Node, Symbol};

use super::Mirror;
use crate::{Object, object::Key, scheduler::queue::Hope};

// === impl Mirror ===

impl Mirror {
    /// A node is there, or has changed.
    pub(in crate::scheduler) fn put_node(&mut self, object: &Object) {
        let Some(node) = self.read(object).and_then(|objects| objects.nodes.into_iter().next())
        else {
            return self.remove_node(&object.key);
        };
        let name = node.name;
        if let Some(id) = self.nodes.get(&name) {
            if looks_alike(self.snapshot.node(*id), &node) {
                return;
            }
            self.take_node(name);
        }
        self.insert_node(node);
        self.loosened(Hope::Room);
    }

    pub(in crate::scheduler) fn remove_node(&mut self, key: &Key) {
        self.take_node(Symbol::new(&key.name));
        // A domain less may be what a spread waits for.
        self.loosened(Hope::Room);
    }

    pub(super) fn insert_node(&mut self, node: Arc<Node>) {
        let name = node.name;
        let id = self.snapshot.add_node(node);
        self.rows += 1;
        self.nodes.insert(name, id);
        self.order.push(id);
        let mut pods: Vec<Key> = self.by_node.get(&name).into_iter().flatten().cloned().collect();
        pods.sort();
        for key in &pods {
            self.occupy(key);
        }
    }

    fn take_node(&mut self, name: Symbol) {
        let Some(id) = self.nodes.remove(&name) else { return };
        for key in self.by_node.get(&name).into_iter().flatten() {
            if let Some(entry) = self.pods.get_mut(key)
                && let Some(place) = entry.place.take()
            {
                self.crowds.remove(&(place.family, id));
            }
        }
        self.silent.remove(&id);
        self.snapshot.remove_node(id);
        self.order.retain(|other| *other != id);
    }
}

/// Whether the scheduler sees a difference between two states of a node.
fn looks_alike(old: &Node, new: &Node) -> bool {
    old.labels == new.labels
        && old.taints == new.taints
        && old.unschedulable == new.unschedulable
        && old.allocatable == new.allocatable
}
