//! Roles and bindings. They are kept, and looked at by whoever authorises.

use serde_json::Value;

use super::{
    PLAIN,
    at::{At, each, fill, object},
    names,
};
use crate::{FieldError, kind::Rules};

const GROUP: &str = "rbac.authorization.k8s.io";

/// What is done with roles.
pub(crate) const ROLE: Rules = Rules { create_on_update: true, ..PLAIN };

/// What is done with bindings in a namespace.
pub(crate) const BINDING: Rules =
    Rules { defaults, validate: subjects, validate_update, create_on_update: true, ..PLAIN };

/// What is done with bindings for the whole cluster.
pub(crate) const CLUSTER_BINDING: Rules = Rules { validate: placed_subjects, ..BINDING };

fn defaults(binding: &mut Value) {
    if let Some(role) = object(binding, "roleRef") {
        fill(role, "apiGroup", GROUP);
    }
    for subject in each(binding, "subjects") {
        if subject.get("kind").is_some_and(|kind| kind == "User" || kind == "Group") {
            fill(subject, "apiGroup", GROUP);
        }
    }
}

fn subjects(binding: &Value) -> Vec<FieldError> {
    At::root(binding).field("subjects").items().flat_map(|subject| objections(&subject)).collect()
}

/// Where there is no namespace around, accounts have to name theirs.
fn placed_subjects(binding: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for subject in At::root(binding).field("subjects").items() {
        errors.extend(objections(&subject));
        let namespace = subject.field("namespace");
        if subject.field("kind").text() == "ServiceAccount" && namespace.is_empty() {
            errors.push(namespace.required(""));
        }
    }
    errors
}

fn objections(subject: &At<'_>) -> Vec<FieldError> {
    let (kind, name, group) =
        (subject.field("kind"), subject.field("name"), subject.field("apiGroup"));
    let mut errors = Vec::new();
    if name.is_empty() {
        errors.push(name.required(""));
    }
    match kind.text() {
        "ServiceAccount" => {
            if !name.is_empty() {
                errors.extend(name.objections(names::subdomain(name.text())));
            }
            if !group.is_empty() {
                errors.push(group.not_supported(&[""]));
            }
        }
        "User" | "Group" => {
            if group.text() != GROUP {
                errors.push(group.not_supported(&[GROUP]));
            }
        }
        _ => errors.push(kind.not_supported(&["ServiceAccount", "User", "Group"])),
    }
    errors
}

fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let (role, before) = (At::root(new).field("roleRef"), At::root(old).field("roleRef"));
    if role.value == before.value {
        return Vec::new();
    }
    vec![role.invalid("cannot change roleRef")]
}
