//! Roles and bindings. They are kept, and looked at by whoever authorises.

use serde_json::Value;

use super::{
    PLAIN,
    at::{At, each, fill, object},
};
use crate::{FieldError, kind::Rules};

const GROUP: &str = "rbac.authorization.k8s.io";

/// What is done with roles.
pub(crate) const ROLE: Rules = Rules { create_on_update: true, ..PLAIN };

/// What is done with bindings.
pub(crate) const BINDING: Rules =
    Rules { defaults, validate_update, create_on_update: true, ..PLAIN };

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

fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let (role, before) = (At::root(new).field("roleRef"), At::root(old).field("roleRef"));
    if role.value == before.value {
        return Vec::new();
    }
    vec![role.invalid("cannot change roleRef")]
}
