//! What is behind the store's lock.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use tokio::sync::watch;

use super::{Event, Limits, Outcome, Resource, TooOld, history::History};
use crate::object::{Key, Object};

/// All objects and all history.
#[derive(Debug)]
pub(super) struct State {
    pub(super) revision: u64,
    /// History up to here was forgotten on request.
    pub(super) compacted: u64,
    limits: Limits,
    /// Shelves are never taken away, so that each keeps its place.
    shelves: IndexMap<Resource, Shelf, FxBuildHasher>,
    /// The place of the shelf of every event that is kept, oldest first: the oldest event of all is the first of that shelf's
    /// history.
    order: VecDeque<usize>,
    /// What the events that are kept weigh.
    weight: usize,
}

/// The objects of one resource.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    pub(super) objects: BTreeMap<Key, Arc<Object>>,
    pub(super) history: History,
    /// Tells watches that there is something to read: the revision of the last event.
    pub(super) latest: watch::Sender<u64>,
    /// How often the resource has ceased to be served. Watches of an earlier life have nothing to wait for.
    pub(super) lives: u64,
}

// === impl State ===

impl State {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            // As in a real cluster, whose first write is not its first revision; 0 has a meaning of its own.
            revision: 1,
            compacted: 0,
            limits,
            shelves: IndexMap::default(),
            order: VecDeque::new(),
            weight: 0,
        }
    }

    pub(super) fn shelf(&self, resource: &Resource) -> Option<&Shelf> {
        self.shelves.get(resource)
    }

    /// The shelf of a resource, made if there is none yet.
    pub(super) fn shelf_mut(&mut self, resource: &Resource) -> &mut Shelf {
        self.shelves.entry(resource.clone()).or_default()
    }

    /// Resources with their objects.
    pub(super) fn resources(&self) -> impl Iterator<Item = (&Resource, &Shelf)> {
        self.shelves.iter()
    }

    pub(super) fn put(&mut self, resource: &Resource, object: &Arc<Object>) {
        let objects = &mut self.shelf_mut(resource).objects;
        let before = objects.insert(object.key.clone(), Arc::clone(object));
        self.record(resource, before, object, Outcome::Kept);
    }

    pub(super) fn remove(&mut self, resource: &Resource, last: &Arc<Object>) {
        let before = self.shelf_mut(resource).objects.remove(&last.key);
        self.record(resource, before, last, Outcome::Gone);
    }

    /// The resource is no longer served.
    pub(super) fn retire(&mut self, resource: &Resource) {
        let shelf = self.shelf_mut(resource);
        shelf.lives += 1;
        shelf.latest.send_modify(|_| {});
    }

    pub(super) fn compact(&mut self, revision: u64) {
        self.compacted = self.compacted.max(revision.min(self.revision));
        while self.oldest().is_some_and(|oldest| oldest <= self.compacted) {
            self.drop_oldest();
        }
    }

    /// The first events after `revision`, and the revision up to which that is everything. An error if some are no longer there.
    pub(super) fn events(
        &self,
        resource: &Resource,
        revision: u64,
        most: usize,
    ) -> Result<(Vec<Event>, u64), TooOld> {
        let Some(shelf) = self.shelf(resource) else { return Ok((Vec::new(), self.revision)) };
        let oldest = shelf.history.trimmed();
        if revision < oldest {
            return Err(TooOld { oldest });
        }
        let events: Vec<Event> = shelf.history.after(revision).take(most).cloned().collect();
        let position = match events.last() {
            Some(last) if events.len() == most => last.revision,
            _ => self.revision,
        };
        Ok((events, position))
    }

    /// Whether the history of a resource reaches back to `revision`.
    pub(super) fn check_age(&self, resource: &Resource, revision: u64) -> Result<(), TooOld> {
        let trimmed = self.shelf(resource).map_or(0, |shelf| shelf.history.trimmed());
        let oldest = self.compacted.max(trimmed);
        if revision < oldest { Err(TooOld { oldest }) } else { Ok(()) }
    }

    fn record(
        &mut self,
        resource: &Resource,
        before: Option<Arc<Object>>,
        after: &Arc<Object>,
        outcome: Outcome,
    ) {
        let event = Event { revision: after.revision, before, after: Arc::clone(after), outcome };
        self.revision = event.revision;
        self.weight += event.weight();
        if let Some((place, _, shelf)) = self.shelves.get_full_mut(resource) {
            self.order.push_back(place);
            shelf.history.push(event);
            shelf.latest.send_replace(after.revision);
        }
        let Limits { events, bytes } = self.limits;
        while self.order.len() > events || (self.weight > bytes && !self.order.is_empty()) {
            self.drop_oldest();
        }
    }

    /// The revision of the oldest event.
    fn oldest(&self) -> Option<u64> {
        let (_, shelf) = self.shelves.get_index(*self.order.front()?)?;
        shelf.history.after(0).next().map(|event| event.revision)
    }

    fn drop_oldest(&mut self) {
        let oldest = self.order.pop_front();
        if let Some((_, shelf)) = oldest.and_then(|place| self.shelves.get_index_mut(place)) {
            self.weight = self.weight.saturating_sub(shelf.history.drop_oldest());
        }
    }
}
