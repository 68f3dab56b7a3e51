//! What the server says about itself: version, health, discovery, `OpenAPI`.

use axum::body::Body;
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue,
    header::{ACCEPT, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY},
};
use serde_json::{Value, json};

use crate::{
    Api, ApiError,
    discovery::{self, Root},
};

use super::{
    Server,
    accept::{Accepted, Encoding, Offer, Shape},
    answer::{Answer, document, method_not_allowed, no_such_resource, page_not_found, text, whole},
};

/// How `kubectl` asks for `/openapi/v2`.
const OPENAPI_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// `/openapi/v2` in protobuf: a document that says it is one (`swagger: "2.0"`) and names no types. `kubectl` reads it only for kinds
/// that `/openapi/v3` does not have, and checks nothing of what is not in it.
const EMPTY_OPENAPI: &[u8] = b"\x0a\x032.0\x12\x0c\x0a\x0aKubernetes";

/// What `/version` says, laid out for people as the real server does.
const VERSION: &str = r#"{
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
  "platform": "linux/amd64"
}"#;

/// The content type of aggregated discovery.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Answers a path that is no resource.
pub(super) fn answer(
    server: &Server,
    method: &http::Method,
    segments: &[&str],
    headers: &HeaderMap,
) -> Result<Answer, ApiError> {
    let api = server.api();
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
        ["version"] => Ok(whole(200, "application/json", VERSION)),
        ["healthz" | "livez" | "readyz", ..] => Ok(text(200, "ok")),
        ["api"] => root(api, Root::Core, headers),
        ["apis"] => root(api, Root::Groups, headers),
        ["apis", group] => match discovery::group(&api.kinds(), group) {
            Some(group) => plain(&group, headers),
            None => Ok(page_not_found()),
        },
        ["openapi", "v2"] if wants_protobuf(headers) => {
            Ok(whole(200, OPENAPI_PROTOBUF, EMPTY_OPENAPI))
        }
        ["openapi", version, path @ ..] => Ok(openapi(server, version, &path.join("/"), headers)),
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

fn openapi(server: &Server, version: &str, path: &str, headers: &HeaderMap) -> Answer {
    let documents = server.openapi().documents(server.api().kinds());
    let (content_type, document) = match (version, path) {
        ("v2", "") => ("application/json", Some(documents.v2())),
        // The real server says so, although it is JSON.
        ("v3", "") => ("text/plain; charset=utf-8", Some(documents.index())),
        ("v3", path) => ("application/json", documents.part(path)),
        _ => return page_not_found(),
    };
    if let Some(document) = document {
        return tagged(content_type, &document.tag, document.body, headers);
    }
    let mut answer = whole(404, content_type, Body::empty());
    answer.headers_mut().remove(CONTENT_TYPE);
    answer
}

fn wants_protobuf(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    accept.starts_with("application/com.github.proto-openapi.spec.v2") && !accept.contains("json")
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
        let tag = discovery::fingerprint(text.as_bytes());
        return Ok(tagged(AGGREGATED, &tag, Bytes::from(text), headers));
    }
    let value = match root {
        Root::Core => discovery::api_versions("127.0.0.1:6443"),
        Root::Groups => discovery::group_list(&kinds),
    };
    Ok(document(200, &value, accepted.encoding))
}

/// A document that clients keep: who has it already is told so.
fn tagged(content_type: &'static str, tag: &str, body: Bytes, headers: &HeaderMap) -> Answer {
    let tag = format!("\"{tag}\"");
    let known = headers.get(IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let mut answer = if known {
        whole(304, content_type, Body::empty())
    } else {
        whole(200, content_type, body)
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.headers_mut().insert(ETAG, tag);
    }
    answer.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    answer
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
