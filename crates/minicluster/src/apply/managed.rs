//! `metadata.managedFields`: who owns which fields.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use super::fields::FieldSet;

/// More managers than these with operation `Update` are not kept apart.
const MOST_UPDATERS: usize = 10;

/// Who owns the oldest fields of too many managers.
const ANCIENT: &str = "ancient-changes";

/// How a manager came to own fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    /// It applied them.
    Apply,
    /// It wrote them any other way.
    Update,
}

/// What one manager owns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) manager: Box<str>,
    pub(super) operation: Operation,
    pub(super) api_version: Box<str>,
    /// When it last changed its fields.
    pub(super) time: Option<Box<str>>,
    /// The subresource that it wrote; empty for the object itself.
    pub(super) subresource: Box<str>,
    pub(super) fields: FieldSet,
}

/// All managers of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Managed(pub(super) Vec<Entry>);

// === impl Managed ===

impl Managed {
    /// Reads the field of an object's metadata; nothing when it is malformed.
    pub(super) fn decode(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(Entry::decode).collect::<Option<Vec<_>>>().map(Self)
    }

    /// The written form, sorted; nothing when nobody owns anything.
    pub(super) fn encode(mut self) -> Option<Value> {
        if self.0.is_empty() {
            return None;
        }
        self.0.sort_by(Entry::order);
        Some(Value::Array(self.0.into_iter().map(Entry::encode).collect()))
    }

    /// The entry of the same manager.
    pub(super) fn position(&self, of: &Entry) -> Option<usize> {
        self.0.iter().position(|entry| entry.is_same_manager(of))
    }

    /// Takes out managers that own nothing.
    pub(super) fn drop_empty(&mut self) {
        self.0.retain(|entry| !entry.fields.is_empty());
    }

    /// All fields that have an owner.
    pub(super) fn owned(&self) -> FieldSet {
        let mut all = FieldSet::default();
        for entry in &self.0 {
            all.unite(entry.fields.clone());
        }
        all
    }

    /// Merges the oldest updaters of each version into one until there are few enough.
    pub(super) fn limit_updaters(&mut self) {
        let updaters = self.0.iter().filter(|entry| entry.operation == Operation::Update).count();
        if updaters <= MOST_UPDATERS {
            return;
        }
        self.0.sort_by(Entry::order);
        let mut excess = updaters - MOST_UPDATERS;
        let entries = std::mem::take(&mut self.0);
        let mut firsts: Vec<usize> = Vec::new();
        for entry in entries {
            let first = firsts
                .iter()
                .copied()
                .find(|&at| self.0.get(at).is_some_and(|o| o.api_version == entry.api_version));
            match first.and_then(|at| self.0.get_mut(at)) {
                Some(bucket) if excess > 0 && entry.operation == Operation::Update => {
                    bucket.manager = ANCIENT.into();
                    bucket.subresource = "".into();
                    bucket.time = entry.time;
                    bucket.fields.unite(entry.fields);
                    excess -= 1;
                }
                _ => {
                    if first.is_none() && entry.operation == Operation::Update {
                        firsts.push(self.0.len());
                    }
                    self.0.push(entry);
                }
            }
        }
    }
}

// === impl Entry ===

impl Entry {
    /// Managers that apply are the same in all versions.
    pub(super) fn is_same_manager(&self, other: &Self) -> bool {
        self.manager == other.manager
            && self.operation == other.operation
            && self.subresource == other.subresource
            && (self.operation == Operation::Apply || self.api_version == other.api_version)
    }

    /// The manager as messages name it: `"kubectl-edit" using apps/v1`.
    pub(super) fn shown(&self) -> String {
        let mut shown = format!("{:?}", self.manager);
        if !self.subresource.is_empty() {
            shown = format!("{shown} with subresource {:?}", self.subresource);
        }
        match self.operation {
            Operation::Apply => shown,
            Operation::Update => format!("{shown} using {}", self.api_version),
        }
    }

    /// Appliers first, then by time.
    fn order(&self, other: &Self) -> Ordering {
        self.operation
            .cmp(&other.operation)
            .then_with(|| self.time.cmp(&other.time))
            .then_with(|| self.manager.cmp(&other.manager))
            .then_with(|| self.api_version.cmp(&other.api_version))
            .then_with(|| self.subresource.cmp(&other.subresource))
    }

    fn decode(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let api_version = text("apiVersion").filter(|version| !version.is_empty())?;
        if text("fieldsType")? != "FieldsV1" {
            return None;
        }
        Some(Self {
            manager: text("manager").unwrap_or_default().into(),
            operation: match text("operation")? {
                "Apply" => Operation::Apply,
                "Update" => Operation::Update,
                _ => return None,
            },
            api_version: api_version.into(),
            time: text("time").map(Into::into),
            subresource: text("subresource").unwrap_or_default().into(),
            fields: match value.get("fieldsV1") {
                Some(fields) => FieldSet::decode(fields)?,
                None => FieldSet::default(),
            },
        })
    }

    fn encode(self) -> Value {
        let mut entry = Map::new();
        entry.insert("manager".to_owned(), json!(self.manager));
        entry.insert("operation".to_owned(), json!(self.operation.text()));
        entry.insert("apiVersion".to_owned(), json!(self.api_version));
        if let Some(time) = self.time {
            entry.insert("time".to_owned(), json!(time));
        }
        entry.insert("fieldsType".to_owned(), json!("FieldsV1"));
        entry.insert("fieldsV1".to_owned(), self.fields.encode());
        if !self.subresource.is_empty() {
            entry.insert("subresource".to_owned(), json!(self.subresource));
        }
        Value::Object(entry)
    }
}

// === impl Operation ===

impl Operation {
    const fn text(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}
