//! The simulated infrastructure: machines that take their time to come and go, and everything that can go wrong with them.
//!
//! ```text
//! Simulated ──requests──▶ Cloud ──▶ State    the books; time changes them when somebody looks
//!                          │ ▲
//!              knobs ──────┘ └────── run      looks when something is due, and tells who waits for machines
//! ```

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::Symbol;
use plimsoll_net::Clock;
use tokio::sync::Notify;

use super::catalogue::Catalogue;

mod fate;
mod faults;
mod journal;
mod knobs;
mod listing;
mod run;
mod service;
mod state;
mod wishes;

pub use journal::{Cost, Entry, Happening};
pub use knobs::{Delivery, Reach};
pub(super) use listing::Item;
pub(super) use service::Request;
pub(super) use state::State;

/// The simulated infrastructure. Clones are the same one.
///
/// Everything that happens follows from the catalogue, the calls and the clock. Two of them with the same catalogue and the same
/// calls at the same times keep the same journal.
#[derive(Clone)]
pub struct Cloud {
    inner: Arc<Inner>,
}

struct Inner {
    clock: Clock,
    state: Mutex<State>,
    /// How much time was passed over by [`Cloud::hurry`].
    skipped: Mutex<SignedDuration>,
    /// Something may be due earlier than it was.
    changed: Notify,
}

// === impl Cloud ===

impl Cloud {
    /// What the catalogue offers, with the initial machines running.
    pub fn new(catalogue: Catalogue, clock: Clock) -> Self {
        let state = Mutex::new(State::new(catalogue, clock.now()));
        let (skipped, changed) = (Mutex::default(), Notify::new());
        Self { inner: Arc::new(Inner { clock, state, skipped, changed }) }
    }

    /// What it offers.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.state().catalogue)
    }

    /// Everything that has happened to machines, in order.
    pub fn journal(&self) -> Vec<Entry> {
        self.state().journal.clone()
    }

    /// What the machines of each group have cost until now.
    pub fn costs(&self) -> BTreeMap<Symbol, Cost> {
        journal::costs(&self.state().journal, self.now())
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        let skipped = *self.skipped();
        self.inner.clock.now().saturating_add(skipped).unwrap_or(Timestamp::MAX)
    }

    fn skipped(&self) -> MutexGuard<'_, SignedDuration> {
        self.inner.skipped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The books as of now.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.advance(self.now());
        state
    }

    /// Changes the books as of now. The time is read under the lock, so that the journal is in order.
    fn change<T>(&self, change: impl FnOnce(&mut State, Timestamp) -> T) -> T {
        let result = {
            let mut state = self.state();
            let now = self.now();
            state.advance(now);
            change(&mut state, now)
        };
        self.inner.changed.notify_one();
        result
    }
}

impl fmt::Debug for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cloud").field("name", &self.catalogue().name).finish_non_exhaustive()
    }
}
