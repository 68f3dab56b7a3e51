//! Bodies of requests.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, header::CONTENT_TYPE};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde_json::{Value, json};

use crate::{
    ApiError, Kind,
    api::PatchRequest,
    patch::{Patch, PatchType},
    schema,
};

/// The largest body, in bytes.
const LIMIT: usize = 3 * 1024 * 1024;

/// How many bytes of a body that cannot be read are quoted.
const QUOTED: usize = 30;

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// Protobuf.
    Protobuf,
}

/// How a patch works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patching {
    /// By changing what is there.
    Change(PatchType),
    /// By saying what should be there: server-side apply.
    Apply,
}

// === impl Writing ===

impl Writing {
    /// How the body of this request is written. Without a word, as JSON.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        match media_type(headers).as_str() {
            "" | "application/json" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            "application/vnd.kubernetes.protobuf" => Ok(Self::Protobuf),
            _ => Err(unsupported(
                "the body of the request was in an unknown format - accepted media types include: application/json, \
                 application/yaml, application/vnd.kubernetes.protobuf",
            )),
        }
    }

    /// The body as a value, and the paths of what it gives twice. `must_be` is the kind that was expected, for the message.
    pub(super) fn read(self, text: &[u8], must_be: &str) -> Result<(Value, Vec<String>), ApiError> {
        let unrecognized = |problem: String| {
            ApiError::bad_request(format!(
                "the object provided is unrecognized (must be of type {must_be}): couldn't get version/kind; json parse \
                 error: {problem} ({})",
                quoted(text)
            ))
        };
        let (value, duplicates) = match self {
            Self::Json => schema::parse(text).map_err(|error| unrecognized(error.to_string()))?,
            Self::Yaml => (from_yaml(text).map_err(unrecognized)?, Vec::new()),
            Self::Protobuf => {
                let read = schema::from_protobuf(text);
                (read.map_err(|problem| ApiError::bad_request(problem.to_string()))?, Vec::new())
            }
        };
        match value {
            Value::Object(_) => Ok((value, duplicates)),
            Value::Null => Ok((json!({}), duplicates)),
            _ => Err(unrecognized("the body is not an object".to_owned())),
        }
    }
}

// === impl Patching ===

impl Patching {
    /// Which patch this request brings. Custom resources know no strategic merge.
    pub(super) fn of(headers: &HeaderMap, kind: &Kind) -> Result<Self, ApiError> {
        let media_type = media_type(headers);
        let custom = kind.custom.is_some();
        match PatchType::from_media_type(&media_type) {
            Some(PatchType::Strategic) if custom => {}
            Some(patch_type) => return Ok(Self::Change(patch_type)),
            None if media_type == "application/apply-patch+yaml" => return Ok(Self::Apply),
            None => {}
        }
        if custom {
            return Err(unsupported(
                "the body of the request was in an unknown format - accepted media types include: \
                 application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
            ));
        }
        // Built-in kinds are refused before anybody looks at what they would take.
        Err(unsupported("415: Unsupported Media Type").about("", "", ""))
    }

    /// The patch in the body.
    pub(super) fn read(self, text: &[u8], force: bool) -> Result<PatchRequest, ApiError> {
        match self {
            Self::Change(patch_type) => Patch::decode(patch_type, text).map(PatchRequest::Patch),
            Self::Apply => {
                let config = from_yaml(text).map_err(|problem| {
                    ApiError::bad_request(format!("error decoding YAML: {problem}"))
                })?;
                Ok(PatchRequest::Apply { config, force })
            }
        }
    }
}

/// The whole body, unless it is too large.
pub(super) async fn read(body: Body) -> Result<Bytes, ApiError> {
    match Limited::new(body, LIMIT).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::new(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: limit is {LIMIT}"),
        )),
        Err(error) => {
            Err(ApiError::bad_request(format!("the body of the request broke off: {error}")))
        }
    }
}

/// 400: an object of a kind that somebody defined does not say of which kind it is.
pub(super) fn untyped(text: &[u8], must_be: &str) -> ApiError {
    ApiError::bad_request(format!(
        "the object provided is unrecognized (must be of type {must_be}): Object 'Kind' is missing in '{}' ({})",
        String::from_utf8_lossy(text),
        quoted(text)
    ))
}

/// A YAML document as a value, with the booleans of YAML 1.1.
pub(super) fn from_yaml(text: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    let options = serde_saphyr::options! {
        with_snippet: false,
        strict_booleans: false,
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
    };
    let problem = |error: serde_saphyr::Error| error.without_snippet().to_string();
    serde_saphyr::from_str_with_options(text, options).map_err(problem)
}

/// The media type without its parameters.
fn media_type(headers: &HeaderMap) -> String {
    let header =
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    header.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn unsupported(message: &str) -> ApiError {
    ApiError::new(415, "UnsupportedMediaType", message)
}

fn quoted(text: &[u8]) -> String {
    let shown = String::from_utf8_lossy(text.get(..QUOTED).unwrap_or(text)).into_owned();
    match text.len() {
        0 => "<empty>".to_owned(),
        1..=QUOTED => shown,
        _ => format!("{shown} ..."),
    }
}
