//! Failures that come again and again, told as one.
//!
//! Who retries every few seconds would write a line each time. An outage is worth one line when it begins, one a minute while it lasts,
//! and one when it is over.

use jiff::{SignedDuration, Timestamp};

/// How often an outage that goes on is told.
const REMINDER: SignedDuration = SignedDuration::from_mins(1);

/// Whether something fails at the moment, and what was told of it.
#[derive(Debug, Default)]
pub struct Outage {
    ongoing: Option<Ongoing>,
}

/// How long an outage has lasted, to the second, and how often the call has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// How long; nothing when it begins. Written `2m 30s` by `{:#}`.
    pub lasted: SignedDuration,
    /// How often the call has failed.
    pub failures: u64,
}

#[derive(Debug)]
struct Ongoing {
    since: Timestamp,
    /// When it was last told.
    told: Timestamp,
    failures: u64,
}

// === impl Outage ===

impl Outage {
    /// The call failed. Its extent when it is time for a line about it.
    pub fn failed(&mut self, now: Timestamp) -> Option<Extent> {
        let Some(ongoing) = &mut self.ongoing else {
            self.ongoing = Some(Ongoing { since: now, told: now, failures: 1 });
            return Some(Extent { lasted: SignedDuration::ZERO, failures: 1 });
        };
        ongoing.failures += 1;
        if now.duration_since(ongoing.told) < REMINDER {
            return None;
        }
        ongoing.told = now;
        Some(ongoing.extent(now))
    }

    /// The call went well. The extent of the outage that this ends, if there was one.
    pub fn ended(&mut self, now: Timestamp) -> Option<Extent> {
        self.ongoing.take().map(|ongoing| ongoing.extent(now))
    }
}

// === impl Ongoing ===

impl Ongoing {
    fn extent(&self, now: Timestamp) -> Extent {
        let lasted = SignedDuration::from_secs(now.duration_since(self.since).as_secs());
        Extent { lasted, failures: self.failures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::constant(1_800_000_000 + second, 0)
    }

    #[test]
    fn an_outage_is_told_when_it_begins_once_a_minute_and_when_it_ends() {
        let mut outage = Outage::default();
        assert_eq!(outage.ended(at(0)), None, "nothing has failed");
        let told =
            (0..150).filter_map(|second| Some((second, outage.failed(at(second))?.failures)));
        assert_eq!(told.collect::<Vec<_>>(), [(0, 1), (60, 61), (120, 121)]);
        let extent = outage.ended(at(150)).unwrap();
        assert_eq!((extent.failures, format!("{:#}", extent.lasted)), (150, "2m 30s".to_owned()));
        assert_eq!(outage.ended(at(151)), None, "it is told once");
        assert_eq!(outage.failed(at(152)).map(|extent| extent.failures), Some(1), "another one");
    }
}
