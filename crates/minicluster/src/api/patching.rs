//! Patches and server-side apply, as the write path uses them.

use serde_json::Value;

use super::{Api, Target, WriteOptions, Written, decode};
use crate::{ApiError, Kind};

/// A patch, decoded but not looked into.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// Operations, one after the other (RFC 6902).
    Json(Value),
    /// A partial object; `null` takes away (RFC 7396).
    Merge(Value),
    /// A partial object that also merges lists, for kinds that say by which key.
    Strategic(Value),
}

pub(super) fn apply(_kind: &Kind, old: &Value, patch: &Patch) -> Result<Value, ApiError> {
    let mut new = old.clone();
    match patch {
        Patch::Json(operations) => {
            let operations: json_patch::Patch = serde_json::from_value(operations.clone())
                .map_err(|error| ApiError::bad_request(error.to_string()))?;
            json_patch::patch(&mut new, &operations)
                .map_err(|error| ApiError::new(422, "Invalid", error.to_string()))?;
        }
        Patch::Merge(changes) | Patch::Strategic(changes) => json_patch::merge(&mut new, changes),
    }
    Ok(new)
}

pub(super) fn decode(
    kind: &Kind,
    _patch: &Patch,
    patched: &mut Value,
    options: &WriteOptions,
) -> Result<Vec<String>, ApiError> {
    decode::canonical(kind, patched, options).map_err(|why| ApiError::new(422, "Invalid", why))
}

// === impl Api ===

impl Api {
    #[expect(clippy::unused_self, reason = "server-side apply is still to come")]
    pub(super) fn apply(
        &self,
        _kind: &Kind,
        _at: &Target<'_>,
        _config: &Value,
        _force: bool,
        _options: &WriteOptions,
    ) -> Result<Written, ApiError> {
        Err(ApiError::new(415, "UnsupportedMediaType", "server-side apply is not served"))
    }
}
