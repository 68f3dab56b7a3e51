//! Subresources that are more than a part of the object.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    Api, ApiError, Kind, Object,
    api::{Target, WriteOptions},
    kind::Subresource,
};

/// What a GET of a subresource shows.
pub(super) fn get(api: &Api, kind: &Kind, at: &Target<'_>) -> Result<Arc<Object>, ApiError> {
    match at.subresource {
        Some(Subresource::Status) | None => api.get(kind, at.namespace, at.name),
        _ => Err(missing(kind, at)),
    }
}

/// What a POST to a subresource does: the answer.
pub(super) fn create(
    _api: &Api,
    kind: &Kind,
    at: &Target<'_>,
    _body: Value,
    _options: &WriteOptions,
) -> Result<Value, ApiError> {
    Err(missing(kind, at))
}

fn missing(kind: &Kind, at: &Target<'_>) -> ApiError {
    let message = format!("this subresource of {} is not served", kind.plural);
    ApiError::new(501, "NotImplemented", message).about(&kind.group, &kind.plural, at.name)
}
