//! Lists of the service of which not every entry can be read.
//!
//! An entry that cannot be read is not one that is missing. What it still says of itself decides whom it concerns: a pool that is one
//! group, a machine that belongs to one group. Only an entry that says nothing concerns everybody.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::wire::{Key, whole};

/// A list as the service sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listing<T> {
    /// What could be read.
    pub(super) read: Vec<T>,
    /// What could not.
    pub(super) unreadable: Vec<Unreadable>,
}

/// An entry that cannot be read, and what it still says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unreadable {
    /// Its number.
    pub(super) pk: Option<Key>,
    /// What the service calls it.
    pub(super) instance_id: Option<String>,
    /// The pool that a machine says it belongs to.
    pub(super) pool: Option<Key>,
    /// The group that a machine says it belongs to.
    pub(super) group_name: Option<String>,
    /// What it says it is for.
    pub(super) role: Option<String>,
    /// Whether a pool says that it is autoscaled.
    pub(super) autoscaled: Option<bool>,
    /// Why it cannot be read.
    pub(super) problem: String,
}

// === impl Listing ===

impl<T: DeserializeOwned> Listing<T> {
    /// Reads entry by entry.
    pub(super) fn of(entries: Vec<Value>) -> Self {
        let mut listing = Self { read: Vec::new(), unreadable: Vec::new() };
        for entry in entries {
            match T::deserialize(&entry) {
                Ok(read) => listing.read.push(read),
                Err(error) => listing.unreadable.push(Unreadable::of(&entry, error.to_string())),
            }
        }
        listing
    }
}

impl<T> From<Vec<T>> for Listing<T> {
    fn from(read: Vec<T>) -> Self {
        Self { read, unreadable: Vec::new() }
    }
}

// === impl Unreadable ===

impl Unreadable {
    fn of(entry: &Value, problem: String) -> Self {
        let number = |name: &str| entry.get(name).and_then(whole);
        let text = |name: &str| {
            let text = entry.get(name)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        Self {
            pk: number("pk"),
            instance_id: text("instance_id"),
            pool: number("pool"),
            group_name: text("group_name"),
            role: text("role"),
            autoscaled: entry.get("autoscaled").and_then(Value::as_bool),
            problem,
        }
    }

    /// How people find it.
    pub(super) fn name(&self) -> String {
        match (&self.instance_id, self.pk) {
            (Some(id), _) => id.clone(),
            (None, Some(pk)) => format!("number {pk}"),
            (None, None) => "without a name".to_owned(),
        }
    }
}
