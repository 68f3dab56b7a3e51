//! What is wrong with a manifest, said in one line: which object, where in it, and why.

use std::fmt;

/// A manifest that is refused. Shown as one line; whoever knows the file puts its name in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// Kind and name, `Pod default/web`; the kind alone when there is no name.
    pub object: Option<String>,
    /// The place in the object, `spec.containers[0].resources.requests[cpu]`; empty for the object as a whole.
    pub path: String,
    /// What is wrong there.
    pub problem: String,
    /// The place in the text, where object and path do not tell.
    pub location: Option<Location>,
}

/// A place in a text of manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Counted from 1.
    Position {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A column in a text of one line, counted from 1.
    Column(usize),
    /// A document of a stream, counted from 1.
    Document(usize),
}

// === impl ManifestError ===

impl ManifestError {
    /// The error of an entry of a list. An entry that has a name is found by it, one without by its place; a place in the
    /// text of the entry says nothing.
    pub(crate) fn within(mut self, field: &str, index: usize) -> Self {
        self.location = None;
        if !self.has_name() {
            let dot = if self.path.is_empty() { "" } else { "." };
            self.path = format!("{field}[{index}]{dot}{}", self.path);
        }
        self
    }

    /// Whether the object has a name, beside its kind.
    pub(crate) fn has_name(&self) -> bool {
        self.object.as_ref().is_some_and(|object| object.contains(' '))
    }
}

impl std::error::Error for ManifestError {}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = self.location {
            write!(f, "{location}: ")?;
        }
        if let Some(object) = &self.object {
            write!(f, "{object}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.problem)
    }
}

// === impl Location ===

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position { line, column } => write!(f, "line {line}, column {column}"),
            Self::Column(column) => write!(f, "column {column}"),
            Self::Document(number) => write!(f, "document {number}"),
        }
    }
}
