//! The API: one generic path for all kinds, from inside the process. The HTTP server is a thin layer over it.
//!
//! ```text
//!  body ─ decode ─ defaults ─ prepare ─ admission ─ checks ─▶ store     (create)
//!  body ─ decode ─ defaults ─ prepare ─ checks against the old ─▶ store (update, patch, modify)
//! ```
//!
//! Invariant: a write reads, decides and stores while it holds the store's only writer, so that nothing it has read changes under
//! it. Whoever sends no resourceVersion therefore never sees a conflict.

use std::sync::{Arc, PoisonError, RwLock};

use plimsoll_net::Clock;

pub use self::{
    options::{
        DeleteOptions, Deleted, FieldValidation, ListQuery, Listing, PatchRequest, Preconditions,
        Propagation, Target, WatchQuery, WriteOptions, Written,
    },
    watch::{Watch, WatchEvent},
};
pub use crate::patch::Patch;
use crate::{
    ApiError, Kind, Object,
    object::Key,
    registry::Registry,
    store::{Limits, Store},
};

mod admission;
mod bootstrap;
mod convert;
mod create;
mod decode;
mod definitions;
mod delete;
mod metadata;
mod options;
mod ownership;
mod persist;
mod read;
mod token;
mod update;
mod watch;

/// Access to the API from inside the process. Clones are the same API.
#[derive(Clone, Debug)]
pub struct Api {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    clock: Clock,
    store: Store,
    registry: RwLock<Registry>,
}

// === impl Api ===

impl Api {
    /// A new cluster: the namespaces and priority classes that every cluster has, and nothing else.
    pub fn new(clock: Clock) -> Self {
        Self::with_limits(clock, Limits::default())
    }

    /// A new cluster that keeps as much history as the limits say.
    pub fn with_limits(clock: Clock, limits: Limits) -> Self {
        let api = Self::empty(clock, limits);
        api.bootstrap();
        api
    }

    /// A cluster without any object, for one that is read from a file.
    fn empty(clock: Clock, limits: Limits) -> Self {
        let registry = RwLock::new(Registry::new());
        Self { shared: Arc::new(Shared { clock, store: Store::new(limits), registry }) }
    }

    /// The clock that timestamps come from.
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// All kinds that are served now, in a stable order.
    pub fn kinds(&self) -> Vec<Arc<Kind>> {
        self.registry(|registry| registry.kinds().to_vec())
    }

    /// The kind that a path names.
    pub fn kind(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
        self.registry(|registry| registry.find(group, version, plural).cloned())
    }

    /// The kind that `apiVersion` and `kind` of an object or an owner reference name.
    pub fn kind_named(&self, api_version: &str, kind: &str) -> Option<Arc<Kind>> {
        self.registry(|registry| registry.find_kind(api_version, kind).cloned())
    }

    /// The newest revision.
    pub fn revision(&self) -> u64 {
        self.shared.store.revision()
    }

    /// Forgets the history up to `revision`: watches and lists that need it get 410.
    pub fn compact(&self, revision: u64) {
        self.shared.store.compact(revision);
    }

    /// One object.
    pub fn get(&self, kind: &Kind, namespace: &str, name: &str) -> Result<Arc<Object>, ApiError> {
        let found = self.store().get(&kind.storage(), &Key::new(namespace, name));
        let object = found.ok_or_else(|| ApiError::not_found(&kind.group, &kind.plural, name))?;
        Ok(convert::View::of(kind).show(&object))
    }

    fn store(&self) -> &Store {
        &self.shared.store
    }

    fn registry<T>(&self, read: impl FnOnce(&Registry) -> T) -> T {
        read(&self.shared.registry.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change_registry(&self, change: impl FnOnce(&mut Registry)) {
        change(&mut self.shared.registry.write().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests;
