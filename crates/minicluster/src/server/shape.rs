//! Objects in the form that a client wants them.

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{ApiError, Kind, Object};

use super::{
    accept::{Accepted, Encoding, MetaVersion, Shape, not_acceptable},
    answer::{Answer, document, whole},
};

/// One object as an answer.
pub(super) fn object(
    code: u16,
    kind: &Kind,
    object: &Object,
    accepted: Accepted,
    now: Timestamp,
) -> Result<Answer, ApiError> {
    let value = match accepted.shape {
        Shape::Object | Shape::Discovery if accepted.encoding == Encoding::Json => {
            return Ok(whole(code, "application/json", object.json.clone()));
        }
        Shape::Object | Shape::Discovery => object.value(),
        Shape::Table => {
            let rows = accepted.rows(kind, now);
            rows.single(&object.value(), &rows.columns())
        }
        Shape::Metadata => metadata(&object.value(), accepted.version),
        Shape::MetadataList => {
            return Err(not_acceptable(format!(
                "you requested PartialObjectMetadataList, but the requested object is not a list ({})",
                go_type(kind, &kind.kind)
            )));
        }
    };
    Ok(document(code, &value, accepted.encoding))
}

/// An object's metadata alone.
pub(super) fn metadata(object: &Value, version: MetaVersion) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": version.api_version(),
        "metadata": object["metadata"],
    })
}

/// The bytes of an object's metadata alone.
pub(super) fn metadata_bytes(object: &Object, version: MetaVersion) -> Bytes {
    Bytes::from(metadata(&object.value(), version).to_string())
}

/// 406 for who asks for one object and gets a list.
pub(super) fn is_a_list(kind: &Kind) -> ApiError {
    not_acceptable(format!(
        "you requested PartialObjectMetadata, but the requested object is a list ({})",
        go_type(kind, &kind.list_kind)
    ))
}

/// What the real server calls a type in its messages.
fn go_type(kind: &Kind, name: &str) -> String {
    if kind.custom.is_some() {
        return "*unstructured.Unstructured".to_owned();
    }
    let package = match &*kind.group {
        "" => "core",
        group => group.split('.').next().unwrap_or_default(),
    };
    format!("*{package}.{name}")
}
