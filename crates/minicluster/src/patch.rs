//! Patches: JSON patch, JSON merge patch and strategic merge patch.
//!
//! All are applied to the object as the client sees it, and give an object that goes the way of an update: decoded, defaulted,
//! prepared, checked. Server-side apply, the fourth kind, is [`crate::apply`].
//!
//! A write path uses them so:
//! 1. [`Patch::decode`] on the body, by content type;
//! 2. [`apply_patch`] on the stored object, `apiVersion`, `kind` and `metadata.managedFields` included;
//! 3. decode the outcome by the kind's schema; what that refuses becomes [`refused`];
//! 4. go on as with an update; [`crate::apply::track`] last.

pub(crate) mod go;
mod json;
mod strategic;

use serde_json::Value;

use crate::{ApiError, FieldError, Kind};

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

/// The kinds of patches, by content type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// `application/json-patch+json`.
    Json,
    /// `application/merge-patch+json`.
    Merge,
    /// `application/strategic-merge-patch+json`.
    Strategic,
}

/// The object that a patch makes of `old`.
pub fn apply_patch(kind: &Kind, old: &Value, patch: &Patch) -> Result<Value, ApiError> {
    let mut patched = old.clone();
    match patch {
        Patch::Json(operations) => json::apply(&mut patched, operations)?,
        Patch::Merge(changes) => {
            if !changes.is_object() {
                return Err(not_an_object(changes));
            }
            json_patch::merge(&mut patched, changes);
        }
        Patch::Strategic(changes) => {
            if kind.custom.is_some() {
                return Err(unsupported());
            }
            let (Value::Object(object), Value::Object(changes)) = (&mut patched, changes) else {
                return Err(not_an_object(changes));
            };
            strategic::merge(Some(&kind.schema), object, changes.clone())?;
            // Here the real server fills a struct of the kind; what the patch says the kind is does not matter.
            for name in ["apiVersion", "kind"] {
                match old.get(name) {
                    Some(value) => object.insert(name.to_owned(), value.clone()),
                    None => object.remove(name),
                };
            }
        }
    }
    match mismatch(old, &patched) {
        Some(why) => Err(refused(patch, &patched, &why)),
        None => Ok(patched),
    }
}

/// Why the outcome is no object of the kind any more.
fn mismatch(old: &Value, patched: &Value) -> Option<String> {
    let is_same = |name: &str| old.get(name) == patched.get(name);
    if is_same("apiVersion") && is_same("kind") {
        return None;
    }
    let text = |name: &str| patched.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(match (text("apiVersion"), text("kind")) {
        (_, "") => format!("Object 'Kind' is missing in '{patched}'"),
        ("", _) => format!("Object 'apiVersion' is missing in '{patched}'"),
        (version, kind) => format!("no kind {kind:?} is registered for version {version:?}"),
    })
}

/// 422: what the patch made cannot be decoded. `why` is what decoding says of it.
///
/// The real server shows the whole outcome, or for a strategic merge the patch, and words its reason by its own types.
pub fn refused(patch: &Patch, patched: &Value, why: &str) -> ApiError {
    let (shown, why) = match patch {
        Patch::Strategic(changes) => (go::Shown(changes).to_string(), unconvertible(why)),
        Patch::Json(_) | Patch::Merge(_) => (patched.to_string(), why.to_owned()),
    };
    let mut error = ApiError::invalid("", "", "", &[FieldError::invalid("patch", shown, why)]);
    // The real server knows neither the kind nor the name here.
    if let Some(Value::Object(details)) = &mut error.details {
        details.retain(|key, _| key == "causes");
    }
    error
}

/// 422 without a reason: the patch is well-formed, but cannot be applied to this object.
pub(crate) fn unprocessable() -> ApiError {
    let mut error = ApiError::new(
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
    );
    error.details = Some(Value::Object(serde_json::Map::new()));
    error
}

/// A strategic merge converts maps to structs itself and knows no fields, only the type that it could not fill.
fn unconvertible(why: &str) -> String {
    match why.rsplit_once(" of type ") {
        Some((_, wanted)) => format!("unrecognized type: {wanted}"),
        None => why.to_owned(),
    }
}

/// Custom resources have no merge keys.
fn unsupported() -> ApiError {
    ApiError::new(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: \
         application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    )
}

fn not_an_object(found: &Value) -> ApiError {
    ApiError::bad_request(format!(
        "error decoding patch: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
        go::json_kind(found)
    ))
}

// === impl Patch ===

impl Patch {
    /// Reads the body of a request.
    pub fn decode(of: PatchType, body: &[u8]) -> Result<Self, ApiError> {
        let value: Value = serde_json::from_slice(body).map_err(|error| {
            let why = if error.is_eof() {
                "unexpected end of JSON input".to_owned()
            } else {
                error.to_string()
            };
            ApiError::bad_request(format!("error decoding patch: {why}"))
        })?;
        match of {
            PatchType::Json => json::check(&value).map(|()| Self::Json(value)),
            PatchType::Merge | PatchType::Strategic if !value.is_object() => {
                Err(not_an_object(&value))
            }
            PatchType::Merge => Ok(Self::Merge(value)),
            PatchType::Strategic => Ok(Self::Strategic(value)),
        }
    }
}

// === impl PatchType ===

impl PatchType {
    /// By the media type, without parameters.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        match media_type {
            "application/json-patch+json" => Some(Self::Json),
            "application/merge-patch+json" => Some(Self::Merge),
            "application/strategic-merge-patch+json" => Some(Self::Strategic),
            _ => None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
