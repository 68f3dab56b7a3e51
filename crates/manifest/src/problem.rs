//! A problem on its way out of a conversion, which gathers the path to it.
//!
//! A conversion that succeeds spends nothing on paths: the steps are added by the callers of the one that failed.

use std::fmt::{self, Write as _};

use crate::Location;

/// What a conversion gives back.
pub(crate) type Checked<T> = Result<T, Problem>;

/// What is wrong, and where.
#[derive(Debug)]
pub(crate) struct Problem {
    /// The innermost step first.
    path: Vec<Step>,
    /// What is wrong.
    pub(crate) text: String,
    /// Where the text stops being JSON.
    pub(crate) location: Option<Location>,
}

/// One step of a path.
#[derive(Debug)]
pub(crate) enum Step {
    /// A field of an object.
    Field(String),
    /// A place in a list.
    Index(usize),
    /// A key that the user chose, shown in brackets: it may contain dots.
    Key(String),
}

/// Adds steps to the path of a problem.
pub(crate) trait At<T> {
    /// The problem is in this field.
    fn at(self, field: &str) -> Checked<T>;
    /// The problem is in this entry of a list.
    fn at_index(self, index: usize) -> Checked<T>;
    /// The problem is in the entry of a map that has this key.
    fn at_key(self, key: &str) -> Checked<T>;
}

/// Text that somebody wrote, in quotes; of a long one only the beginning.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

/// Longer than any name that Kubernetes takes in one piece.
const MOST_QUOTED: usize = 80;

/// Converts every entry of a list; the path of a problem names the field and the entry.
pub(crate) fn each<T, U, C: FromIterator<U>>(
    list: &[T],
    field: &str,
    convert: impl FnMut(&T) -> Checked<U>,
) -> Checked<C> {
    let mut convert = convert;
    let entries = list.iter().enumerate();
    entries.map(|(index, entry)| convert(entry).at_index(index)).collect::<Checked<C>>().at(field)
}

// === impl Problem ===

impl Problem {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { path: Vec::new(), text: text.into(), location: None }
    }

    /// For a field that has to be there.
    pub(crate) fn missing() -> Self {
        Self::new("is missing")
    }

    /// For a word that is none of a list.
    pub(crate) fn unknown(word: &str, what: &str, known: &[&str]) -> Self {
        let known = match known {
            [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
            known => known.concat(),
        };
        Self::new(format!("{} is not {what}, known are {known}", Quoted(word)))
    }

    /// The problem is in this field.
    pub(crate) fn in_field(mut self, field: &str) -> Self {
        self.path.push(Step::Field(field.to_owned()));
        self
    }

    /// The problem is in the entry of a map that has this key.
    pub(crate) fn in_entry(mut self, key: &str) -> Self {
        self.path.push(Step::Key(key.to_owned()));
        self
    }

    /// A problem with this path, the outermost step first.
    pub(crate) fn with_path(mut self, path: impl DoubleEndedIterator<Item = Step>) -> Self {
        self.path.extend(path.rev());
        self
    }

    /// The path from the object to the problem.
    pub(crate) fn path(&self) -> String {
        let mut path = String::new();
        for step in self.path.iter().rev() {
            // Writing to a string cannot fail.
            let _ = match step {
                Step::Field(name) if path.is_empty() => write!(path, "{name}"),
                Step::Field(name) => write!(path, ".{name}"),
                Step::Index(index) => write!(path, "[{index}]"),
                Step::Key(key) => write!(path, "[{key}]"),
            };
        }
        path
    }
}

impl<T> At<T> for Checked<T> {
    fn at(self, field: &str) -> Self {
        self.map_err(|problem| problem.in_field(field))
    }

    fn at_index(self, index: usize) -> Self {
        self.map_err(|mut problem| {
            problem.path.push(Step::Index(index));
            problem
        })
    }

    fn at_key(self, key: &str) -> Self {
        self.map_err(|problem| problem.in_entry(key))
    }
}

// === impl Quoted ===

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(MOST_QUOTED) {
            Some((end, _)) => write!(f, "\"{}…\"", self.0[..end].escape_debug()),
            None => write!(f, "\"{}\"", self.0.escape_debug()),
        }
    }
}
