//! What time it is, in a way that tests can bend.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// A clock that runs with tokio's: where a test pauses or advances tokio's time, this one goes along, and nothing has to wait.
///
/// It never goes back, and it does not follow corrections of the system's clock after it was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// What it showed in the beginning.
    base: Timestamp,
    start: Instant,
}

// === impl Clock ===

impl Clock {
    /// The time of the system, from here on.
    #[expect(clippy::disallowed_methods, reason = "the one place where the time comes from")]
    pub fn system() -> Self {
        Self::starting_at(Timestamp::now())
    }

    /// A clock that shows `base` now. Needs a tokio runtime only where its time is paused.
    pub fn starting_at(base: Timestamp) -> Self {
        Self { base, start: Instant::now() }
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.start.elapsed()).unwrap_or(SignedDuration::MAX);
        self.base.checked_add(passed).unwrap_or(Timestamp::MAX)
    }

    /// Waits until the clock shows `moment`.
    pub async fn sleep_until(&self, moment: Timestamp) {
        let left = moment.duration_since(self.now());
        if let Ok(left) = Duration::try_from(left) {
            tokio::time::sleep(left).await;
        }
    }
}
