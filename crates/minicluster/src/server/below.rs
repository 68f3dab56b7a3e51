//! Subresources that are more than a part of the object.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    Api, ApiError, Kind, Object,
    api::{PatchRequest, Target, WriteOptions, Written},
    kind::Subresource,
    read::text,
    special::{binding, eviction, scale},
};

use super::{
    accept::{Accepted, Offer},
    answer::{Answer, document, method_not_allowed},
    options,
    resource::Call,
};

/// What a GET of a subresource shows.
pub(super) fn get(api: &Api, kind: &Kind, at: &Target<'_>) -> Result<Arc<Object>, ApiError> {
    match at.subresource {
        Some(Subresource::Status) | None => api.get(kind, at.namespace, at.name),
        Some(Subresource::Scale) => scale::get(api, kind, at),
        _ => Err(missing(kind, at)),
    }
}

/// The kind of what a subresource shows.
pub(super) fn shown(kind: &Kind, subresource: Option<Subresource>) -> &Kind {
    if subresource == Some(Subresource::Scale) { scale::kind() } else { kind }
}

/// What a POST to a subresource does: the answer.
pub(super) fn create(
    api: &Api,
    kind: &Kind,
    at: &Target<'_>,
    body: &Value,
    options: &WriteOptions,
) -> Result<Value, ApiError> {
    match at.subresource {
        Some(Subresource::Binding) => binding::bind(api, kind, at, body, options),
        Some(Subresource::Eviction) => eviction::evict(api, kind, at, body, options),
        _ => Err(missing(kind, at)),
    }
}

/// What a PUT does, to an object or below it.
pub(super) fn update(
    api: &Api,
    kind: &Kind,
    at: &Target<'_>,
    body: Value,
    options: &WriteOptions,
) -> Result<Written, ApiError> {
    match at.subresource {
        Some(Subresource::Scale) => scale::update(api, kind, at, &body, options),
        _ => api.update(kind, at, body, options),
    }
}

/// What a PATCH does, to an object or below it.
pub(super) fn patch(
    api: &Api,
    kind: &Kind,
    at: &Target<'_>,
    request: PatchRequest,
    options: &WriteOptions,
) -> Result<Written, ApiError> {
    match at.subresource {
        Some(Subresource::Scale) => scale::patch(api, kind, at, &request, options),
        _ => api.patch(kind, at, request, options),
    }
}

/// The collection of bindings, which takes bindings and has none; nothing if the path is another.
pub(super) fn bindings(call: &Call<'_>) -> Option<Result<Answer, ApiError>> {
    let path = &call.path;
    let here = path.group.is_empty()
        && path.version == "v1"
        && path.plural == "bindings"
        && path.namespace.is_some()
        && path.name.is_none();
    here.then(|| {
        if call.method != http::Method::POST {
            return Err(method_not_allowed());
        }
        let kind = call.api().kind("", "v1", "pods").ok_or_else(method_not_allowed)?;
        let accepted = Accepted::negotiate(&call.headers, Offer::Objects)?;
        let (body, duplicates) = call.object(&kind)?;
        let options = options::write("CreateOptions", &call.headers, &call.query, duplicates)?;
        let at = Target::new(call.namespace(&kind), text(&body, "/metadata/name"));
        let answer = binding::bind(call.api(), &kind, &at, &body, &options)?;
        Ok(document(201, &answer, accepted.encoding))
    })
}

fn missing(kind: &Kind, at: &Target<'_>) -> ApiError {
    let message = format!("this subresource of {} is not served", kind.plural);
    ApiError::new(501, "NotImplemented", message).about(&kind.group, &kind.plural, at.name)
}
