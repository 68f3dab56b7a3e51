//! Metadata that all kinds share.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    at::At,
    names::{self, NameForm, Part},
};
use crate::{FieldError, Kind, error::FieldErrorKind};

/// How much all annotations of an object may hold together.
const ANNOTATION_BYTES: usize = 256 * 1024;

/// Finalizers that need no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// What is wrong with the metadata of a new object.
pub fn validate(kind: &Kind, object: &Value) -> Vec<FieldError> {
    let metadata = At::root(object).field("metadata");
    let mut errors = names_of(name_form(kind), &metadata);
    let namespace = metadata.field("namespace");
    if kind.is_namespaced() {
        if namespace.is_empty() {
            errors.push(namespace.required(""));
        } else {
            errors.extend(namespace.objections(names::label(namespace.text())));
        }
    } else if !namespace.is_empty() {
        errors.push(namespace.forbidden("not allowed on this type"));
    }
    errors.extend(metadata.field("generation").not_negative());
    errors.extend(common(&metadata));
    errors.extend(finalizers(&metadata.field("finalizers")));
    errors.extend(finalizer_names(kind, object));
    errors
}

/// Finalizers have a domain in front, but for three from the early days. Definitions and what they define are not asked for it.
pub(crate) fn finalizer_names(kind: &Kind, object: &Value) -> Vec<FieldError> {
    if kind.custom.is_some() || &*kind.group == "apiextensions.k8s.io" {
        return Vec::new();
    }
    let finalizers = At::root(object).field("metadata").field("finalizers");
    let strange = finalizers.items().filter(|finalizer| {
        let name = finalizer.text();
        !name.contains('/') && !STANDARD_FINALIZERS.contains(&name)
    });
    let detail = "name is neither a standard finalizer name nor is it fully qualified";
    strange.map(|finalizer| finalizer.invalid(detail)).collect()
}

/// What is wrong with a change of the metadata. The generic path has put back what is silently kept (`creationTimestamp`,
/// `deletionTimestamp`, …) and filled in the resourceVersion before.
pub fn validate_update(new: &Value, old: &Value) -> Vec<FieldError> {
    let metadata = At::root(new).field("metadata");
    let before = At::root(old).field("metadata");
    let mut errors = Vec::new();
    if before.field("deletionTimestamp").is_set() {
        errors.extend(new_finalizers(&metadata.field("finalizers"), &before.field("finalizers")));
    }
    if metadata.field("generation").number() < before.field("generation").number() {
        let generation = metadata.field("generation");
        let shown = generation.number().unwrap_or_default();
        errors.push(FieldError::invalid(generation.path, shown, "must not be decremented"));
    }
    for name in [
        "name",
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ] {
        errors.extend(metadata.field(name).unchanged(&before.field(name)));
    }
    errors.extend(common(&metadata));
    // The real server looks at these in the check of the new object and in that of the change.
    errors.extend(common(&metadata));
    errors
}

/// What is wrong with labels or a selector's `matchLabels`.
pub(crate) fn labels(labels: &At<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (key, value) in labels.entries() {
        errors.extend(keyed(labels, key, names::qualified(key)));
        let text = value.as_str().unwrap_or_default();
        errors.extend(keyed(labels, text, names::label_value(text)));
    }
    errors
}

/// What is wrong with annotations.
pub(crate) fn annotations(annotations: &At<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut bytes = 0;
    for (key, value) in annotations.entries() {
        errors.extend(keyed(annotations, key, names::qualified(&key.to_ascii_lowercase())));
        bytes += key.len() + value.as_str().unwrap_or_default().len();
    }
    if bytes > ANNOTATION_BYTES {
        let detail = format!("may not be more than {ANNOTATION_BYTES} bytes");
        let path = annotations.path.as_str();
        errors.push(FieldError::new(FieldErrorKind::TooLong, path, Value::Null, detail));
    }
    errors
}

fn names_of(form: NameForm, metadata: &At<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let prefix = metadata.field("generateName");
    if !prefix.is_empty() {
        errors.extend(prefix.objections(form.check(prefix.text(), Part::Prefix)));
    }
    let name = metadata.field("name");
    if name.is_empty() {
        errors.push(name.required("name or generateName is required"));
    } else {
        errors.extend(name.objections(form.check(name.text(), Part::Whole)));
    }
    errors
}

/// How the names of this kind's objects are checked.
fn name_form(kind: &Kind) -> NameForm {
    match (&*kind.group, &*kind.kind) {
        ("", "Namespace" | "Service") | ("apps", "StatefulSet") => NameForm::Label,
        ("", "Event") | ("rbac.authorization.k8s.io", _) => NameForm::PathSegment,
        _ => NameForm::Subdomain,
    }
}

fn common(metadata: &At<'_>) -> Vec<FieldError> {
    let mut errors = labels(&metadata.field("labels"));
    errors.extend(annotations(&metadata.field("annotations")));
    errors.extend(owners(&metadata.field("ownerReferences")));
    errors
}

/// Messages about owners name the list, not the element, as the real server does.
fn owners(owners: &At<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut controller: Option<String> = None;
    for owner in owners.items() {
        for (name, detail) in [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ] {
            if owner.field(name).is_empty() {
                errors.push(FieldError::invalid(format!("{}.{name}", owners.path), "", detail));
            }
        }
        if !owner.field("controller").is_true() {
            continue;
        }
        let this = format!("{}/{}", owner.field("kind").text(), owner.field("name").text());
        if let Some(first) = &controller {
            errors.push(owners.invalid(format!(
                "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}"
            )));
        } else {
            controller = Some(this);
        }
    }
    errors
}

fn finalizers(finalizers: &At<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for finalizer in finalizers.items() {
        errors.extend(keyed(finalizers, finalizer.text(), names::qualified(finalizer.text())));
    }
    let has = |name: &str| finalizers.items().any(|finalizer| finalizer.text() == name);
    if has("orphan") && has("foregroundDeletion") {
        errors
            .push(finalizers.invalid("finalizer orphan and foregroundDeletion cannot be both set"));
    }
    errors
}

fn new_finalizers(new: &At<'_>, old: &At<'_>) -> Option<FieldError> {
    let before: BTreeSet<&str> = old.items().map(|item| item.text()).collect();
    let added: BTreeSet<&str> =
        new.items().map(|item| item.text()).filter(|name| !before.contains(name)).collect();
    if added.is_empty() {
        return None;
    }
    let quoted: Vec<String> = added.iter().map(|name| format!("{name:?}")).collect();
    Some(new.forbidden(format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        quoted.join(", ")
    )))
}

/// Errors about a key or value of a map, at the path of the map.
fn keyed(at: &At<'_>, text: &str, messages: Vec<String>) -> Vec<FieldError> {
    messages
        .into_iter()
        .map(|message| FieldError::invalid(at.path.as_str(), text, message))
        .collect()
}
