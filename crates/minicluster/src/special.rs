//! Subresources that are more than a part of the object: binding, eviction and scale.
//!
//! Each is a function on [`Api`](crate::Api) that the server calls for a path, and that callers in the process may call as well.

use serde_json::{Value, json};

use crate::{ApiError, read::text};

pub mod binding;
pub mod eviction;
pub mod scale;

/// What the server answers when there is nothing to show.
fn success() -> Value {
    json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201 })
}

/// Refuses a body that says it is something else. What says nothing passes.
fn check_type(body: &Value, kind: &str, versions: &[&str]) -> Result<(), ApiError> {
    let (said_version, said_kind) = (text(body, "/apiVersion"), text(body, "/kind"));
    let version = said_version.rsplit('/').next().unwrap_or_default();
    if !said_kind.is_empty() && said_kind != kind {
        let package = versions.first().and_then(|known| known.split_once('/'));
        let package = package.map_or("core", |(group, _)| group);
        return Err(ApiError::bad_request(format!(
            "{said_kind} in version \"{version}\" cannot be handled as a {kind}: converting (v1.{said_kind}) to \
             ({package}.{kind}): unknown conversion"
        )));
    }
    if !said_version.is_empty() && !versions.contains(&said_version) {
        return Err(ApiError::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {kind}: no kind \"{kind}\" is registered for version \
             \"{said_version}\" in scheme \"pkg/api/legacyscheme/scheme.go:30\""
        )));
    }
    Ok(())
}
