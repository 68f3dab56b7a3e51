//! Texts: strings that are compared often and differ from object to object, kept once and freed with their last owner.
//!
//! Label values are texts: each Job brings values of its own, so a cluster sees any number of them over time. What is bounded
//! (label keys, resource names, groups) is a [`Symbol`], which is never freed.

use std::{
    borrow::Borrow,
    fmt,
    hash::{Hash, Hasher},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use rustc_hash::FxHashSet;

use crate::Symbol;

/// A shared string: equal by address, ordered by its text.
#[derive(Clone)]
pub struct Text(Arc<Entry>);

/// What is kept for each distinct text.
struct Entry {
    text: Box<str>,
    /// Hashed in place of the text: the place in the order of arrival.
    number: u64,
}

/// An entry of the table, found by its text.
struct Row(Text);

/// All texts that have owners, and some that had.
#[derive(Default)]
struct Table {
    rows: FxHashSet<Row>,
    /// How many texts have been made.
    made: u64,
    /// The number of rows at which the table is swept.
    sweep_at: usize,
}

/// A table of fewer rows is not worth a sweep.
const SMALL: usize = 4096;

static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(Mutex::default);

// === impl Text ===

impl Text {
    /// The text that reads so.
    pub fn new(text: &str) -> Self {
        TABLE.lock().unwrap_or_else(PoisonError::into_inner).text(text)
    }

    /// The text as it reads.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// The text as a 64-bit integer, read as Go's `strconv.ParseInt(s, 10, 64)` does: a sign and leading zeros are fine.
    pub fn integer(&self) -> Option<i64> {
        // Rust's parser takes what Go's does here: an optional sign and ASCII digits, no underscores, no spaces.
        self.0.text.parse().ok()
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.text.is_empty()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.number.hash(state);
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        if self == other { std::cmp::Ordering::Equal } else { self.0.text.cmp(&other.0.text) }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&Self> for Text {
    fn from(text: &Self) -> Self {
        text.clone()
    }
}

impl From<Symbol> for Text {
    fn from(symbol: Symbol) -> Self {
        Self::new(symbol.as_str())
    }
}

// === impl Table ===

impl Table {
    fn text(&mut self, text: &str) -> Text {
        if let Some(row) = self.rows.get(text) {
            return row.0.clone();
        }
        if self.rows.len() >= self.sweep_at.max(SMALL) {
            self.sweep();
        }
        let new = Text(Arc::new(Entry { text: text.into(), number: self.made }));
        self.made += 1;
        self.rows.insert(Row(new.clone()));
        new
    }

    /// Frees what only the table has. The next sweep comes when the table is twice as large, so that a text costs a constant
    /// number of looks.
    fn sweep(&mut self) {
        // A text that only the table owns cannot gain an owner meanwhile: the table is locked.
        self.rows.retain(|row| Arc::strong_count(&row.0.0) > 1);
        self.sweep_at = self.rows.len() * 2;
        self.rows.shrink_to(self.sweep_at);
    }
}

// === impl Row ===

impl Borrow<str> for Row {
    fn borrow(&self) -> &str {
        self.0.as_str()
    }
}

impl Hash for Row {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Row {}

#[cfg(test)]
mod tests {
    use super::{SMALL, Table, Text};

    #[test]
    fn equal_texts_are_one() {
        assert_eq!(Text::new("job-1"), Text::new(&String::from("job-1")));
        assert_ne!(Text::new("job-1"), Text::new("job-2"));
        assert!(Text::new("job-1") < Text::new("job-2"));
    }

    #[test]
    fn integers_are_read_as_go_reads_them() {
        let read = |text| Text::new(text).integer();
        assert_eq!(read("007"), Some(7));
        assert_eq!(read("+7"), Some(7));
        assert_eq!(read("-7"), Some(-7));
        assert_eq!([read("4.5"), read(""), read(" 7"), read("9223372036854775808")], [None; 4]);
    }

    #[test]
    fn texts_without_owners_are_freed() {
        let mut table = Table::default();
        let kept: Vec<Text> = (0..10).map(|number| table.text(&format!("kept-{number}"))).collect();
        for number in 0..50 * SMALL {
            table.text(&format!("job-{number}"));
            assert!(table.rows.len() <= SMALL, "{}", table.rows.len());
        }
        for (number, text) in kept.iter().enumerate() {
            assert_eq!(*text, table.text(&format!("kept-{number}")), "it is still the same");
        }
    }

    #[test]
    fn the_table_grows_with_what_is_owned_and_shrinks_with_it() {
        let mut table = Table::default();
        let owned: Vec<Text> =
            (0..4 * SMALL).map(|number| table.text(&format!("owned-{number}"))).collect();
        assert_eq!(table.rows.len(), 4 * SMALL);
        drop(owned);
        for number in 0..16 * SMALL {
            table.text(&format!("job-{number}"));
        }
        assert!(table.rows.len() <= SMALL, "{}", table.rows.len());
        assert!(table.rows.capacity() <= 4 * SMALL, "{}", table.rows.capacity());
    }

    #[test]
    fn a_text_that_comes_again_is_another_and_equal_to_itself() {
        let mut table = Table::default();
        let number = table.text("again").0.number;
        table.sweep();
        let (one, other) = (table.text("again"), table.text("again"));
        assert_eq!(one, other);
        assert_ne!(one.0.number, number);
    }
}
