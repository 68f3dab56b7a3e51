//! Whether this process may still change anything.
//!
//! A leader that was paused (`SIGSTOP`, a virtual machine that was suspended) learns only after its next election attempt that
//! another replica took over. Until then its calls under way would go on. So every call that changes something asks a [`Fence`]
//! immediately before it is sent, and the fence answers by the clocks alone: it lapses by itself when nobody extends it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use thiserror::Error;

use crate::Clock;

/// A permit to change something that lapses unless it is extended. Clones are the same fence.
#[derive(Clone, Debug)]
pub struct Fence {
    /// `None` for a process that has no competitor.
    permit: Option<Arc<Permit>>,
}

/// The permit has lapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this process is not the leader any more, so it changes nothing")]
pub struct Lapsed;

#[derive(Debug)]
struct Permit {
    clock: Clock,
    until: Mutex<Option<Until>>,
}

/// When the permit lapses, by two clocks. The monotonic clock stands still while a machine is suspended, the system's does not;
/// the one that is further counts.
#[derive(Clone, Copy, Debug)]
struct Until {
    monotonic: Timestamp,
    system: Option<SystemTime>,
}

// === impl Fence ===

impl Fence {
    /// A fence that never lapses: for a process that nobody competes with.
    pub const fn open() -> Self {
        Self { permit: None }
    }

    /// A fence that is closed until it is extended for the first time.
    pub fn closed(clock: Clock) -> Self {
        Self { permit: Some(Arc::new(Permit { clock, until: Mutex::new(None) })) }
    }

    /// The permit holds for `lasts`, counted from `from`: the moment before the call that renewed it was made. An open fence stays
    /// open.
    #[expect(
        clippy::disallowed_methods,
        reason = "the system's clock runs on while a machine is suspended"
    )]
    pub fn extend(&self, from: Timestamp, lasts: Duration) {
        let Some(permit) = &self.permit else { return };
        let monotonic = from.checked_add(lasts).unwrap_or(Timestamp::MAX);
        // What has passed since `from` is not given a second time.
        let left = Duration::try_from(monotonic.duration_since(permit.clock.now()));
        let system = SystemTime::now().checked_add(left.unwrap_or_default());
        permit.set(Some(Until { monotonic, system }));
    }

    /// The permit ends now.
    pub fn close(&self) {
        if let Some(permit) = &self.permit {
            permit.set(None);
        }
    }

    /// Whether something may be changed at this moment.
    #[expect(
        clippy::disallowed_methods,
        reason = "the system's clock runs on while a machine is suspended"
    )]
    pub fn check(&self) -> Result<(), Lapsed> {
        let Some(permit) = &self.permit else { return Ok(()) };
        let until = *permit.until.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = until.is_some_and(|until| {
            permit.clock.now() < until.monotonic
                && until.system.is_none_or(|system| SystemTime::now() < system)
        });
        if holds { Ok(()) } else { Err(Lapsed) }
    }
}

impl Default for Fence {
    fn default() -> Self {
        Self::open()
    }
}

// === impl Permit ===

impl Permit {
    fn set(&self, until: Option<Until>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_permit_lapses_by_itself() {
        let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
        let fence = Fence::closed(clock);
        assert_eq!(fence.check(), Err(Lapsed), "nobody has extended it");
        let from = clock.now();
        tokio::time::advance(Duration::from_secs(4)).await;
        fence.extend(from, Duration::from_secs(10));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(fence.check(), Ok(()));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(fence.check(), Err(Lapsed), "it counts from before the renewal");
        fence.extend(clock.now(), Duration::from_secs(10));
        assert_eq!(fence.clone().check(), Ok(()));
        fence.close();
        assert_eq!(fence.check(), Err(Lapsed));
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_no_competitor_is_never_stopped() {
        let fence = Fence::open();
        fence.close();
        tokio::time::advance(Duration::from_hours(1)).await;
        assert_eq!(fence.check(), Ok(()));
    }
}
