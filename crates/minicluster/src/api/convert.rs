//! One object under several versions: what is stored in one form is shown in the form that the request names.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::{
    Kind, Object,
    object::{Key, Labels, encode},
    schema,
    store::Interner,
};

/// How a field is called in `v1` and in `events.k8s.io/v1`.
const EVENT_FIELDS: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// The form in which a kind shows objects.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// What the JSON of an object of this form begins with.
    head: String,
    api_version: String,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Only `apiVersion` differs between versions.
    Plain,
    /// Kept as `v1`, where fields have other names.
    NewEvent,
}

// === impl View ===

impl View {
    pub(super) fn of(kind: &Kind) -> Self {
        let api_version = kind.api_version();
        let form = if &*kind.group == "events.k8s.io" { Form::NewEvent } else { Form::Plain };
        Self { head: format!("{{\"apiVersion\":\"{api_version}\","), api_version, form }
    }

    /// The object in this form.
    pub(super) fn show(&self, object: &Arc<Object>) -> Arc<Object> {
        if object.json.starts_with(self.head.as_bytes()) {
            return Arc::clone(object);
        }
        Arc::new(Object {
            key: object.key.clone(),
            uid: object.uid.clone(),
            revision: object.revision,
            labels: object.labels.clone(),
            fields: object.fields.clone(),
            json: encode(&self.value(object)),
        })
    }

    /// The object in this form, as a tree.
    pub(super) fn value(&self, object: &Object) -> Value {
        let mut value = object.value();
        if object.json.starts_with(self.head.as_bytes()) {
            return value;
        }
        if let Value::Object(members) = &mut value {
            members.insert("apiVersion".to_owned(), json!(self.api_version));
            if self.form == Form::NewEvent {
                for (core, new) in EVENT_FIELDS {
                    rename(members, core, new);
                }
                for field in ["reportingController", "reportingInstance"] {
                    // The old group shows these when they are empty, the new one does not.
                    if members.get(field).is_some_and(|text| text == "") {
                        members.remove(field);
                    }
                }
            }
        }
        value
    }

    /// Turns an object of this form into what is stored.
    pub(super) fn store(&self, value: &mut Value) {
        if let (Form::NewEvent, Value::Object(members)) = (self.form, &mut *value) {
            members.insert("apiVersion".to_owned(), json!("v1"));
            for (core, new) in EVENT_FIELDS {
                rename(members, new, core);
            }
            if let Some(stored) = schema::built_in("io.k8s.api.core.v1.Event") {
                schema::with_zero_values(&stored, value);
            }
        }
    }
}

fn rename(members: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = members.remove(from) {
        members.insert(to.to_owned(), value);
    }
}

/// Makes what the store keeps of an object in its stored form. `kind` is the kind of that form.
pub(super) fn object(
    kind: &Kind,
    mut value: Value,
    revision: u64,
    interner: &mut Interner,
) -> Object {
    super::metadata::set(&mut value, "resourceVersion", json!(revision.to_string()));
    kept(kind, &value, encode(&value), interner)
}

/// The same of an object that has its revision, and its JSON.
pub(super) fn kept(kind: &Kind, value: &Value, json: Bytes, interner: &mut Interner) -> Object {
    let text = |field| super::metadata::text(value, field);
    let fields = kind.field_values(value).map(|text| interner.string(&text)).collect();
    Object {
        key: Key { namespace: interner.string(text("namespace")), name: Arc::from(text("name")) },
        uid: text("uid").into(),
        revision: text("resourceVersion").parse().unwrap_or_default(),
        labels: interner.labels(&Labels::of(value)),
        fields,
        json,
    }
}
