//! Equal values, kept once.

use std::{hash::Hash, sync::Arc};

use rustc_hash::FxHashSet;

/// Hands out one shared value for all equal ones.
#[derive(Debug)]
pub(crate) struct Interner<T>(FxHashSet<Arc<T>>);

// === impl Interner ===

impl<T: Eq + Hash> Interner<T> {
    /// The shared value that equals `value`.
    pub(crate) fn share(&mut self, value: T) -> Arc<T> {
        if let Some(known) = self.0.get(&value) {
            return Arc::clone(known);
        }
        let shared = Arc::new(value);
        self.0.insert(Arc::clone(&shared));
        shared
    }

    /// Forgets values that nobody holds any more.
    pub(crate) fn sweep(&mut self) {
        self.0.retain(|value| Arc::strong_count(value) > 1);
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self(FxHashSet::default())
    }
}
