//! What is wrong with a file, said in one line.

use std::{error, fmt};

/// What reading a part of a file gives.
pub(crate) type Checked<T> = Result<T, ConfigError>;

/// A file that is refused. Shown as one line: `catalogue.yaml:12: groups[1].max: …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file.
    pub file: String,
    /// The line, counted from 1; `None` where the file as a whole is meant.
    pub line: Option<u64>,
    /// The place in the document, `groups[1].max`; empty for the whole of it.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

// === impl ConfigError ===

impl ConfigError {
    pub(crate) fn of_file(file: &str, problem: String) -> Self {
        Self { file: file.to_owned(), line: None, place: String::new(), problem }
    }

    pub(crate) fn at(line: Option<u64>, place: &str, problem: impl Into<String>) -> Self {
        let (file, place) = (String::new(), place.to_owned());
        Self { file, line, place, problem: problem.into() }
    }

    pub(crate) fn in_file(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.place.is_empty() {
            write!(f, ": {}", self.place)?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl error::Error for ConfigError {}
