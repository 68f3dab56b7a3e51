//! How far what is known can be relied on, kind by kind.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use jiff::{SignedDuration, Timestamp};

use plimsoll_net::{Outage, outage::Extent};
use tracing::{info, warn};

use super::named::Name;
use crate::source::{Kinds, Watched};

/// Why no decision can be made on what is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Staleness {
    /// These have never been seen whole.
    Unseen(Vec<Watched>),
    /// Nothing has been heard of this kind for too long, not even that nothing has changed.
    Silent {
        /// The kind that has been silent for longest.
        watched: Watched,
        /// When the last sign of life came.
        since: Timestamp,
        /// What went wrong when it was last tried, if anything did: a connection may freeze without an error.
        problem: Option<String>,
    },
}

/// What is known about the watches.
#[derive(Debug)]
pub(super) struct Health {
    kinds: Kinds,
    complete: BTreeSet<Watched>,
    /// When each kind was last heard of, by our own clock.
    heard: BTreeMap<Watched, Timestamp>,
    /// What went wrong since.
    problems: BTreeMap<Watched, String>,
    /// Kinds that cannot be watched, all told as one: it is nearly always the API server that cannot be reached.
    outage: Outage,
    /// While a list is told anew: what was there before and has not been told yet.
    missing: BTreeMap<Watched, BTreeSet<Name>>,
}

// === impl Health ===

impl Health {
    pub(super) fn new(kinds: Kinds) -> Self {
        let (complete, heard, problems, outage, missing) = Default::default();
        Self { kinds, complete, heard, problems, outage, missing }
    }

    /// Something was heard of a kind. Whether that ends trouble with it.
    pub(super) fn heard(&mut self, watched: Watched, now: Timestamp) -> bool {
        self.heard.insert(watched, now);
        let was_broken = self.problems.remove(&watched).is_some();
        if was_broken
            && self.problems.is_empty()
            && let Some(Extent { lasted, failures }) = self.outage.ended(now)
        {
            let lasted = format_args!("{lasted:#}");
            info!(lasted, failures, "API server reachable again, all watches run");
        }
        was_broken
    }

    pub(super) fn broken(&mut self, watched: Watched, problem: String, now: Timestamp) {
        if let Some(Extent { lasted, failures }) = self.outage.failed(now) {
            let (kind, lasted) = (watched.kind(), format_args!("{lasted:#}"));
            warn!(
                kind,
                error = problem,
                lasted,
                failures,
                "cannot watch the cluster; trying again"
            );
        }
        self.problems.insert(watched, problem);
    }

    /// The list is complete. Whether it is for the first time.
    pub(super) fn complete(&mut self, watched: Watched, now: Timestamp) -> bool {
        self.heard(watched, now);
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
        let unseen: Vec<Watched> = self.unseen().collect();
        if !unseen.is_empty() {
            return Some(Staleness::Unseen(unseen));
        }
        let (watched, since) = self.longest_silent()?;
        let problem = self.problems.get(&watched).cloned();
        let too_long = now.duration_since(since) > limit;
        too_long.then_some(Staleness::Silent { watched, since, problem })
    }

    /// Until when what is known can be relied on if nothing is heard from now on; `None` if it cannot be even now.
    pub(super) fn fresh_until(&self, limit: SignedDuration) -> Option<Timestamp> {
        if self.unseen().next().is_some() {
            return None;
        }
        let (_, since) = self.longest_silent()?;
        Some(since.checked_add(limit).unwrap_or(Timestamp::MAX))
    }

    fn unseen(&self) -> impl Iterator<Item = Watched> + '_ {
        self.kinds.iter().filter(|watched| !self.complete.contains(watched))
    }

    fn longest_silent(&self) -> Option<(Watched, Timestamp)> {
        let heard = self.kinds.iter().filter_map(|kind| Some((kind, *self.heard.get(&kind)?)));
        heard.min_by_key(|(_, since)| *since)
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
            Self::Silent { watched, since, problem } => {
                write!(f, "state of {} is stale since {since}: ", watched.plural())?;
                match problem {
                    Some(problem) => f.write_str(problem),
                    None => f.write_str("the watch shows no sign of life"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: SignedDuration = SignedDuration::from_secs(30);

    fn at(second: i64) -> Timestamp {
        Timestamp::constant(1_800_000_000 + second, 0)
    }

    /// All kinds were complete at second 0.
    fn whole() -> Health {
        let mut health = Health::new(Kinds::default());
        for watched in Kinds::default().iter() {
            assert!(matches!(health.staleness(at(0), LIMIT), Some(Staleness::Unseen(_))));
            assert_eq!(health.fresh_until(LIMIT), None);
            health.complete(watched, at(0));
        }
        health
    }

    #[test]
    fn what_is_known_grows_old_without_a_word_from_anybody() {
        let mut health = whole();
        assert_eq!(health.staleness(at(30), LIMIT), None);
        assert_eq!(health.fresh_until(LIMIT), Some(at(30)));
        assert!(health.staleness(at(31), LIMIT).is_some());
        for watched in Kinds::default().iter().filter(|watched| *watched != Watched::Pods) {
            health.heard(watched, at(20));
        }
        let stale = health.staleness(at(31), LIMIT).unwrap();
        let expected = Staleness::Silent { watched: Watched::Pods, since: at(0), problem: None };
        assert_eq!(stale, expected, "one kind is enough");
        health.heard(Watched::Pods, at(31));
        assert_eq!(health.staleness(at(50), LIMIT), None);
    }

    #[test]
    fn a_break_that_is_reported_counts_from_the_last_sign_of_life_and_not_from_the_report() {
        let mut health = whole();
        health.broken(Watched::Nodes, "connection refused".to_owned(), at(1));
        assert_eq!(health.staleness(at(30), LIMIT), None);
        health.broken(Watched::Nodes, "still refused".to_owned(), at(30));
        for watched in Kinds::default().iter().filter(|watched| *watched != Watched::Nodes) {
            health.heard(watched, at(31));
        }
        let stale = health.staleness(at(31), LIMIT).unwrap();
        let told = "state of nodes is stale since 2027-01-15T08:00:00Z: still refused";
        assert_eq!(stale.to_string(), told);
        assert!(health.heard(Watched::Nodes, at(31)), "it was in trouble");
        assert!(!health.heard(Watched::Nodes, at(32)));
    }
}
