//! Counting, and what the counts mean for the exit code.

use std::fmt;
use std::ops::{Add, AddAssign};

/// How many tests ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Ran and held.
    pub passed: u64,
    /// Ran and did not hold, or could not be run although it should.
    pub failed: u64,
    /// Not run: a tool is missing, or the test is marked as ignored.
    pub skipped: u64,
}

/// What a skipped test means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// On a person's machine a tool may be missing.
    SkipsAllowed,
    /// In CI it may not: a test that nobody runs is no test.
    SkipsFail,
}

// === impl Strictness ===

impl Strictness {
    /// Reads the environment variable `CI`.
    pub fn of(ci: Option<&str>) -> Self {
        if ci == Some("true") { Self::SkipsFail } else { Self::SkipsAllowed }
    }

    /// The counts that decide: where skips fail, they are counted as failures.
    pub fn judge(self, tally: Tally) -> Tally {
        match self {
            Self::SkipsAllowed => tally,
            Self::SkipsFail => {
                Tally { passed: tally.passed, failed: tally.failed + tally.skipped, skipped: 0 }
            }
        }
    }
}

// === impl Tally ===

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, skipped } = self;
        write!(formatter, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKIP: Tally = Tally { passed: 5, failed: 0, skipped: 2 };

    #[test]
    fn the_summary_has_one_form() {
        assert_eq!(SKIP.to_string(), "5 passed, 0 failed, 2 skipped");
    }

    #[test]
    fn a_skip_is_a_failure_in_ci_only() {
        let judged = |ci| Strictness::of(ci).judge(SKIP);
        assert_eq!(judged(None), SKIP);
        assert_eq!(judged(Some("false")), SKIP);
        assert_eq!(judged(Some("true")), Tally { passed: 5, failed: 2, skipped: 0 });
    }

    #[test]
    fn ci_does_not_fail_what_passed() {
        let passed = Tally { passed: 5, failed: 0, skipped: 0 };
        assert_eq!(Strictness::SkipsFail.judge(passed), passed);
    }
}
