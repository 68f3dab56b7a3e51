//! Answers.

use axum::body::Body;
use http::{
    HeaderValue, Response, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER, WARNING},
};
use serde_json::Value;

use crate::ApiError;

use super::accept::Encoding;

/// What goes out.
pub(super) type Answer = Response<Body>;

/// An answer with a body that is there already.
pub(super) fn whole(code: u16, content_type: &'static str, body: impl Into<Body>) -> Answer {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

/// A document.
pub(super) fn document(code: u16, value: &Value, encoding: Encoding) -> Answer {
    match encoding {
        Encoding::Json => whole(code, "application/json", format!("{value}\n")),
        Encoding::Yaml => {
            // A JSON value is always a YAML one; the alternative keeps the answer legible if a library disagrees.
            let text = serde_saphyr::to_string(value).unwrap_or_else(|_| value.to_string());
            whole(code, "application/yaml", text)
        }
    }
}

/// A refusal as a `Status`.
pub(super) fn refusal(error: &ApiError, encoding: Encoding) -> Answer {
    let mut answer = document(error.code, &error.status(), encoding);
    if let Some(seconds) = error.retry_after {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    answer
}

/// Plain text.
pub(super) fn text(code: u16, body: &'static str) -> Answer {
    whole(code, "text/plain; charset=utf-8", body)
}

/// The answer to a path that leads nowhere.
pub(super) fn page_not_found() -> Answer {
    text(404, "404 page not found\n")
}

/// 404: there is no such resource in a group that is known.
pub(super) fn no_such_resource() -> ApiError {
    ApiError::new(404, "NotFound", "the server could not find the requested resource")
        .about("", "", "")
}

/// 405.
pub(super) fn method_not_allowed() -> ApiError {
    let message = "the server does not allow this method on the requested resource";
    ApiError::new(405, "MethodNotAllowed", message).about("", "", "")
}

/// Adds `Warning` headers, each once.
pub(super) fn warn(answer: &mut Answer, warnings: &[String]) {
    let mut told: Vec<&String> = Vec::new();
    for warning in warnings {
        if told.contains(&warning) {
            continue;
        }
        told.push(warning);
        let escaped: String = warning
            .chars()
            .filter(|c| !c.is_control())
            .flat_map(|c| matches!(c, '"' | '\\').then_some('\\').into_iter().chain([c]))
            .collect();
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{escaped}\"")) {
            answer.headers_mut().append(WARNING, value);
        }
    }
}
