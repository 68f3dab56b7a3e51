//! Groups whose machine type is unknown: one machine is added, and its node becomes the group's template.
//!
//! That machine is kept. It is what is known of the group, for this process and for every later one: a group that has a machine gets
//! no other for this reason. A machine that never becomes a node is replaced like any other, [`MOST`] times in all.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_model::Symbol;

use super::{
    inventory::Sighting,
    reconcile::{Books, Shelf},
    wire::Pool,
};

/// The number of machines that never became a node after which no other is added to learn from.
const MOST: usize = 3;

/// What to do about a group whose machine type is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownKinds {
    /// One machine is added and kept.
    #[default]
    Learn,
    /// Nothing. The group is used once it has a machine.
    Leave,
}

/// What was tried to learn about groups. A restart forgets it.
#[derive(Debug, Default)]
pub(super) struct Lessons {
    groups: BTreeMap<Symbol, Lesson>,
}

/// What was tried to learn about one group.
#[derive(Debug, Default)]
struct Lesson {
    /// The kind of machine that it is about.
    kind: String,
    /// Machines that have not become a node so far.
    without_node: BTreeSet<Box<str>>,
}

// === impl Lessons ===

impl Lessons {
    /// Raises the minimum of groups of unknown kinds to one machine.
    pub(super) fn teach(
        &mut self,
        books: &mut Books,
        sighting: &Sighting,
        is_unknown: impl Fn(&Pool) -> bool,
    ) {
        let unknown = |shelf: &&mut Shelf| {
            let can_order = !shelf.pool.instance_size.is_empty() && shelf.max > 0;
            shelf.frozen.is_none() && can_order && is_unknown(&shelf.pool)
        };
        let mut groups = std::mem::take(&mut self.groups);
        for shelf in books.groups.iter_mut().filter(unknown) {
            let mut lesson = groups.remove(&shelf.id).unwrap_or_default();
            lesson.look(shelf, sighting);
            let kind = &shelf.pool.instance_size;
            if shelf.target() == 0 && lesson.without_node.len() >= MOST {
                shelf.note = Some(format!(
                    "nothing tells what machines of the kind {kind} have, and {MOST} of them never became a node: no other is added to learn it"
                ));
            } else {
                shelf.min = shelf.min.max(1);
                shelf.note = Some(format!(
                    "nothing tells what machines of the kind {kind} have, so one is added and kept to learn it"
                ));
            }
            self.groups.insert(shelf.id, lesson);
        }
    }
}

// === impl Lesson ===

impl Lesson {
    fn look(&mut self, shelf: &Shelf, sighting: &Sighting) {
        if self.kind != shelf.pool.instance_size {
            *self = Self { kind: shelf.pool.instance_size.clone(), ..Self::default() };
        }
        if shelf.machines.iter().any(|machine| sighting.has_node(&machine.id)) {
            self.without_node.clear();
            return;
        }
        self.without_node.extend(shelf.machines.iter().map(|machine| machine.id.clone()));
    }
}

#[cfg(test)]
mod tests;
