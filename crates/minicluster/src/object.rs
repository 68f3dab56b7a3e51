//! Objects as the store keeps them.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serializer as _;
use serde_json::Value;

pub use self::labels::Labels;

mod labels;

/// One version of one object. Cheap to share: a list, the history and every watch hold the same one.
#[derive(Debug)]
pub struct Object {
    /// Which object.
    pub key: Key,
    /// `metadata.uid`.
    pub uid: Box<str>,
    /// `metadata.resourceVersion`.
    pub revision: u64,
    /// Its labels, for selectors. The pods of a workload share them.
    pub labels: Labels,
    /// The values of the fields that field selectors may name, in the order of the kind's list. Shared, because thousands of
    /// pods run on one node or are `Running`.
    pub fields: Box<[Arc<str>]>,
    /// The whole object as JSON, `apiVersion` and `kind` included and first. Bytes rather than a tree: a tree is ten times as
    /// large, and lists and watches only ever copy it out.
    pub json: Bytes,
}

/// Which object: a kind's objects are sorted by namespace, then name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The namespace; empty for kinds of the cluster.
    pub namespace: Arc<str>,
    /// The name.
    pub name: Arc<str>,
}

// === impl Object ===

impl Object {
    /// The object as a tree.
    pub fn value(&self) -> Value {
        // The store only takes what it serialised itself.
        serde_json::from_slice(&self.json).unwrap_or_default()
    }

    /// The JSON without the leading `{` and without `apiVersion` and `kind`: what follows a `{` in a list of a built-in kind.
    pub fn untyped(&self) -> &[u8] {
        // These two come first, see `encode`; no value of theirs needs escaping, so that a quote ends it.
        const STRINGS: usize = 4;
        let mut quotes = 0;
        for (at, byte) in self.json.iter().enumerate() {
            quotes += usize::from(*byte == b'"');
            if quotes == 2 * STRINGS {
                let rest = self.json.get(at + 1..).unwrap_or_default();
                return rest.strip_prefix(b",").unwrap_or(rest);
            }
        }
        &self.json
    }

    /// The same state under another revision: what a watch shows of an object that is gone, or that left its selector.
    #[must_use]
    pub fn at_revision(&self, revision: u64) -> Self {
        let mut value = self.value();
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("resourceVersion".to_owned(), Value::from(revision.to_string()));
        }
        Self {
            key: self.key.clone(),
            uid: self.uid.clone(),
            revision,
            labels: self.labels.clone(),
            fields: self.fields.clone(),
            json: encode(&value),
        }
    }
}

/// An object's JSON, with `apiVersion` and `kind` first: [`Object::untyped`] counts on it.
pub fn encode(object: &Value) -> Bytes {
    let Value::Object(members) = object else { return Bytes::from(object.to_string()) };
    let is_type = |key: &str| key == "apiVersion" || key == "kind";
    let first = members.iter().filter(|(key, _)| is_type(key));
    let rest = members.iter().filter(|(key, _)| !is_type(key));
    let mut text = Vec::new();
    // Writing a tree with string keys into memory cannot fail.
    let _ = serde_json::Serializer::new(&mut text).collect_map(first.chain(rest));
    // Boxed, so that what the vector had in reserve is not kept for as long as the object lives.
    Bytes::from(text.into_boxed_slice())
}

// === impl Key ===

impl Key {
    /// The object `name` in `namespace`.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: Arc::from(namespace), name: Arc::from(name) }
    }
}

#[cfg(test)]
mod tests;
