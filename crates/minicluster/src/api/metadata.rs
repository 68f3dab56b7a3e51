//! The parts of metadata that the generic path looks after.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::Target;
use crate::{ApiError, Kind};

/// How many characters generateName adds.
const SUFFIX: usize = 5;
/// What they are taken from: no vowels, so that no words come out, and nothing that is easily misread.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
/// A generated name is no longer than this.
const LONGEST_NAME: usize = 63;

/// A time as Kubernetes writes it: the second that has begun.
pub(crate) fn time(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A text in `metadata`; empty if it is not there.
pub(super) fn text<'o>(object: &'o Value, field: &str) -> &'o str {
    let metadata = object.get("metadata");
    metadata.and_then(|metadata| metadata.get(field)).and_then(Value::as_str).unwrap_or_default()
}

/// A number in `metadata`.
pub(super) fn number(object: &Value, field: &str) -> Option<i64> {
    object.get("metadata").and_then(|metadata| metadata.get(field)).and_then(Value::as_i64)
}

/// The finalizers.
pub(super) fn finalizers(object: &Value) -> Vec<String> {
    let list = object.pointer("/metadata/finalizers").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Sets a field of `metadata`, which is made if it is missing; null takes the field away.
pub(super) fn set(object: &mut Value, field: &str, value: Value) {
    let Value::Object(members) = object else { return };
    let slot = members.entry("metadata").or_insert_with(|| json!({}));
    if slot.is_null() {
        *slot = json!({});
    }
    let Value::Object(metadata) = slot else { return };
    if value.is_null() {
        metadata.remove(field);
    } else {
        metadata.insert(field.to_owned(), value);
    }
}

/// Makes a field of `metadata` what it is in `old`.
pub(super) fn keep(new: &mut Value, old: &Value, field: &str) {
    let value = old.get("metadata").and_then(|metadata| metadata.get(field)).cloned();
    set(new, field, value.unwrap_or_default());
}

/// Fills in a name from `generateName` if there is no name.
pub(super) fn generate_name(object: &mut Value) {
    let base = text(object, "generateName").to_owned();
    if base.is_empty() || !text(object, "name").is_empty() {
        return;
    }
    let base: String = base.chars().take(LONGEST_NAME - SUFFIX).collect();
    let suffix: String = std::iter::repeat_with(|| rand::random_range(0..ALPHABET.len()))
        .filter_map(|at| ALPHABET.get(at).copied().map(char::from))
        .take(SUFFIX)
        .collect();
    set(object, "name", json!(format!("{base}{suffix}")));
}

/// The namespace of the object must be that of the request; if it says none, it is.
pub(super) fn settle_namespace(
    kind: &Kind,
    object: &mut Value,
    namespace: &str,
) -> Result<(), ApiError> {
    let said = text(object, "namespace");
    if kind.is_namespaced() && said.is_empty() {
        set(object, "namespace", json!(namespace));
        return Ok(());
    }
    if kind.is_namespaced() && said != namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if !kind.is_namespaced() && !said.is_empty() {
        return Err(ApiError::bad_request(
            "namespace may not be set on an object that is not namespaced",
        ));
    }
    Ok(())
}

/// The name of the object must be that of the path.
pub(super) fn check_name(object: &Value, at: &Target<'_>) -> Result<(), ApiError> {
    match text(object, "name") {
        "" => Err(ApiError::bad_request(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            at.name
        ))),
        name if name != at.name => Err(ApiError::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            at.name
        ))),
        _ => Ok(()),
    }
}
