//! JSON patch, with the habits of the real server's library.
//!
//! They differ from RFC 6902 where a member of an object is missing: `replace` adds it, `test` takes it for `null`. A value
//! that is left out is `null`.

use json_patch::PatchOperation;
use serde_json::{Value, json};

use super::{go, unprocessable};
use crate::ApiError;

/// More operations than these are refused.
const MOST_OPERATIONS: usize = 10_000;

/// Whether this is a list of objects at all; what they say is looked at when they are applied.
pub(super) fn check(patch: &Value) -> Result<(), ApiError> {
    let refused = |found: &Value, wanted: &str| {
        ApiError::bad_request(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type {wanted}",
            go::json_kind(found)
        ))
    };
    let Value::Array(operations) = patch else {
        return Err(refused(patch, "[]handlers.jsonPatchOp"));
    };
    if operations.len() > MOST_OPERATIONS {
        return Err(ApiError::new(
            413,
            "RequestEntityTooLarge",
            format!(
                "The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {}",
                operations.len()
            ),
        ));
    }
    match operations.iter().find(|operation| !operation.is_object()) {
        Some(other) => Err(refused(other, "handlers.jsonPatchOp")),
        None => Ok(()),
    }
}

/// Applies all operations, or fails. After a failure the object is of no use.
pub(super) fn apply(object: &mut Value, patch: &Value) -> Result<(), ApiError> {
    check(patch)?;
    for operation in patch.as_array().into_iter().flatten() {
        let steps = decode(object, operation).ok_or_else(unprocessable)?;
        json_patch::patch_unsafe(object, &steps).map_err(|_| unprocessable())?;
    }
    Ok(())
}

/// The operation in the words of the crate: one, or none if there is nothing to do. Nothing when it is malformed.
fn decode(object: &Value, operation: &Value) -> Option<Vec<PatchOperation>> {
    let mut operation = operation.clone();
    let fields = operation.as_object_mut()?;
    let verb = fields.get("op")?.as_str()?.to_owned();
    if matches!(verb.as_str(), "add" | "replace" | "test") {
        fields.entry("value").or_insert(Value::Null);
        let path = fields.get("path")?.as_str()?;
        if is_missing_member(object, path) {
            match verb.as_str() {
                "replace" => drop(fields.insert("op".to_owned(), json!("add"))),
                "test" if fields.get("value").is_some_and(Value::is_null) => {
                    return Some(Vec::new());
                }
                _ => {}
            }
        }
    }
    serde_json::from_value(operation).ok().map(|operation| vec![operation])
}

/// Whether the path names a member that an existing object does not have.
fn is_missing_member(object: &Value, path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(parent, _)| {
        object.pointer(parent).is_some_and(Value::is_object) && object.pointer(path).is_none()
    })
}
