//! Pods that wait for a node, and whose turn it is.
//!
//! | place         | leaves when                                             |
//! |---------------|---------------------------------------------------------|
//! | Active        | its turn comes: highest priority first, then oldest     |
//! | Trying        | it was bound, or it did not fit                         |
//! | Unschedulable | something changed that may help it                      |
//! | Resting       | its time is over: one second after the first attempt, twice that after each further one, ten at most |

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;

use crate::object::Key;

const FIRST_REST: SignedDuration = SignedDuration::from_secs(1);
const LONGEST_REST: SignedDuration = SignedDuration::from_secs(10);

/// All pods that wait.
#[derive(Debug, Default)]
pub(super) struct Queue {
    active: BTreeMap<Rank, Key>,
    resting: BTreeMap<(Timestamp, Rank), Key>,
    /// Those that only wait for a change.
    unschedulable: BTreeSet<Rank>,
    pods: FxHashMap<Key, Waiting>,
    keys: FxHashMap<u64, Key>,
    arrivals: u64,
}

/// Which changes may help a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hope {
    /// Room, or a node that looks different.
    Room,
    /// A pod that runs somewhere, too: it wants to be near others or evenly spread.
    Neighbours,
}

/// The order of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    priority: Reverse<i32>,
    created: Timestamp,
    /// Times are whole seconds, so that many pods have the same.
    arrival: u64,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    rank: Rank,
    hope: Hope,
    attempts: u32,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Active,
    Trying,
    Unschedulable { since: Timestamp },
    Resting { until: Timestamp },
}

// === impl Queue ===

impl Queue {
    /// A pod that waits from now on. One that waits already keeps its place, unless its priority has changed.
    pub(super) fn add(&mut self, key: &Key, priority: i32, created: Timestamp, hope: Hope) {
        if let Some(known) = self.pods.get(key) {
            if known.rank.priority.0 == priority && known.rank.created == created {
                return;
            }
            self.remove(key);
        }
        let arrival = self.arrivals;
        self.arrivals += 1;
        let rank = Rank { priority: Reverse(priority), created, arrival };
        self.active.insert(rank, key.clone());
        self.keys.insert(arrival, key.clone());
        self.pods.insert(key.clone(), Waiting { rank, hope, attempts: 0, place: Place::Active });
    }

    /// A pod that waits no longer.
    pub(super) fn remove(&mut self, key: &Key) {
        if let Some(Waiting { rank, place, .. }) = self.pods.remove(key) {
            self.keys.remove(&rank.arrival);
            self.take_out(rank, place);
        }
    }

    /// Whether the pod waits.
    #[cfg(test)]
    pub(super) fn holds(&self, key: &Key) -> bool {
        self.pods.contains_key(key)
    }

    /// The pod whose turn it is.
    pub(super) fn next(&mut self, now: Timestamp) -> Option<Key> {
        while let Some(((until, _), _)) = self.resting.first_key_value()
            && *until <= now
            && let Some(((_, rank), key)) = self.resting.pop_first()
        {
            self.set_place(&key, Place::Active);
            self.active.insert(rank, key);
        }
        let (_, key) = self.active.pop_first()?;
        self.set_place(&key, Place::Trying);
        Some(key)
    }

    /// The pod did not fit: it waits for a change.
    pub(super) fn refuse(&mut self, key: &Key, now: Timestamp) {
        if let Some(pod) = self.pods.get_mut(key) {
            let (rank, place) = (pod.rank, pod.place);
            pod.attempts = pod.attempts.saturating_add(1);
            pod.place = Place::Unschedulable { since: now };
            self.take_out(rank, place);
            self.unschedulable.insert(rank);
        }
    }

    /// The pod is tried again after a while, whatever happens.
    pub(super) fn rest(&mut self, key: &Key, now: Timestamp) {
        self.refuse(key, now);
        if let Some(pod) = self.pods.get_mut(key) {
            let (rank, until) = (pod.rank, later(now, rest_after(pod.attempts)));
            pod.place = Place::Resting { until };
            self.unschedulable.remove(&rank);
            self.resting.insert((until, rank), key.clone());
        }
    }

    /// Something changed: pods that may be helped by it get another turn, those that were just refused after a rest.
    pub(super) fn wake(&mut self, change: Hope, now: Timestamp) {
        for rank in std::mem::take(&mut self.unschedulable) {
            let Some(key) = self.keys.get(&rank.arrival) else { continue };
            let Some(pod) = self.pods.get_mut(key) else { continue };
            let Place::Unschedulable { since } = pod.place else { continue };
            if change == Hope::Neighbours && pod.hope != Hope::Neighbours {
                self.unschedulable.insert(rank);
                continue;
            }
            let until = later(since, rest_after(pod.attempts));
            if until <= now {
                pod.place = Place::Active;
                self.active.insert(rank, key.clone());
            } else {
                pod.place = Place::Resting { until };
                self.resting.insert((until, rank), key.clone());
            }
        }
    }

    /// When a pod's rest is over, if any rests.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.resting.first_key_value().map(|((until, _), _)| *until)
    }

    /// Whether it is some pod's turn now.
    pub(super) fn is_ready(&self, now: Timestamp) -> bool {
        !self.active.is_empty() || self.next_due().is_some_and(|due| due <= now)
    }

    fn set_place(&mut self, key: &Key, place: Place) {
        if let Some(pod) = self.pods.get_mut(key) {
            pod.place = place;
        }
    }

    fn take_out(&mut self, rank: Rank, place: Place) {
        match place {
            Place::Active => {
                self.active.remove(&rank);
            }
            Place::Trying => {}
            Place::Unschedulable { .. } => {
                self.unschedulable.remove(&rank);
            }
            Place::Resting { until } => {
                self.resting.remove(&(until, rank));
            }
        }
    }
}

fn rest_after(attempts: u32) -> SignedDuration {
    let doublings = attempts.saturating_sub(1).min(8);
    FIRST_REST.saturating_mul(1 << doublings).min(LONGEST_REST)
}

fn later(moment: Timestamp, by: SignedDuration) -> Timestamp {
    moment.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
