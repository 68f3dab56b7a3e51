//! How far what is known can be relied on, kind by kind.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use jiff::{SignedDuration, Timestamp};

use super::named::Name;
use crate::source::{Kinds, Watched};

/// Why no decision can be made on what is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Staleness {
    /// These have never been seen whole.
    Unseen(Vec<Watched>),
    /// This watch is broken, and has been for too long.
    Broken {
        /// Which.
        watched: Watched,
        /// Since when.
        since: Timestamp,
        /// Why, when it was last tried.
        problem: String,
    },
}

/// What is known about the watches.
#[derive(Debug)]
pub(super) struct Health {
    kinds: Kinds,
    complete: BTreeSet<Watched>,
    broken: BTreeMap<Watched, (Timestamp, String)>,
    /// While a list is told anew: what was there before and has not been told yet.
    missing: BTreeMap<Watched, BTreeSet<Name>>,
}

// === impl Health ===

impl Health {
    pub(super) fn new(kinds: Kinds) -> Self {
        let (complete, broken, missing) = Default::default();
        Self { kinds, complete, broken, missing }
    }

    pub(super) fn heard(&mut self, watched: Watched) {
        self.broken.remove(&watched);
    }

    pub(super) fn broken(&mut self, watched: Watched, problem: String, now: Timestamp) {
        let entry = self.broken.entry(watched).or_insert_with(|| (now, String::new()));
        entry.1 = problem;
    }

    /// The list is complete. Whether it is for the first time.
    pub(super) fn complete(&mut self, watched: Watched) -> bool {
        self.heard(watched);
        self.complete.insert(watched)
    }

    pub(super) fn begin(&mut self, watched: Watched, known: Vec<Name>) {
        self.missing.insert(watched, known.into_iter().collect());
    }

    /// An object was told.
    pub(super) fn told(&mut self, watched: Watched, name: &Name) {
        if let Some(missing) = self.missing.get_mut(&watched) {
            missing.remove(name);
        }
    }

    /// What was not told.
    pub(super) fn end(&mut self, watched: Watched) -> BTreeSet<Name> {
        self.missing.remove(&watched).unwrap_or_default()
    }

    pub(super) fn staleness(&self, now: Timestamp, limit: SignedDuration) -> Option<Staleness> {
        let unseen: Vec<Watched> =
            self.kinds.iter().filter(|watched| !self.complete.contains(watched)).collect();
        if !unseen.is_empty() {
            return Some(Staleness::Unseen(unseen));
        }
        let too_long = |since: &Timestamp| now.duration_since(*since) > limit;
        let mut broken = self.broken.iter();
        broken.find(|(_, (since, _))| too_long(since)).map(|(watched, (since, problem))| {
            Staleness::Broken { watched: *watched, since: *since, problem: problem.clone() }
        })
    }
}

// === impl Staleness ===

impl fmt::Display for Staleness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unseen(kinds) => {
                let kinds: Vec<&str> = kinds.iter().map(|watched| watched.plural()).collect();
                write!(f, "still waiting for the first list of {}", kinds.join(", "))
            }
            Self::Broken { watched, since, problem } => {
                write!(f, "{} cannot be watched since {since}: {problem}", watched.plural())
            }
        }
    }
}
