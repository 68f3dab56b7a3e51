//! A circuit breaker: who fails again and again is left alone for a while.

use std::time::Duration;

use tokio::time::Instant;

use crate::{Class, Error};

/// | state   | leaves when                              | to      |
/// |---------|------------------------------------------|---------|
/// | Closed  | so many calls failed in a row            | Open    |
/// | Open    | the rest is over and somebody calls      | Probing |
/// | Probing | that call succeeded                      | Closed  |
/// | Probing | it failed, or was never heard of again   | Open    |
#[derive(Debug)]
pub(super) struct Breaker {
    trip_after: u32,
    rest: Duration,
    failures: u32,
    state: State,
}

/// Why a call was refused.
#[derive(Debug)]
pub(super) struct Open {
    pub failures: u32,
    /// The failure that came last.
    pub last: Error,
    /// How long the rest still is.
    pub left: Duration,
}

#[derive(Debug)]
enum State {
    Closed,
    Open { until: Instant, last: Error },
    Probing { until: Instant, last: Error },
}

// === impl Breaker ===

impl Breaker {
    pub(super) fn new(trip_after: u32, rest: Duration) -> Self {
        Self { trip_after, rest, failures: 0, state: State::Closed }
    }

    /// Whether a call may go through now.
    pub(super) fn admit(&mut self, now: Instant) -> Result<(), Open> {
        match &self.state {
            State::Closed => Ok(()),
            State::Open { until, last } | State::Probing { until, last } if *until > now => {
                let left = until.saturating_duration_since(now);
                Err(Open { failures: self.failures, last: last.clone(), left })
            }
            // A probe whose caller went away must not keep the door shut for ever: it counts as failed after another rest.
            State::Open { last, .. } | State::Probing { last, .. } => {
                self.state = State::Probing { until: now + self.rest, last: last.clone() };
                Ok(())
            }
        }
    }

    /// How a call went. An answer is an answer, also one that says no; only silence and locked doors count as failures.
    pub(super) fn record(&mut self, error: Option<&Error>, now: Instant) {
        let Some(error) =
            error.filter(|error| matches!(error.class(), Class::Retry | Class::Auth | Class::Bug))
        else {
            self.failures = 0;
            self.state = State::Closed;
            return;
        };
        self.failures = self.failures.saturating_add(1);
        if self.failures >= self.trip_after {
            let rest = self.rest.max(error.retry_after().unwrap_or_default());
            self.state = State::Open { until: now + rest, last: error.clone() };
        }
    }
}
