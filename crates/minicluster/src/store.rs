//! The store: all objects, one revision for all of them, and what happened lately.
//!
//! ```text
//!  writer (one at a time) ──▶ shelves: objects by key ──▶ get, list, list as of a revision
//!                         └─▶ history of each shelf   ──▶ watches, which read at their own pace
//! ```
//!
//! Invariant: a writer never waits for a reader of the history. A watch is only told that there is something new; it fetches it
//! when it gets round to it, and if the history no longer reaches back that far, it is told so instead of getting a gap.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use tokio::sync::watch;

use self::state::State;
pub use self::{
    history::{Event, Limits, Outcome, TooOld},
    intern::Interner,
    page::{Page, Range},
    selector::{FieldSelector, Filter, LabelSelector},
};
use crate::object::{Key, Object};

mod export;
mod history;
mod intern;
mod page;
mod selector;
mod state;

/// Where objects are kept: a resource of a group, whatever the versions under which it is served.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Resource {
    /// The group; empty for the core.
    pub group: Arc<str>,
    /// The plural.
    pub plural: Arc<str>,
}

/// A handle to the store; clones share the objects.
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<Shared>,
}

/// The right to write. There is one at a time, so that what its holder has read stays true until it writes.
#[derive(Debug)]
pub struct Writer<'s> {
    shared: &'s Shared,
    interner: MutexGuard<'s, Interner>,
}

/// New events of one resource, as a watch reads them.
#[derive(Debug)]
pub struct Subscription {
    store: Store,
    resource: Resource,
    /// Says which revision the resource last changed at.
    latest: watch::Receiver<u64>,
    /// Everything up to this revision has been read.
    position: u64,
    /// In which life of the resource this began.
    life: u64,
    /// Nothing has been read yet: where this starts must not be forgotten. Later it only must not miss anything.
    fresh: bool,
}

#[derive(Debug)]
struct Shared {
    state: RwLock<State>,
    /// Held by the writer. Apart from `state`, so that objects are put into bytes without keeping readers out.
    writer: Mutex<Interner>,
}

// === impl Resource ===

impl Resource {
    /// The resource `plural` of `group`.
    pub fn new(group: &str, plural: &str) -> Self {
        Self { group: Arc::from(group), plural: Arc::from(plural) }
    }
}

// === impl Store ===

impl Store {
    /// An empty store.
    pub fn new(limits: Limits) -> Self {
        let shared = Shared { state: RwLock::new(State::new(limits)), writer: Mutex::default() };
        Self { shared: Arc::new(shared) }
    }

    /// The newest revision.
    pub fn revision(&self) -> u64 {
        self.read().revision
    }

    /// The object, if it is there.
    pub fn get(&self, resource: &Resource, key: &Key) -> Option<Arc<Object>> {
        self.read().shelf(resource)?.objects.get(key).cloned()
    }

    /// The objects of a resource, now or as of a revision.
    pub fn list(&self, resource: &Resource, range: &Range<'_>) -> Result<Page, TooOld> {
        self.read().list(resource, range)
    }

    /// How many objects a resource has.
    pub fn count(&self, resource: &Resource) -> usize {
        self.read().shelf(resource).map_or(0, |shelf| shelf.objects.len())
    }

    /// The events of a resource after `revision`.
    pub fn subscribe(&self, resource: &Resource, revision: u64) -> Subscription {
        let (latest, life) = self.write_state(|state| {
            let shelf = state.shelf_mut(resource);
            (shelf.latest.subscribe(), shelf.lives)
        });
        let (store, resource) = (self.clone(), resource.clone());
        Subscription { store, resource, latest, position: revision, life, fresh: true }
    }

    /// Waits for its turn to write.
    pub fn writer(&self) -> Writer<'_> {
        let interner = self.shared.writer.lock().unwrap_or_else(PoisonError::into_inner);
        Writer { shared: &self.shared, interner }
    }

    /// Ends the subscriptions of a resource that is no longer served, once they have read everything.
    pub fn retire(&self, resource: &Resource) {
        self.write_state(|state| state.retire(resource));
    }

    /// Forgets what happened up to `revision`: older watches and lists get 410.
    pub fn compact(&self, revision: u64) {
        self.write_state(|state| state.compact(revision));
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.shared.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        self.shared.write_state(change)
    }
}

// === impl Shared ===

impl Shared {
    fn write_state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner))
    }
}

// === impl Writer ===

impl Writer<'_> {
    /// The object as it is now; nobody changes it before this writer does.
    pub fn get(&self, resource: &Resource, key: &Key) -> Option<Arc<Object>> {
        let state = self.shared.state.read().unwrap_or_else(PoisonError::into_inner);
        state.shelf(resource)?.objects.get(key).cloned()
    }

    /// Stores an object, made for the revision it is told.
    pub fn put(
        &mut self,
        resource: &Resource,
        make: impl FnOnce(u64, &mut Interner) -> Object,
    ) -> Arc<Object> {
        let object = Arc::new(make(self.next(), &mut self.interner));
        self.shared.write_state(|state| state.put(resource, &object));
        object
    }

    /// Takes an object out. `last` is its last state, made for the revision of the deletion.
    pub fn remove(
        &mut self,
        resource: &Resource,
        last: impl FnOnce(u64, &mut Interner) -> Object,
    ) -> Arc<Object> {
        let object = Arc::new(last(self.next(), &mut self.interner));
        self.shared.write_state(|state| state.remove(resource, &object));
        object
    }

    fn next(&self) -> u64 {
        self.shared.state.read().unwrap_or_else(PoisonError::into_inner).revision + 1
    }
}

// === impl Subscription ===

impl Subscription {
    /// The revision up to which everything has been read.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// At most `most` events that have not been read yet; none if there are none now.
    pub fn read(&mut self, most: usize) -> Result<Vec<Event>, TooOld> {
        let _seen = *self.latest.borrow_and_update();
        let state = self.store.read();
        if self.fresh {
            state.check_age(&self.resource, self.position)?;
            self.fresh = false;
        }
        let (events, position) = state.events(&self.resource, self.position, most)?;
        self.position = self.position.max(position);
        Ok(events)
    }

    /// Whether the resource has ceased to be served since this began.
    pub fn is_over(&self) -> bool {
        let state = self.store.read();
        state.shelf(&self.resource).is_some_and(|shelf| shelf.lives != self.life)
    }

    /// Waits until there may be something to read. May be dropped at any time without losing anything.
    pub async fn changed(&mut self) {
        // The store holds the sender and the subscription holds the store.
        let _ = self.latest.changed().await;
    }
}
