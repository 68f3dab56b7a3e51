//! Symbols: strings that are compared often, kept once.
//!
//! A label key, a taint, a resource name: each is interned when an object arrives and is one pointer from then on. A symbol
//! is never freed, so what differs from object to object is none: label values are [`Text`](crate::Text)s, and names that are
//! never compared (pod names, uids) are plain strings.

use std::{
    fmt,
    hash::{Hash, Hasher},
    ptr,
    sync::{LazyLock, Mutex, PoisonError},
};

use rustc_hash::FxHashMap;

/// An interned string: copied freely, equal by address, ordered by its text.
///
/// The order does not depend on which string was seen first, so a sorted list of symbols reads the same in every process.
#[derive(Clone, Copy)]
pub struct Symbol(&'static Entry);

/// What is kept for each distinct text.
struct Entry {
    text: Box<str>,
    /// Hashed in place of the text: the place in the order of arrival.
    number: u32,
    /// The text as `strconv.ParseInt` reads it, for the Gt and Lt operators.
    integer: Option<i64>,
}

static TABLE: LazyLock<Mutex<FxHashMap<&'static str, Symbol>>> = LazyLock::new(Mutex::default);

// === impl Symbol ===

impl Symbol {
    /// The symbol of `text`.
    pub fn new(text: &str) -> Self {
        let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(symbol) = table.get(text) {
            return *symbol;
        }
        let number = u32::try_from(table.len()).unwrap_or(u32::MAX);
        let entry: &'static Entry =
            Box::leak(Box::new(Entry { text: text.into(), number, integer: go_integer(text) }));
        let symbol = Self(entry);
        table.insert(&entry.text, symbol);
        symbol
    }

    /// The symbol of `text`, if anything made it one: a text of any number is asked for without a trace.
    pub fn known(text: &str) -> Option<Self> {
        TABLE.lock().unwrap_or_else(PoisonError::into_inner).get(text).copied()
    }

    /// The text.
    pub fn as_str(self) -> &'static str {
        &self.0.text
    }

    /// The text as a 64-bit integer, read as Go's `strconv.ParseInt(s, 10, 64)` does: a sign and leading zeros are fine.
    pub fn integer(self) -> Option<i64> {
        self.0.integer
    }

    /// Whether the text is empty.
    pub fn is_empty(self) -> bool {
        self.0.text.is_empty()
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.number.hash(state);
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Symbol {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        if self == other { std::cmp::Ordering::Equal } else { self.0.text.cmp(&other.0.text) }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl From<&str> for Symbol {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// Rust's parser takes what Go's does here: an optional sign and ASCII digits, no underscores, no spaces.
fn go_integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Symbol;

    #[test]
    fn equal_text_is_one_symbol() {
        assert_eq!(Symbol::new("zone"), Symbol::new(&String::from("zone")));
        assert_ne!(Symbol::new("zone"), Symbol::new("Zone"));
    }

    #[test]
    fn order_is_that_of_the_text() {
        let (later, earlier) = (Symbol::new("order-b"), Symbol::new("order-a"));
        assert!(earlier < later);
    }

    #[test]
    fn integers_are_read_as_go_reads_them() {
        let read = |text| Symbol::new(text).integer();
        assert_eq!(read("007"), Some(7));
        assert_eq!(read("+7"), Some(7));
        assert_eq!(read("-7"), Some(-7));
        assert_eq!([read("4.5"), read(""), read(" 7"), read("9223372036854775808")], [None; 4]);
    }
}
