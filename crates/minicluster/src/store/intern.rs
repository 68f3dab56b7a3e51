//! Strings and label sets that many objects share are kept once.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::object::Labels;

/// Below this many entries nobody looks for dead ones.
const FIRST_SWEEP: usize = 4096;

/// What is shared. It forgets what only it still holds whenever it has doubled, so that it never holds more than twice what
/// is alive.
#[derive(Debug, Default)]
pub struct Interner {
    strings: FxHashSet<Arc<str>>,
    labels: FxHashSet<Labels>,
    sweep_at: usize,
}

// === impl Interner ===

impl Interner {
    /// The shared copy of a string.
    pub fn string(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.strings.get(text) {
            return Arc::clone(known);
        }
        self.sweep();
        let fresh: Arc<str> = Arc::from(text);
        self.strings.insert(Arc::clone(&fresh));
        fresh
    }

    /// The shared copy of labels, made of shared strings.
    pub fn labels(&mut self, labels: &Labels) -> Labels {
        if let Some(known) = self.labels.get(labels) {
            return known.clone();
        }
        let fresh: Labels =
            labels.iter().map(|(key, value)| (self.string(key), self.string(value))).collect();
        self.labels.insert(fresh.clone());
        fresh
    }

    fn sweep(&mut self) {
        if self.strings.len() < self.sweep_at.max(FIRST_SWEEP) {
            return;
        }
        self.labels.retain(|labels| !labels.is_unshared());
        self.strings.retain(|text| Arc::strong_count(text) > 1);
        self.sweep_at = self.strings.len() * 2;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_things_are_kept_once_and_forgotten_when_nobody_has_them() {
        let mut interner = Interner::default();
        let node = interner.string("node-1");
        assert!(Arc::ptr_eq(&node, &interner.string("node-1")));
        let labels = Labels::of(&json!({"metadata": {"labels": {"app": "web"}}}));
        let kept = interner.labels(&labels);
        for number in 0..10 * FIRST_SWEEP {
            interner.string(&number.to_string());
        }
        assert!(interner.strings.len() < 3 * FIRST_SWEEP);
        assert!(Arc::ptr_eq(&node, &interner.string("node-1")));
        assert_eq!(interner.labels(&labels), kept);
        drop(kept);
        interner.sweep_at = 0;
        for number in 0..2 * FIRST_SWEEP {
            interner.string(&format!("more-{number}"));
        }
        assert!(interner.labels.is_empty());
    }
}
