//! Nodes.

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{At, fill, object, set},
    keep_spec, keep_status, names,
    pod::{placement, resources},
    selector,
};
use crate::{FieldError, error::FieldErrorKind, kind::Rules};

/// What is done with nodes. The status may be set on creation, as kubelets do.
pub(crate) const RULES: Rules = Rules {
    defaults,
    prepare_update: keep_status,
    prepare_status: keep_spec,
    validate,
    validate_update,
    validate_status: validate_update,
    fields: &[("spec.unschedulable", unschedulable)],
    ..PLAIN
};

fn defaults(node: &mut Value) {
    cidrs(node);
    let Some(status) = object(node, "status") else { return };
    if let Some(capacity) = status.get("capacity").cloned() {
        fill(status, "allocatable", capacity);
    }
}

/// `podCIDR` is the first of `podCIDRs`; who gives one gets both.
fn cidrs(node: &mut Value) {
    let Some(spec) = object(node, "spec") else { return };
    let at = At::root(spec);
    let (one, all) = (at.field("podCIDR"), at.field("podCIDRs"));
    if all.is_empty() && !one.is_empty() {
        let one = one.value.clone();
        set(spec, "podCIDRs", json!([one]));
    } else if let Some(first) = all.value.get(0).cloned() {
        set(spec, "podCIDR", first);
    }
}

fn validate(node: &Value) -> Vec<FieldError> {
    let root = At::root(node);
    let mut errors = Vec::new();
    taints(&root.at(&["spec", "taints"]), &mut errors);
    for list in ["capacity", "allocatable"] {
        let amounts = root.at(&["status", list]);
        for (name, amount) in amounts.entries() {
            let at = At::new(amount, format!("{}.{name}", amounts.path));
            resources::quantity(name, &at, &mut errors);
        }
    }
    errors
}

/// The real server checks taints and amounts again when a node changes, and lists twice what it finds.
fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut errors = validate(new);
    let (new, old) = (At::root(new), At::root(old));
    let addresses = new.at(&["status", "addresses"]);
    let mut seen = Vec::new();
    for address in addresses.items() {
        if seen.contains(&address.value) {
            errors.push(address.duplicate());
        }
        seen.push(address.value);
    }
    let (blocks, before) = (new.at(&["spec", "podCIDRs"]), old.at(&["spec", "podCIDRs"]));
    if !before.is_empty() && blocks.value != before.value {
        errors.push(
            blocks.forbidden("node updates may not change podCIDR except from \"\" to valid"),
        );
    }
    let (id, before) = (new.at(&["spec", "providerID"]), old.at(&["spec", "providerID"]));
    if !before.is_empty() && id.text() != before.text() {
        errors
            .push(id.forbidden("node updates may not change providerID except from \"\" to valid"));
    }
    errors
}

/// The real server says `metadata.taints`.
fn taints(taints: &At<'_>, errors: &mut Vec<FieldError>) {
    let taints = At::new(taints.value, "metadata.taints");
    let mut seen = Vec::new();
    for taint in taints.items() {
        let [key, value, effect] = ["key", "value", "effect"].map(|name| taint.field(name));
        errors.extend(selector::label_name(&key));
        let wrong = names::label_value(value.text());
        if !wrong.is_empty() {
            errors.push(value.invalid_text(wrong.join(";")));
        }
        errors.extend(placement::taint_effect(&effect));
        let pair = (key.text(), effect.text());
        if seen.contains(&pair) {
            let shown = format!(
                r#"{{"Key":"{}","Value":"{}","Effect":"{}","TimeAdded":{}}}"#,
                pair.0,
                value.text(),
                pair.1,
                taint.field("timeAdded").value,
            );
            let error = FieldError::new(
                FieldErrorKind::Duplicate,
                taint.path,
                taint.value.clone(),
                "taints must be unique by key and effect pair",
            );
            errors.push(error.showing(shown));
        }
        seen.push(pair);
    }
}

fn unschedulable(node: &Value) -> String {
    let closed = node.pointer("/spec/unschedulable") == Some(&Value::Bool(true));
    closed.to_string()
}
