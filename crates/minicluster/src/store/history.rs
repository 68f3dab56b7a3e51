//! What happened, as far back as it is kept.

use std::{collections::VecDeque, sync::Arc};

use crate::object::Object;

/// One write.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its revision.
    pub revision: u64,
    /// The object before; none if the write made it.
    pub before: Option<Arc<Object>>,
    /// The object after; for a deletion its last state under the revision of the deletion.
    pub after: Arc<Object>,
    /// Whether the object is there afterwards.
    pub outcome: Outcome,
}

/// What a write left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The object is there.
    Kept,
    /// The object is gone.
    Gone,
}

/// How much history is kept, over all kinds. Whichever limit is reached first counts.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many writes.
    pub events: usize,
    /// How many bytes of objects that only the history still holds.
    pub bytes: usize,
}

/// A watch or a consistent list asked for more history than is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooOld {
    /// The oldest revision from which a watch could start.
    pub oldest: u64,
}

/// The events of one resource, oldest first.
#[derive(Debug, Default)]
pub(super) struct History {
    events: VecDeque<Event>,
    /// The revision of the newest event that was dropped.
    trimmed: u64,
}

// === impl Event ===

impl Event {
    /// What keeping the event costs: the old state is held by nobody else, the new one is alive or is the next event's old one.
    pub(super) fn weight(&self) -> usize {
        let gone = match self.outcome {
            Outcome::Kept => 0,
            Outcome::Gone => self.after.json.len(),
        };
        size_of::<Self>() + gone + self.before.as_ref().map_or(0, |before| before.json.len())
    }
}

// === impl Limits ===

impl Default for Limits {
    /// Some minutes of a busy cluster of 5,000 nodes.
    fn default() -> Self {
        Self { events: 200_000, bytes: 256 << 20 }
    }
}

// === impl History ===

impl History {
    pub(super) fn push(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// Forgets the oldest event and tells what it weighed.
    pub(super) fn drop_oldest(&mut self) -> usize {
        let Some(event) = self.events.pop_front() else { return 0 };
        self.trimmed = event.revision;
        event.weight()
    }

    /// The revision of the newest event that was dropped; watches may start there or later.
    pub(super) fn trimmed(&self) -> u64 {
        self.trimmed
    }

    /// The events after `revision`, oldest first.
    pub(super) fn after(&self, revision: u64) -> impl DoubleEndedIterator<Item = &Event> {
        let start = self.events.partition_point(|event| event.revision <= revision);
        self.events.range(start..)
    }
}
