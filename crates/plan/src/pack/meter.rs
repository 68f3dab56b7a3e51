//! Effort, counted in steps rather than seconds, so that a plan is the same on any machine.

/// Counts the work done. One step is a few nanoseconds of a current core.
#[derive(Debug)]
pub(super) struct Meter {
    used: u64,
    limit: u64,
}

impl Meter {
    pub(super) const fn new(limit: u64) -> Self {
        Self { used: 0, limit }
    }

    /// Records work done.
    pub(super) fn charge(&mut self, steps: usize) {
        self.used = self.used.saturating_add(u64::try_from(steps).unwrap_or(u64::MAX));
    }

    pub(super) const fn spent(&self) -> bool {
        self.used >= self.limit
    }

    pub(super) const fn left(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }

    pub(super) const fn used(&self) -> u64 {
        self.used
    }

    /// Runs `work` with only a share of what is left, so that one phase cannot starve the next.
    pub(super) fn share<T>(&mut self, percent: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        let mut part = Self { used: 0, limit: self.left() / 100 * percent };
        let result = work(&mut part);
        self.used = self.used.saturating_add(part.used);
        result
    }
}
