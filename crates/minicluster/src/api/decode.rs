//! From a body to an object of a kind.

use serde_json::{Value, json};

use super::{FieldValidation, WriteOptions};
use crate::{ApiError, Kind, schema};

/// What decoding left over.
pub(super) struct Decoded {
    pub(super) value: Value,
    pub(super) warnings: Vec<String>,
}

/// Decodes the body of a create or an update: of the kind, with known fields only, in canonical form.
pub(super) fn body(kind: &Kind, body: Value, options: &WriteOptions) -> Result<Decoded, ApiError> {
    let mut value = if body.is_null() { json!({}) } else { body };
    let Value::Object(object) = &mut value else {
        return Err(ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): couldn't get version/kind; \
             json parse error: the body is not an object",
            kind.kind
        )));
    };
    let api_version = kind.api_version();
    let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
    let (said_version, said_kind) = (text("apiVersion").to_owned(), text("kind").to_owned());
    if kind.custom.is_some() && (said_kind.is_empty() || said_version.is_empty()) {
        let missing = if said_kind.is_empty() { "Kind" } else { "apiVersion" };
        return Err(ApiError::bad_request(format!("Object '{missing}' is missing in '{value}'")));
    }
    if !said_kind.is_empty() && *said_kind != *kind.kind {
        return Err(ApiError::bad_request(format!(
            "{said_kind} in version \"{}\" cannot be handled as a {}: converting (v1.{said_kind}) to (core.{}): unknown \
             conversion",
            kind.version, kind.kind, kind.kind
        )));
    }
    if !said_version.is_empty() && said_version != api_version {
        return Err(ApiError::bad_request(if kind.custom.is_some() {
            format!(
                "the API version in the data ({said_version}) does not match the expected API version ({api_version})"
            )
        } else {
            format!(
                "{} in version \"{}\" cannot be handled as a {}: no kind \"{}\" is registered for version \
                 \"{said_version}\" in scheme \"pkg/runtime/scheme.go:111\"",
                kind.kind,
                said_version.rsplit('/').next().unwrap_or_default(),
                kind.kind,
                kind.kind
            )
        }));
    }
    object.insert("apiVersion".to_owned(), json!(api_version));
    object.insert("kind".to_owned(), json!(kind.kind));
    let warnings = canonical(kind, &mut value, options)
        .map_err(|why| ApiError::bad_request(unhandled(kind, &why)))?;
    Ok(Decoded { value, warnings })
}

/// Brings an object to canonical form; says why if that cannot be.
pub(super) fn canonical(
    kind: &Kind,
    value: &mut Value,
    options: &WriteOptions,
) -> Result<Vec<String>, String> {
    let findings = schema::decode(&kind.schema, value);
    if let Some(why) = findings.type_error {
        return Err(why);
    }
    let duplicates = options.duplicates.iter().map(|path| format!("duplicate field \"{path}\""));
    let unknown = findings.unknown.iter().map(|path| format!("unknown field \"{path}\""));
    let strange: Vec<String> = duplicates.chain(unknown).collect();
    match options.field_validation {
        FieldValidation::Ignore => Ok(Vec::new()),
        FieldValidation::Warn => Ok(strange),
        FieldValidation::Strict if strange.is_empty() => Ok(strange),
        FieldValidation::Strict => Err(format!("strict decoding error: {}", strange.join(", "))),
    }
}

fn unhandled(kind: &Kind, why: &str) -> String {
    format!(
        "{} in version \"{}\" cannot be handled as a {}: {why}",
        kind.kind, kind.version, kind.kind
    )
}
