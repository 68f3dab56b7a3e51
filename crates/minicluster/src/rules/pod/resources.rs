//! What is wrong with what a container asks for.

use plimsoll_model::Quantity;
use serde_json::Value;

use crate::{
    FieldError,
    rules::{at::At, names},
};

/// Everything that is wrong with a container's `resources`.
pub(super) fn check(resources: &At<'_>, errors: &mut Vec<FieldError>) {
    check_amounts(resources, &resource_name, errors);
}

/// What is wrong with limits and requests, where `check_name` finds what is wrong with a resource's name at a path.
pub(super) fn check_amounts(
    resources: &At<'_>,
    check_name: &dyn Fn(&str, &str, &mut Vec<FieldError>),
    errors: &mut Vec<FieldError>,
) {
    let (limits, requests) = (resources.field("limits"), resources.field("requests"));
    for (name, amount) in limits.entries() {
        let at = At::new(amount, format!("{}[{name}]", limits.path));
        check_name(name, &at.path, errors);
        quantity(name, &at, errors);
    }
    for (name, amount) in requests.entries() {
        let at = At::new(amount, format!("{}[{name}]", requests.path));
        check_name(name, &at.path, errors);
        quantity(name, &at, errors);
        within_limit(name, &at, &limits, &requests.path, errors);
    }
}

/// An amount of a resource may not be negative, and whole where the resource comes in pieces.
pub(crate) fn quantity(name: &str, at: &At<'_>, errors: &mut Vec<FieldError>) {
    let Some(amount) = parse(at.value) else { return };
    if amount.is_negative() {
        let detail = "must be greater than or equal to 0";
        errors.push(FieldError::invalid(at.path.as_str(), amount.to_string(), detail));
    }
    let in_pieces = name == "pods" || is_extended(name);
    if in_pieces && amount.milli().is_ok_and(|milli| milli % 1000 != 0) {
        let detail = "must be an integer";
        errors.push(FieldError::invalid(at.path.as_str(), amount.to_string(), detail));
    }
}

/// The amount, if it is one.
pub(crate) fn parse(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => Quantity::parse(text).ok(),
        Value::Number(number) => Quantity::parse(&number.to_string()).ok(),
        _ => None,
    }
}

fn within_limit(
    name: &str,
    request: &At<'_>,
    limits: &At<'_>,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    let overcommits = !is_extended(name) && !name.starts_with("hugepages-");
    let Some(asked) = parse(request.value) else { return };
    let limit = limits.value.get(name).and_then(parse);
    match limit {
        None if !overcommits => {
            errors.push(limits.required("Limit must be set for non overcommitable resources"));
        }
        Some(limit) if asked != limit && !overcommits => errors.push(FieldError::invalid(
            path,
            asked.to_string(),
            format!("must be equal to {name} limit of {limit}"),
        )),
        Some(limit) if asked > limit => errors.push(FieldError::invalid(
            path,
            asked.to_string(),
            format!("must be less than or equal to {name} limit of {limit}"),
        )),
        _ => {}
    }
}

fn resource_name(name: &str, path: &str, errors: &mut Vec<FieldError>) {
    let mut add = |detail: String| errors.push(FieldError::invalid(path, name, detail));
    let wrong = names::qualified(name);
    if !wrong.is_empty() {
        wrong.into_iter().for_each(&mut add);
    } else if !name.contains('/') {
        let for_containers = matches!(name, "cpu" | "memory" | "ephemeral-storage")
            || name.starts_with("hugepages-");
        if !for_containers {
            if !matches!(name, "storage" | "pods") {
                add("must be a standard resource type or fully qualified".to_owned());
            }
            add("must be a standard resource for containers".to_owned());
        }
    } else if name.starts_with("requests.") {
        add("doesn't follow extended resource name standard".to_owned());
    }
}

/// Whether a resource is somebody's own, such as `example.com/gpu`.
fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/")
}
