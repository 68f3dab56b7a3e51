//! Requests for machines that were sent and not answered.
//!
//! A host goes on with a request whose caller has left, and the machine may be there minutes later. Until it is listed, or cannot be
//! expected any more, nothing is made in its place: neither for its own order nor for a later one of the same group. What is forgotten
//! by a restart is found by [`surplus`](super::surplus).

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

/// A request that was not answered may take effect for so long after it was given up.
const IN_DOUBT: SignedDuration = SignedDuration::from_mins(3);

/// An order is not placed again after this time, and every later decision has seen its machines.
const FORGOTTEN: SignedDuration = SignedDuration::from_mins(30);

/// What was asked of the hosts without an answer.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// By group, in the order in which they were begun.
    of_group: BTreeMap<Box<str>, Vec<Attempt>>,
}

/// An order whose caller has no answer yet.
#[derive(Debug)]
struct Attempt {
    order: Box<str>,
    /// Machines that are explained: they were listed before the first request, or their requests were answered.
    known: u32,
    /// Requests without an answer.
    unanswered: u32,
    /// Machines that appeared without an answer, and that no later order counts as its own.
    late: u32,
    /// Machines of earlier orders that this one counts as its own.
    taken: u32,
    /// When something was last heard, or given up.
    since: Timestamp,
}

/// What the machines of a group are to an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// Machines of earlier orders that count as this one's: they appeared after it was decided.
    pub(super) taken: u32,
    /// Machines that may be there soon, of this order or an earlier one.
    pub(super) in_doubt: u32,
}

/// What a host lists of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listing<'l> {
    /// How many machines of each order there are.
    pub(super) by_order: &'l BTreeMap<Box<str>, u32>,
    /// Machines that were not listed when the order was decided and that were not made for it.
    pub(super) unforeseen: u32,
}

// === impl Attempts ===

impl Attempts {
    /// Compares what was asked for with what is listed, for an order that is about to be served.
    pub(super) fn review(
        &mut self,
        group: &str,
        order: &str,
        listing: Listing<'_>,
        now: Timestamp,
    ) -> Standing {
        let attempts = self.of_group.entry(group.into()).or_default();
        for attempt in attempts.iter_mut() {
            let listed = listing.by_order.get(&attempt.order).copied().unwrap_or_default();
            attempt.compare(listed, now);
        }
        attempts.retain(|attempt| now.duration_since(attempt.since) <= FORGOTTEN);
        let place = attempts.iter().position(|attempt| &*attempt.order == order);
        let place = place.unwrap_or_else(|| {
            let known = listing.by_order.get(order).copied().unwrap_or_default();
            attempts.push(Attempt::new(order, known, now));
            attempts.len() - 1
        });
        let in_doubt = attempts.iter().map(|attempt| attempt.unanswered).sum();
        let taken_before = attempts.get(place).map_or(0, |own| own.taken);
        let mut left = listing.unforeseen.saturating_sub(taken_before);
        let mut taken = 0;
        for earlier in attempts.iter_mut().take(place) {
            let some = earlier.late.min(left);
            earlier.late -= some;
            left -= some;
            taken += some;
        }
        if let Some(own) = attempts.get_mut(place) {
            own.taken += taken;
            taken = own.taken;
        }
        Standing { taken, in_doubt }
    }

    /// Records how many requests for machines of the order were answered (`done`) and how many were not.
    pub(super) fn record(
        &mut self,
        group: &str,
        order: &str,
        (done, unanswered): (u32, u32),
        now: Timestamp,
    ) {
        let attempts = self.of_group.entry(group.into()).or_default();
        if let Some(own) = attempts.iter_mut().find(|attempt| &*attempt.order == order) {
            own.known += done;
            own.unanswered += unanswered;
            own.since = now;
        }
    }

    /// The caller was told how many machines the order has.
    pub(super) fn close(&mut self, group: &str, order: &str) {
        if let Some(attempts) = self.of_group.get_mut(group) {
            attempts.retain(|attempt| &*attempt.order != order || attempt.unanswered > 0);
        }
    }
}

// === impl Attempt ===

impl Attempt {
    fn new(order: &str, known: u32, since: Timestamp) -> Self {
        Self { order: order.into(), known, unanswered: 0, late: 0, taken: 0, since }
    }

    fn compare(&mut self, listed: u32, now: Timestamp) {
        let arrived = listed.saturating_sub(self.known).min(self.unanswered);
        self.known += arrived;
        self.unanswered -= arrived;
        self.late += arrived;
        if now.duration_since(self.since) > IN_DOUBT {
            self.unanswered = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::Timestamp;

    use super::{Attempts, Listing, Standing};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// What the order `order` has where these machines of `one` and `two` are listed.
    fn review(
        attempts: &mut Attempts,
        order: &str,
        (one, two): (u32, u32),
        unforeseen: u32,
        second: i64,
    ) -> (u32, u32) {
        let by_order = BTreeMap::from([("one".into(), one), ("two".into(), two)]);
        let listing = Listing { by_order: &by_order, unforeseen };
        let Standing { taken, in_doubt } = attempts.review("api", order, listing, at(second));
        (taken, in_doubt)
    }

    #[test]
    fn a_request_without_an_answer_is_in_doubt_until_its_machine_is_listed_or_its_time_is_over() {
        let mut attempts = Attempts::default();
        assert_eq!(review(&mut attempts, "one", (0, 0), 0, 0), (0, 0));
        attempts.record("api", "one", (1, 2), at(10));
        assert_eq!(review(&mut attempts, "one", (1, 0), 0, 11), (0, 2));
        assert_eq!(review(&mut attempts, "one", (2, 0), 0, 12), (0, 1));
        assert_eq!(review(&mut attempts, "one", (2, 0), 0, 190), (0, 1));
        assert_eq!(review(&mut attempts, "one", (2, 0), 0, 191), (0, 0));
    }

    #[test]
    fn a_machine_that_is_late_serves_a_later_order_that_did_not_know_of_it() {
        let mut attempts = Attempts::default();
        review(&mut attempts, "one", (0, 0), 0, 0);
        attempts.record("api", "one", (0, 1), at(10));
        assert_eq!(review(&mut attempts, "two", (0, 0), 0, 20), (0, 1));
        assert_eq!(review(&mut attempts, "two", (1, 0), 1, 30), (1, 0));
        // Asked again it says the same, and no other order gets the machine.
        assert_eq!(review(&mut attempts, "two", (1, 0), 1, 31), (1, 0));
        assert_eq!(review(&mut attempts, "three", (1, 0), 1, 32), (0, 0));
    }

    #[test]
    fn a_machine_that_was_known_when_the_order_was_decided_does_not_serve_it() {
        let mut attempts = Attempts::default();
        review(&mut attempts, "one", (0, 0), 0, 0);
        attempts.record("api", "one", (0, 1), at(10));
        assert_eq!(review(&mut attempts, "two", (1, 0), 0, 20), (0, 0));
    }

    #[test]
    fn the_machines_of_an_order_that_was_answered_are_its_own() {
        let mut attempts = Attempts::default();
        review(&mut attempts, "one", (0, 0), 0, 0);
        attempts.record("api", "one", (0, 1), at(10));
        review(&mut attempts, "one", (1, 0), 0, 20);
        attempts.close("api", "one");
        assert_eq!(review(&mut attempts, "two", (1, 0), 1, 30), (0, 0));
    }
}
