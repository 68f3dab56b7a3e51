//! What is wrong with a scenario, said in one line.

use std::fmt;

use crate::{ManifestError, problem::Problem};

/// A scenario that is refused. Shown as one line: the place, then what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// Where: `groups[1].max`, `objects[3]`, or `line 3, column 7` for a text that cannot be read; empty for the whole file.
    pub place: String,
    /// What is wrong there. For an object it names the object and the place in it first.
    pub problem: String,
}

// === impl ScenarioError ===

impl ScenarioError {
    /// The problem is with, or within, this entry of `objects`.
    pub(super) fn within_object(mut self, index: usize) -> Self {
        self.place = match self.place.as_str() {
            "" => format!("objects[{index}]"),
            inner => format!("objects[{index}].{inner}"),
        };
        self
    }
}

impl std::error::Error for ScenarioError {}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.place, self.problem)
        }
    }
}

impl From<Problem> for ScenarioError {
    fn from(problem: Problem) -> Self {
        let path = problem.path();
        let place = match problem.location {
            // Where the text cannot be read, the line says more than how far the reader had come.
            Some(location) => location.to_string(),
            None => path,
        };
        Self { place, problem: problem.text }
    }
}

impl From<ManifestError> for ScenarioError {
    fn from(error: ManifestError) -> Self {
        Self { place: String::new(), problem: error.to_string() }
    }
}
