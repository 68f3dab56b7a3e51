//! Namespaces.

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{At, fill, keep, object, set},
    keep_spec, text_at,
};
use crate::{FieldError, kind::Rules};

/// Every namespace carries its name as this label, so that selectors can name it.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The finalizer that the namespace controller takes off when the namespace is empty.
const FINALIZER: &str = "kubernetes";

/// What is done with namespaces.
pub(crate) const RULES: Rules = Rules {
    defaults,
    prepare_create,
    prepare_update: |new, old| {
        keep(new, old, "status");
        keep(new, old, "spec");
    },
    prepare_status: keep_spec,
    validate_status,
    fields: &[
        ("status.phase", |namespace| text_at(namespace, "/status/phase")),
        ("name", |namespace| text_at(namespace, "/metadata/name")),
    ],
    ..PLAIN
};

fn defaults(namespace: &mut Value) {
    if let Some(status) = object(namespace, "status") {
        fill(status, "phase", "Active");
    }
    let name = text_at(namespace, "/metadata/name");
    if name.is_empty() {
        return;
    }
    if let Some(labels) = object(namespace, "metadata").and_then(|data| object(data, "labels")) {
        set(labels, NAME_LABEL, name);
    }
}

fn prepare_create(namespace: &mut Value) {
    // A generated name is known only now.
    set(namespace, "status", json!({ "phase": "Active" }));
    defaults(namespace);
    let Some(spec) = object(namespace, "spec") else { return };
    let mut finalizers: Vec<Value> =
        spec.get("finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
    if !finalizers.iter().any(|finalizer| finalizer == FINALIZER) {
        finalizers.push(json!(FINALIZER));
    }
    set(spec, "finalizers", finalizers);
}

/// The phase says whether the namespace is being deleted.
fn validate_status(new: &Value, _: &Value) -> Vec<FieldError> {
    let root = At::root(new);
    let phase = root.at(&["status", "phase"]);
    let (wanted, detail) = if root.at(&["metadata", "deletionTimestamp"]).is_set() {
        ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty")
    } else {
        ("Active", "may only be 'Active' if `deletionTimestamp` is empty")
    };
    if phase.text() == wanted {
        return Vec::new();
    }
    vec![FieldError::invalid("status.Phase", phase.text(), detail)]
}
