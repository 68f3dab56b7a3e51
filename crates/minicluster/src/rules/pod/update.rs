//! What may change in a pod.

use serde_json::Value;

use crate::{
    FieldError,
    rules::at::{At, each, is_empty, keep, remove, same, set},
};

const UPDATABLE: &str = "pod updates may not change fields other than \
    `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";

/// What is wrong with a change of a pod.
pub(super) fn check(new: &Value, old: &Value) -> Vec<FieldError> {
    let (now, before) = (At::root(new).field("spec"), At::root(old).field("spec"));
    let mut errors = Vec::new();
    for name in ["containers", "initContainers"] {
        if now.field(name).len() != before.field(name).len() {
            let at = now.field(name);
            return vec![at.forbidden("pod updates may not add or remove containers")];
        }
    }
    if let Some(error) = deadline(&now, &before) {
        return vec![error];
    }
    errors.extend(only_added_tolerations(&now.field("tolerations"), &before.field("tolerations")));
    errors.extend(only_deleted_gates(
        &now.field("schedulingGates"),
        &before.field("schedulingGates"),
    ));
    errors.extend(narrower_node_selector(&now, &before));
    if !same(&without_updatable(new, old), before.value) {
        errors.push(now.forbidden(UPDATABLE));
    }
    errors
}

/// What is wrong with a change of a pod's status.
pub(super) fn check_status(new: &Value, old: &Value) -> Vec<FieldError> {
    let (now, before) = (At::root(new).field("status"), At::root(old).field("status"));
    let mut errors = Vec::new();
    errors.extend(now.field("qosClass").unchanged(&before.field("qosClass")));
    let nominated = now.field("nominatedNodeName");
    if nominated.text() != before.field("nominatedNodeName").text() && !nominated.is_empty() {
        errors.extend(nominated.objections(crate::rules::names::subdomain(nominated.text())));
    }
    errors
}

/// A deadline may be set and come nearer, and nothing else.
fn deadline(now: &At<'_>, before: &At<'_>) -> Option<FieldError> {
    let at = now.field("activeDeadlineSeconds");
    let old = before.field("activeDeadlineSeconds").number();
    match (at.number(), old) {
        (Some(new), Some(old)) if new > old => {
            Some(at.invalid("must be less than or equal to previous value"))
        }
        (None, Some(_)) => Some(at.invalid("must not update from a positive integer to nil value")),
        _ => None,
    }
}

/// Tolerations may come, and change how long they last.
fn only_added_tolerations(now: &At<'_>, before: &At<'_>) -> Option<FieldError> {
    let core = |toleration: &At<'_>| {
        ["key", "operator", "value", "effect"].map(|name| toleration.field(name).text().to_owned())
    };
    let kept = before.items().all(|old| now.items().any(|new| core(&new) == core(&old)));
    (!kept).then(|| {
        now.forbidden("existing toleration can not be modified except its tolerationSeconds")
    })
}

/// Gates may go.
fn only_deleted_gates(now: &At<'_>, before: &At<'_>) -> Vec<FieldError> {
    let known = |name: &str| before.items().any(|gate| gate.field("name").text() == name);
    now.items()
        .map(|gate| gate.field("name"))
        .filter(|name| !known(name.text()))
        .map(|name| {
            let found = name.text();
            name.forbidden(format!(
                "only deletion is allowed, but found new scheduling gate '{found}'"
            ))
        })
        .collect()
}

/// A pod that is held back may be asked for more of its node, not for less.
fn narrower_node_selector(now: &At<'_>, before: &At<'_>) -> Option<FieldError> {
    let (new, old) = (now.field("nodeSelector"), before.field("nodeSelector"));
    let gated = !before.field("schedulingGates").is_empty();
    let lost = old.entries().any(|(key, value)| new.value.get(key) != Some(value));
    (gated && lost).then(|| new.invalid("only additions are allowed (no mutations or deletions)"))
}

/// The new spec, with what may change put back to what it was.
fn without_updatable(new: &Value, old: &Value) -> Value {
    let mut spec = new.get("spec").cloned().unwrap_or_default();
    let before = old.get("spec").cloned().unwrap_or_default();
    for kind in ["containers", "initContainers"] {
        let images: Vec<Value> = At::root(&before)
            .field(kind)
            .items()
            .map(|container| container.field("image").value.clone())
            .collect();
        for (container, image) in each(&mut spec, kind).zip(images) {
            set(container, "image", image);
        }
    }
    for name in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        keep(&mut spec, &before, name);
    }
    let grace = |spec: &Value| spec.get("terminationGracePeriodSeconds").and_then(Value::as_i64);
    if grace(&before).is_some_and(|seconds| seconds < 0) && grace(&spec) == Some(1) {
        keep(&mut spec, &before, "terminationGracePeriodSeconds");
    }
    // While gates hold a pod back, whoever holds them may narrow where it goes.
    if !At::root(&before).field("schedulingGates").is_empty() {
        keep(&mut spec, &before, "nodeSelector");
        put_back_node_affinity(&mut spec, &before);
    }
    spec
}

fn put_back_node_affinity(spec: &mut Value, before: &Value) {
    let old = before.get("affinity").cloned().unwrap_or_default();
    let Some(affinity) = spec.get_mut("affinity").filter(|affinity| affinity.is_object()) else {
        return;
    };
    keep(affinity, &old, "nodeAffinity");
    if old.is_null() && is_empty(affinity) {
        remove(spec, "affinity");
    }
}
