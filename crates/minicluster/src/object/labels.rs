//! Labels that are compact and shared.

use std::sync::Arc;

use serde_json::Value;

/// Labels, sorted by key. A clone is the same labels, not a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Labels(Arc<[(Arc<str>, Arc<str>)]>);

// === impl Labels ===

impl Labels {
    /// The labels in `metadata.labels` of an object.
    pub fn of(object: &Value) -> Self {
        let labels = object.pointer("/metadata/labels").and_then(Value::as_object);
        let text = |value: &Value| Arc::from(value.as_str().unwrap_or_default());
        let pairs = labels.into_iter().flatten();
        pairs.map(|(key, value)| (Arc::from(key.as_str()), text(value))).collect()
    }

    /// The value of a label.
    pub fn get(&self, key: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(have, _)| (**have).cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| &**value)
    }

    /// Keys and values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Whether nobody else holds these labels.
    pub(crate) fn is_unshared(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

impl FromIterator<(Arc<str>, Arc<str>)> for Labels {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Arc<str>)>>(pairs: I) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort();
        pairs.dedup_by(|a, b| a.0 == b.0);
        Self(pairs.into())
    }
}
