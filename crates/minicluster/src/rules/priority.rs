//! `PriorityClasses`.

use serde_json::Value;

use super::{
    PLAIN,
    at::{At, fill},
};
use crate::{FieldError, kind::Rules};

/// The highest priority that is not the system's.
const MOST: i64 = 1_000_000_000;

/// The classes that every cluster has, with their priorities.
pub(crate) const SYSTEM: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// What is done with `PriorityClasses`.
pub(crate) const RULES: Rules = Rules {
    defaults: |class| fill(class, "preemptionPolicy", "PreemptLowerPriority"),
    validate,
    validate_update,
    generation: true,
    ..PLAIN
};

fn validate(class: &Value) -> Vec<FieldError> {
    let root = At::root(class);
    let name = root.at(&["metadata", "name"]);
    let value = root.field("value");
    let number = value.number().unwrap_or_default();
    let mut errors = Vec::new();
    if name.text().starts_with("system-") {
        let why = match SYSTEM.iter().find(|(known, _)| *known == name.text()) {
            None => Some(format!("{} is not a known system priority class", name.text())),
            Some((known, priority)) if *priority != number => {
                Some(format!("value of {known} PriorityClass must be {priority}"))
            }
            Some((known, _)) if root.field("globalDefault").is_true() => {
                Some(format!("globalDefault of {known} PriorityClass must be false"))
            }
            Some(_) => None,
        };
        errors.extend(why.map(|why| {
            name.forbidden(format!(
                "priority class names with 'system-' prefix are reserved for system use only. error: {why}"
            ))
        }));
    } else if number > MOST {
        let detail = format!("maximum allowed value of a user defined priority is {MOST}");
        errors.push(value.forbidden(detail));
    }
    errors.extend(root.field("preemptionPolicy").one_of(&["PreemptLowerPriority", "Never"]));
    errors
}

fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let (new, old) = (At::root(new), At::root(old));
    let mut errors = Vec::new();
    let value = |class: &At<'_>| class.field("value").number().unwrap_or_default();
    if value(&new) != value(&old) {
        errors.push(new.field("value").forbidden("may not be changed in an update."));
    }
    errors.extend(new.field("preemptionPolicy").unchanged(&old.field("preemptionPolicy")));
    errors
}
