//! What came of running the checks.

use std::fmt;

use super::Check;

/// What came of every check that was run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// In the order in which they were run.
    pub results: Vec<CheckResult>,
}

/// What came of one check.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// The check.
    pub check: &'static Check,
    /// What came of it.
    pub outcome: Outcome,
}

/// What can come of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The promise was kept.
    Passed,
    /// It was not, and this was seen.
    Failed(String),
    /// It could not be tried, because this is missing.
    NotApplicable(String),
}

// === impl Report ===

impl Report {
    /// Whether no check failed.
    pub fn conforms(&self) -> bool {
        self.failed().next().is_none()
    }

    /// The names of the checks whose promise was kept.
    pub fn passed(&self) -> impl Iterator<Item = &'static str> {
        self.named(|outcome| matches!(outcome, Outcome::Passed))
    }

    /// The names of the checks whose promise was broken.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        self.named(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    /// The names of the checks that could not be tried. Worth pinning in a test: a check that slips in here is one that is no longer
    /// made.
    pub fn not_applicable(&self) -> impl Iterator<Item = &'static str> {
        self.named(|outcome| matches!(outcome, Outcome::NotApplicable(_)))
    }

    /// What came of the check of this name, if it was run.
    pub fn outcome(&self, name: &str) -> Option<&Outcome> {
        let result = self.results.iter().find(|result| result.check.name == name);
        result.map(|result| &result.outcome)
    }

    fn named(&self, wanted: impl Fn(&Outcome) -> bool) -> impl Iterator<Item = &'static str> {
        self.results
            .iter()
            .filter(move |result| wanted(&result.outcome))
            .map(|result| result.check.name)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = |of: fn(&Check) -> &str| {
            self.results.iter().map(|result| of(result.check).len()).max().unwrap_or_default()
        };
        let (topics, names) = (wide(|check| check.topic), wide(|check| check.name));
        for CheckResult { check, outcome } in &self.results {
            write!(f, "{:topics$}  {:names$}  ", check.topic, check.name)?;
            match outcome {
                Outcome::Passed => writeln!(f, "passed")?,
                Outcome::NotApplicable(missing) => writeln!(f, "not applicable: {missing}")?,
                Outcome::Failed(seen) => {
                    writeln!(f, "FAILED: {seen}")?;
                    writeln!(f, "{:topics$}  promised: {}", "", check.promise)?;
                }
            }
        }
        let (passed, failed) = (self.passed().count(), self.failed().count());
        let missing = self.not_applicable().count();
        writeln!(f, "{passed} passed, {failed} failed, {missing} not applicable")
    }
}
