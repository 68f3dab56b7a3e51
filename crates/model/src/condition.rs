//! What is said of objects: entries of `status.conditions`.

use jiff::Timestamp;

/// What is said of an object: one of its `status.conditions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `type`.
    pub name: Box<str>,
    /// Whether it is so.
    pub status: Truth,
    /// Why, in a word.
    pub reason: Box<str>,
    /// Why, in a sentence.
    pub message: Box<str>,
    /// `lastTransitionTime`, in whole seconds: the API keeps no more.
    pub at: Timestamp,
    /// `observedGeneration`: of which the word is.
    pub generation: Option<i64>,
}

/// Whether something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It is.
    True,
    /// It is not.
    False,
    /// Nobody knows.
    Unknown,
}

// === impl Truth ===

impl Truth {
    /// As conditions say it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}
