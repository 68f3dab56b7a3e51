//! What is to be looked at, now or later. Each thing is in the queue once, however often it is asked for.

use std::collections::{BTreeSet, VecDeque};

use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

use super::index::Ref;

/// One thing for one controller to look at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Work {
    /// Which controller, by its place in the list.
    pub(crate) controller: usize,
    /// What.
    pub(crate) target: Ref,
}

/// What is to be looked at.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    ready: VecDeque<Work>,
    queued: FxHashSet<Work>,
    /// By time, then in the order of arrival.
    later: BTreeSet<(Timestamp, u64)>,
    waiting: FxHashMap<u64, Work>,
    /// When each waiting thing is due: a second, later wish changes nothing.
    due: FxHashMap<Work, (Timestamp, u64)>,
    arrivals: u64,
    /// What is to be left alone until a moment.
    resting: FxHashMap<Work, Timestamp>,
}

// === impl Queue ===

impl Queue {
    /// Asks for a look as soon as it can be: at once, or when the rest is over.
    pub(crate) fn push(&mut self, work: Work, now: Timestamp) {
        match self.resting.get(&work).copied() {
            Some(until) if until > now => self.push_at(work, until),
            Some(_) => {
                self.resting.remove(&work);
                self.enqueue(work);
            }
            None => self.enqueue(work),
        }
    }

    /// Lets something be until a moment, whoever asks for a look at it; nothing if that is now.
    pub(crate) fn rest(&mut self, work: &Work, until: Timestamp, now: Timestamp) {
        if until > now {
            self.resting.insert(work.clone(), until);
        }
    }

    fn enqueue(&mut self, work: Work) {
        if self.queued.insert(work.clone()) {
            self.ready.push_back(work);
        }
    }

    /// Asks for a look at a moment. The earliest moment counts.
    pub(crate) fn push_at(&mut self, work: Work, moment: Timestamp) {
        if let Some(due) = self.due.get(&work).copied() {
            if due.0 <= moment {
                return;
            }
            self.later.remove(&due);
            self.waiting.remove(&due.1);
        }
        self.arrivals += 1;
        self.later.insert((moment, self.arrivals));
        self.due.insert(work.clone(), (moment, self.arrivals));
        self.waiting.insert(self.arrivals, work);
    }

    /// What to look at next.
    pub(crate) fn pop(&mut self, now: Timestamp) -> Option<Work> {
        while let Some(first) = self.later.first().copied().filter(|(moment, _)| *moment <= now) {
            self.later.remove(&first);
            if let Some(work) = self.waiting.remove(&first.1) {
                self.due.remove(&work);
                self.enqueue(work);
            }
        }
        let work = self.ready.pop_front()?;
        self.queued.remove(&work);
        Some(work)
    }

    /// When something waiting is due.
    pub(crate) fn next_moment(&self) -> Option<Timestamp> {
        self.later.first().map(|(moment, _)| *moment)
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::{object::Key, store::Resource};

    fn work(name: &str) -> Work {
        let target = Ref { resource: Resource::new("", "pods"), key: Key::new("", name) };
        Work { controller: 0, target }
    }

    #[test]
    fn what_is_asked_for_twice_comes_once() {
        let mut queue = Queue::default();
        let now = Timestamp::UNIX_EPOCH;
        queue.push(work("a"), now);
        queue.push(work("b"), now);
        queue.push(work("a"), now);
        assert_eq!(queue.pop(now), Some(work("a")));
        queue.push(work("a"), now);
        assert_eq!(queue.pop(now), Some(work("b")));
        assert_eq!(queue.pop(now), Some(work("a")));
        assert_eq!(queue.pop(now), None);
    }

    #[test]
    fn what_waits_comes_at_its_earliest_moment() {
        let mut queue = Queue::default();
        let at = |seconds| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds);
        queue.push_at(work("a"), at(9));
        queue.push_at(work("a"), at(5));
        queue.push_at(work("a"), at(7));
        assert_eq!(queue.next_moment(), Some(at(5)));
        assert_eq!(queue.pop(at(4)), None);
        assert_eq!(queue.pop(at(5)), Some(work("a")));
        assert_eq!(queue.pop(at(9)), None);
        assert_eq!(queue.next_moment(), None);
    }

    #[test]
    fn what_rests_comes_when_the_rest_is_over() {
        let mut queue = Queue::default();
        let at = |seconds| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds);
        queue.rest(&work("a"), at(3), at(0));
        queue.push(work("a"), at(1));
        queue.push(work("a"), at(2));
        assert_eq!(queue.pop(at(2)), None);
        assert_eq!(queue.next_moment(), Some(at(3)));
        assert_eq!(queue.pop(at(3)), Some(work("a")));
        queue.push(work("a"), at(4));
        assert_eq!(queue.pop(at(4)), Some(work("a")));
        assert_eq!(queue.next_moment(), None);
    }
}
