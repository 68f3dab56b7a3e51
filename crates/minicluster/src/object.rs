//! Objects as the store keeps them.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use serde_json::Value;

/// One version of one object. Cheap to share: a list, the history and every watch hold the same one.
#[derive(Debug)]
pub struct Object {
    /// Which object.
    pub key: Key,
    /// `metadata.uid`.
    pub uid: Box<str>,
    /// `metadata.resourceVersion`.
    pub revision: u64,
    /// Its labels, for selectors.
    pub labels: BTreeMap<Box<str>, Box<str>>,
    /// The values of the fields that field selectors may name, in the order of the kind's list.
    pub fields: Box<[Box<str>]>,
    /// The whole object as JSON, `apiVersion` and `kind` included. Bytes rather than a tree: a tree is ten times as large, and
    /// lists and watches only ever copy it out.
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
}
