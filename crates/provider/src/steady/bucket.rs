//! A rate limit: a bucket of tokens that fills slowly.

use std::time::Duration;

use tokio::time::Instant;

/// Tokens come at a steady rate, up to the bucket's size. Who takes one that is not there yet waits for it, in turn.
#[derive(Debug)]
pub(super) struct Bucket {
    per_second: f64,
    size: f64,
    /// Below zero when calls wait for tokens to come.
    tokens: f64,
    filled: Instant,
}

// === impl Bucket ===

impl Bucket {
    pub(super) fn new(per_second: f64, size: u32, now: Instant) -> Self {
        let size = f64::from(size.max(1));
        Self { per_second, size, tokens: size, filled: now }
    }

    /// Takes a token; answers how long to wait for it.
    pub(super) fn take(&mut self, now: Instant) -> Duration {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.filled = now;
        self.tokens = (self.tokens + passed * self.per_second).min(self.size) - 1.0;
        let missing = -self.tokens / self.per_second;
        // A rate of nothing means no limit, rather than a wait without end.
        if missing > 0.0 && missing.is_finite() {
            Duration::try_from_secs_f64(missing).unwrap_or_default()
        } else {
            Duration::ZERO
        }
    }
}
