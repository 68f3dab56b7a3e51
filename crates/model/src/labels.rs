//! Labels: the keys and values an object carries, and what may be one.

use std::fmt;

use crate::{Symbol, Text};

mod quoted;
mod validity;

pub(crate) use quoted::Quoted;
pub use validity::{LabelError, check_label_key, check_label_value};

/// The labels of one object: an immutable map from key to value.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Labels {
    /// Sorted by key, each key once, so that equal maps are equal slices. An object has about ten labels and keys are
    /// compared by address, which makes a scan quicker than any search.
    pairs: Box<[(Symbol, Text)]>,
}

// === impl Labels ===

impl Labels {
    /// The map of these pairs. Of several values for a key the last one counts.
    pub fn from_pairs<V: Into<Text>>(pairs: impl IntoIterator<Item = (Symbol, V)>) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().map(|(key, value)| (key, value.into())).collect();
        // Reversed, the last value of a key is the first one, which is the one `dedup` keeps.
        pairs.reverse();
        pairs.sort_by_key(|(key, _)| *key);
        pairs.dedup_by_key(|(key, _)| *key);
        Self { pairs: pairs.into_boxed_slice() }
    }

    /// These labels and others. Where a key has a value already, the other one counts.
    #[must_use]
    pub fn with<V: Into<Text>>(&self, others: impl IntoIterator<Item = (Symbol, V)>) -> Self {
        let others = others.into_iter().map(|(key, value)| (key, value.into()));
        Self::from_pairs(self.pairs.iter().cloned().chain(others))
    }

    /// The value of `key`.
    pub fn get(&self, key: Symbol) -> Option<&Text> {
        self.pairs.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    /// Whether there is a value for `key`, be it empty.
    pub fn contains_key(&self, key: Symbol) -> bool {
        self.get(key).is_some()
    }

    /// The pairs, sorted by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Symbol, &Text)> + '_ {
        self.pairs.iter().map(|(key, value)| (*key, value))
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no label.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

impl<V: Into<Text>> FromIterator<(Symbol, V)> for Labels {
    fn from_iter<I: IntoIterator<Item = (Symbol, V)>>(pairs: I) -> Self {
        Self::from_pairs(pairs)
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests;
