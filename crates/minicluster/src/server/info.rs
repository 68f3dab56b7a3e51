//! What the server says about itself: version, health, discovery, `OpenAPI`.

use http::{
    HeaderMap, HeaderValue,
    header::{ETAG, IF_NONE_MATCH, VARY},
};
use serde_json::{Value, json};

use crate::{
    Api, ApiError,
    discovery::{self, Root},
};

use super::{
    accept::{Accepted, Encoding, Offer, Shape},
    answer::{Answer, document, method_not_allowed, no_such_resource, page_not_found, text, whole},
};

/// The content type of aggregated discovery.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Answers a path that is no resource.
pub(super) fn answer(
    api: &Api,
    method: &http::Method,
    segments: &[&str],
    headers: &HeaderMap,
) -> Result<Answer, ApiError> {
    let known = matches!(
        segments,
        [] | ["version" | "api"]
            | ["healthz" | "livez" | "readyz" | "apis", ..]
            | ["openapi", "v2" | "v3", ..]
    );
    if !known {
        return Ok(page_not_found());
    }
    if method != http::Method::GET {
        return Err(method_not_allowed());
    }
    match segments {
        [] => Ok(document(200, &roots(api), Encoding::Json)),
        ["version"] => Ok(document(200, &version(), Encoding::Json)),
        ["healthz" | "livez" | "readyz", ..] => Ok(text(200, "ok")),
        ["api"] => root(api, Root::Core, headers),
        ["apis"] => root(api, Root::Groups, headers),
        ["apis", group] => match discovery::group(&api.kinds(), group) {
            Some(group) => plain(&group, headers),
            None => Ok(page_not_found()),
        },
        _ => Ok(page_not_found()),
    }
}

/// Answers `/api/v1` or `/apis/GROUP/VERSION`.
pub(super) fn resources(
    api: &Api,
    method: &http::Method,
    group: &str,
    version: &str,
    headers: &HeaderMap,
) -> Result<Answer, ApiError> {
    let kinds = api.kinds();
    match discovery::resource_list(&kinds, group, version) {
        Some(_) if method != http::Method::GET => Err(method_not_allowed()),
        Some(list) => plain(&list, headers),
        None => {
            let built_in = kinds.iter().any(|kind| *kind.group == *group && kind.custom.is_none());
            if built_in { Err(no_such_resource()) } else { Ok(page_not_found()) }
        }
    }
}

fn plain(value: &Value, headers: &HeaderMap) -> Result<Answer, ApiError> {
    let accepted = Accepted::negotiate(headers, Offer::Plain)?;
    Ok(document(200, value, accepted.encoding))
}

fn root(api: &Api, root: Root, headers: &HeaderMap) -> Result<Answer, ApiError> {
    let accepted = Accepted::negotiate(headers, Offer::Discovery)?;
    let kinds = api.kinds();
    if accepted.shape == Shape::Discovery {
        let text = discovery::aggregated(&kinds, root).to_string();
        return Ok(tagged(AGGREGATED, text, headers));
    }
    let value = match root {
        Root::Core => discovery::api_versions("127.0.0.1:6443"),
        Root::Groups => discovery::group_list(&kinds),
    };
    Ok(document(200, &value, accepted.encoding))
}

/// A document that clients keep: who has it already is told so.
fn tagged(content_type: &'static str, text: String, headers: &HeaderMap) -> Answer {
    let tag = format!("\"{}\"", discovery::fingerprint(text.as_bytes()));
    let known = headers.get(IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let mut answer =
        if known { whole(304, content_type, "") } else { whole(200, content_type, text) };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.headers_mut().insert(ETAG, tag);
    }
    answer.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    answer
}

fn version() -> Value {
    json!({
        "major": "1",
        "minor": "36",
        "emulationMajor": "1",
        "emulationMinor": "36",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35",
        "gitVersion": "v1.36.4",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "gc",
        "platform": "linux/amd64",
    })
}

/// The paths that there are.
fn roots(api: &Api) -> Value {
    let mut paths: Vec<String> = [
        "/api",
        "/apis",
        "/healthz",
        "/livez",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/version",
    ]
    .map(str::to_owned)
    .into();
    for kind in api.kinds() {
        if kind.group.is_empty() {
            paths.push(format!("/api/{}", kind.version));
        } else {
            paths.push(format!("/apis/{}", kind.group));
            paths.push(format!("/apis/{}/{}", kind.group, kind.version));
        }
    }
    paths.sort();
    paths.dedup();
    json!({ "paths": paths })
}
