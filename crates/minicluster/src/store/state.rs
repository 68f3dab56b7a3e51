//! What is behind the store's lock.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use rustc_hash::FxHashMap;
use tokio::sync::watch;

use super::{Event, Limits, Outcome, Resource, TooOld, history::History};
use crate::object::{Key, Object};

/// All objects and all history.
#[derive(Debug)]
pub(super) struct State {
    pub(super) revision: u64,
    /// History up to here was forgotten on request.
    pub(super) compacted: u64,
    pub(super) limits: Limits,
    /// Where each resource is in `shelves`.
    slots: FxHashMap<Resource, usize>,
    shelves: Vec<Shelf>,
    /// The shelf of every event that is kept, oldest first: the oldest event of all is the first of this shelf's history.
    order: VecDeque<usize>,
    /// What the events that are kept weigh.
    weight: usize,
}

/// The objects of one resource.
#[derive(Debug)]
pub(super) struct Shelf {
    pub(super) objects: BTreeMap<Key, Arc<Object>>,
    pub(super) history: History,
    /// Tells watches that there is something to read: the revision of the last event.
    pub(super) latest: watch::Sender<u64>,
}

// === impl State ===

impl State {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            // As in a real cluster, whose first write is not its first revision; 0 has a meaning of its own.
            revision: 1,
            compacted: 0,
            limits,
            slots: FxHashMap::default(),
            shelves: Vec::new(),
            order: VecDeque::new(),
            weight: 0,
        }
    }

    pub(super) fn shelf(&self, resource: &Resource) -> Option<&Shelf> {
        self.shelves.get(*self.slots.get(resource)?)
    }

    pub(super) fn shelf_mut(&mut self, resource: &Resource) -> &mut Shelf {
        let slot = self.slot(resource);
        &mut self.shelves[slot]
    }

    /// Resources in no particular order, with their objects.
    pub(super) fn resources(&self) -> impl Iterator<Item = (&Resource, &Shelf)> {
        self.slots.iter().filter_map(|(resource, slot)| Some((resource, self.shelves.get(*slot)?)))
    }

    pub(super) fn put(&mut self, resource: &Resource, object: &Arc<Object>) {
        let slot = self.slot(resource);
        let before = self.shelves[slot].objects.insert(object.key.clone(), Arc::clone(object));
        self.record(slot, before, object, Outcome::Kept);
    }

    pub(super) fn remove(&mut self, resource: &Resource, last: &Arc<Object>) {
        let slot = self.slot(resource);
        let before = self.shelves[slot].objects.remove(&last.key);
        self.record(slot, before, last, Outcome::Gone);
    }

    pub(super) fn compact(&mut self, revision: u64) {
        self.compacted = self.compacted.max(revision.min(self.revision));
        while let Some(slot) = self.order.front().copied() {
            let oldest = self.shelves[slot].history.after(0).next().map(|event| event.revision);
            if oldest.is_some_and(|oldest| oldest > self.compacted) {
                return;
            }
            self.drop_oldest();
        }
    }

    /// The first events after `revision`, and the revision up to which that is everything.
    pub(super) fn events(
        &self,
        resource: &Resource,
        revision: u64,
        most: usize,
    ) -> Result<(Vec<Event>, u64), TooOld> {
        let Some(shelf) = self.shelf(resource) else { return Ok((Vec::new(), self.revision)) };
        self.check_age(shelf, revision)?;
        let events: Vec<Event> = shelf.history.after(revision).take(most).cloned().collect();
        let position = match events.last() {
            Some(last) if events.len() == most => last.revision,
            _ => self.revision,
        };
        Ok((events, position))
    }

    /// Whether the history of a shelf reaches back to `revision`.
    pub(super) fn check_age(&self, shelf: &Shelf, revision: u64) -> Result<(), TooOld> {
        let oldest = self.compacted.max(shelf.history.trimmed());
        if revision < oldest { Err(TooOld { oldest }) } else { Ok(()) }
    }

    fn slot(&mut self, resource: &Resource) -> usize {
        if let Some(slot) = self.slots.get(resource) {
            return *slot;
        }
        self.shelves.push(Shelf {
            objects: BTreeMap::new(),
            history: History::default(),
            latest: watch::Sender::new(0),
        });
        self.slots.insert(resource.clone(), self.shelves.len() - 1);
        self.shelves.len() - 1
    }

    fn record(
        &mut self,
        slot: usize,
        before: Option<Arc<Object>>,
        after: &Arc<Object>,
        outcome: Outcome,
    ) {
        self.revision = after.revision;
        let event = Event { revision: after.revision, before, after: Arc::clone(after), outcome };
        self.weight += event.weight();
        self.order.push_back(slot);
        let shelf = &mut self.shelves[slot];
        shelf.history.push(event);
        shelf.latest.send_replace(after.revision);
        let Limits { events, bytes } = self.limits;
        while self.order.len() > events || (self.weight > bytes && !self.order.is_empty()) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(slot) = self.order.pop_front() {
            self.weight = self.weight.saturating_sub(self.shelves[slot].history.drop_oldest());
        }
    }
}
