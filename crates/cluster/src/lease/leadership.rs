//! What only the leader has: the permit to change the cluster and its machines, and the term of office that its orders carry.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use plimsoll_net::{Clock, Fence};

/// What a leader has. Clones are the same.
#[derive(Clone, Debug)]
pub struct Leadership {
    fence: Fence,
    term: Arc<Mutex<Term>>,
}

/// A term of office: who holds the Lease, and how often it had changed hands before. No two leaders have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// The holder's identity; empty for a process that stands for no Lease.
    pub holder: String,
    /// `spec.leaseTransitions` of the Lease.
    pub number: i32,
}

// === impl Leadership ===

impl Leadership {
    /// The leadership of a process that runs without leader election.
    pub fn alone() -> Self {
        Self { fence: Fence::open(), term: Arc::default() }
    }

    /// Of a process that has to win a Lease first.
    pub fn contested(clock: Clock) -> Self {
        Self { fence: Fence::closed(clock), term: Arc::default() }
    }

    /// The permit, to be asked before anything is changed.
    pub fn fence(&self) -> &Fence {
        &self.fence
    }

    /// The term of office, or the last one.
    pub fn term(&self) -> Term {
        self.term.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The Lease is held for `lasts`, counted from `from`.
    pub(super) fn win(&self, term: Term, from: Timestamp, lasts: Duration) {
        *self.term.lock().unwrap_or_else(PoisonError::into_inner) = term;
        self.fence.extend(from, lasts);
    }

    /// The Lease is lost.
    pub(super) fn lose(&self) {
        self.fence.close();
    }
}
