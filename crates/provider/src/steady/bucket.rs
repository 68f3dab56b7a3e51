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
        self.fill(now);
        self.tokens -= 1.0;
        self.wait()
    }

    /// Takes a token if there is one; the error is how long it takes until there is, with nothing taken.
    pub(super) fn try_take(&mut self, now: Instant) -> Result<(), Duration> {
        let wait = self.take(now);
        if wait.is_zero() {
            return Ok(());
        }
        self.tokens += 1.0;
        Err(wait)
    }

    fn fill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.filled = now;
        self.tokens = (self.tokens + passed * self.per_second).min(self.size);
    }

    /// How long it takes until the last token that was taken has come.
    fn wait(&self) -> Duration {
        let missing = -self.tokens / self.per_second;
        // A rate of nothing means no limit, rather than a wait without end.
        if missing > 0.0 && missing.is_finite() {
            Duration::try_from_secs_f64(missing).unwrap_or_default()
        } else {
            Duration::ZERO
        }
    }
}
