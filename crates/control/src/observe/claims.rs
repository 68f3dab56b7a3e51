//! Nodes that say which machine they are. Names of machines are given again once their machines are gone, so of several nodes that
//! say the same the youngest is right, and the others have outlived their machines.

use std::{collections::hash_map::Entry, hash::Hash};

use plimsoll_model::{Node, Symbol};
use rustc_hash::FxHashMap;

/// Nodes by the machine that they say they are.
#[derive(Debug)]
pub(super) struct Claims<'w, K> {
    youngest: FxHashMap<K, &'w Node>,
    outlived: Vec<(K, Symbol)>,
}

// === impl Claims ===

impl<K> Default for Claims<'_, K> {
    fn default() -> Self {
        Self { youngest: FxHashMap::default(), outlived: Vec::new() }
    }
}

impl<'w, K: Copy + Eq + Hash> Claims<'w, K> {
    /// The node says that it is this machine.
    pub(super) fn claim(&mut self, machine: K, node: &'w Node) {
        match self.youngest.entry(machine) {
            Entry::Vacant(slot) => {
                slot.insert(node);
            }
            Entry::Occupied(mut slot) => {
                let age = |node: &Node| (node.created, node.name);
                let is_younger = age(slot.get()) < age(node);
                let older = if is_younger { slot.insert(node) } else { node };
                self.outlived.push((machine, older.name));
            }
        }
    }

    /// The node that the machine became.
    pub(super) fn youngest(&self, machine: K) -> Option<Symbol> {
        self.youngest.get(&machine).map(|node| node.name)
    }

    /// Nodes that were the machine's predecessors of the same name.
    pub(super) fn outlived(&self, machine: K) -> impl Iterator<Item = Symbol> {
        // There are next to none.
        self.outlived.iter().filter(move |(of, _)| *of == machine).map(|(_, node)| *node)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use plimsoll_model::{Conditions, Labels, Resources};

    use super::*;

    fn node(name: &str, created: i64) -> Node {
        Node {
            name: name.into(),
            labels: Labels::default(),
            taints: Box::default(),
            unschedulable: false,
            allocatable: Resources::default(),
            capacity: Resources::default(),
            provider_id: "".into(),
            created: Timestamp::from_second(created).unwrap(),
            conditions: Conditions::default(),
            keep: false,
            deleting: false,
        }
    }

    #[test]
    fn the_youngest_node_of_a_machine_has_it() {
        let (first, second, third, other) =
            (node("first", 1), node("second", 2), node("third", 3), node("other", 0));
        for order in [[&first, &second, &third], [&third, &first, &second]] {
            let mut claims = Claims::default();
            for node in order {
                claims.claim("machine", node);
            }
            claims.claim("another", &other);
            assert_eq!(claims.youngest("machine"), Some("third".into()));
            let mut outlived: Vec<_> = claims.outlived("machine").collect();
            outlived.sort_unstable();
            assert_eq!(outlived, ["first".into(), "second".into()]);
            assert_eq!(claims.outlived("another").count(), 0);
        }
    }
}
