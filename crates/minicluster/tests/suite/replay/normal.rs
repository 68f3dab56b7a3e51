//! What both sides go through before they are compared: what may differ between servers is taken away.

use serde_json::{Map, Value, json};

use super::{
    pointer,
    recording::{Compare, Step},
};

/// The resources that discovery documents are compared on.
const SCOPE: [(&str, &[&str]); 9] = [
    (
        "v1",
        &[
            "namespaces",
            "nodes",
            "pods",
            "configmaps",
            "secrets",
            "events",
            "services",
            "serviceaccounts",
            "persistentvolumes",
            "persistentvolumeclaims",
        ],
    ),
    ("apps/v1", &["deployments", "replicasets", "daemonsets", "statefulsets"]),
    ("batch/v1", &["jobs"]),
    ("policy/v1", &["poddisruptionbudgets"]),
    ("scheduling.k8s.io/v1", &["priorityclasses"]),
    ("coordination.k8s.io/v1", &["leases"]),
    ("storage.k8s.io/v1", &["storageclasses", "csinodes"]),
    ("events.k8s.io/v1", &["events"]),
    ("apiextensions.k8s.io/v1", &["customresourcedefinitions"]),
];

/// The subresources that discovery documents are compared on.
const SUBRESOURCES: [&str; 5] = ["status", "scale", "binding", "eviction", "finalize"];

/// An answer's body, ready to be compared with a recorded one.
pub(crate) fn prepare(mut body: Value, step: &Step) -> Value {
    drop_tolerated(&mut body, "");
    let kind = body["kind"].as_str().unwrap_or_default().to_owned();
    if kind.starts_with("APIGroup") || kind == "APIResourceList" {
        scope_discovery(&mut body, &kind);
    }
    if kind == "Status" {
        cut_dumps(&mut body);
    }
    for path in &step.ignore {
        pointer::remove(&mut body, path);
    }
    match &step.pick {
        Some(paths) => pointer::pick(&body, paths),
        None => body,
    }
}

/// The wording of messages replaced by whether there is one, and several causes put in order.
pub(crate) fn settle(mut body: Value, compare: Compare) -> Value {
    if body["kind"] == "Status" {
        sort_causes(&mut body);
    }
    if compare == Compare::NoMessage && body.get("message").is_some() {
        body["message"] = json!(body["message"] != "");
        if let Some(causes) = body.pointer_mut("/details/causes").and_then(Value::as_array_mut) {
            for cause in causes.iter_mut().filter_map(Value::as_object_mut) {
                cause.remove("message");
            }
        }
    }
    body
}

/// Of several bookmarks in a row only the last.
pub(crate) fn last_bookmarks(events: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for event in events {
        if event["type"] == "BOOKMARK" && kept.last().is_some_and(|last| last["type"] == "BOOKMARK")
        {
            kept.pop();
        }
        kept.push(event);
    }
    kept
}

/// Removes what servers may have or not have, and annotations that became empty thereby.
fn drop_tolerated(value: &mut Value, parent: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| drop_tolerated(item, parent)),
        Value::Object(members) => {
            members.retain(|key, _| !is_tolerated(parent, key));
            for (key, member) in members.iter_mut() {
                let was_empty = is_empty(member);
                drop_tolerated(member, key);
                if key == "annotations" && !was_empty && is_empty(member) {
                    *member = Value::Null;
                }
            }
            members.retain(|key, member| key != "annotations" || !member.is_null());
        }
        _ => {}
    }
}

fn is_tolerated(parent: &str, key: &str) -> bool {
    match parent {
        _ if key == "storageVersionHash" => true,
        "metadata" => key == "managedFields" || key == "selfLink",
        "annotations" => {
            key == "node.alpha.kubernetes.io/ttl"
                || key == "deprecated.daemonset.template.generation"
        }
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}

/// Messages about fields that may not change end in a dump of the real server's structures.
fn cut_dumps(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((head, _)) = text.split_once("\n@@") {
                *text = head.to_owned();
            }
            *text = text.trim_end().to_owned();
        }
        Value::Array(items) => items.iter_mut().for_each(cut_dumps),
        Value::Object(members) => members.values_mut().for_each(cut_dumps),
        _ => {}
    }
}

/// Several causes have no fixed order, neither in the details nor in the message.
fn sort_causes(body: &mut Value) {
    let Some(causes) = body.pointer_mut("/details/causes").and_then(Value::as_array_mut) else {
        return;
    };
    if causes.len() < 2 {
        return;
    }
    causes.sort_by_key(ToString::to_string);
    let text = |value: &Value| value.as_str().unwrap_or("None").to_owned();
    let mut parts: Vec<String> = causes
        .iter()
        .map(|cause| format!("{}: {}", text(&cause["field"]), text(&cause["message"])))
        .collect();
    parts.sort();
    let message = text(&body["message"]);
    if parts.iter().all(|part| message.contains(part)) {
        let head = message.split('[').next().unwrap_or_default();
        body["message"] = json!(format!("{head}[{}]", parts.join(", ")));
    }
}

/// Keeps the part of a discovery document that is compared, ordered by name.
fn scope_discovery(body: &mut Value, kind: &str) {
    match kind {
        "APIResourceList" => {
            let version = body["groupVersion"].as_str().unwrap_or_default().to_owned();
            keep(&mut body["resources"], "/name", |name| {
                let (plural, subresource) = match name.split_once('/') {
                    Some((plural, subresource)) => (plural, Some(subresource)),
                    None => (name, None),
                };
                in_scope(&version, plural)
                    && subresource.is_none_or(|name| SUBRESOURCES.contains(&name))
            });
        }
        "APIGroupList" => {
            keep(&mut body["groups"], "/name", |name| {
                SCOPE.iter().any(|(version, _)| {
                    version.split_once('/').is_some_and(|(group, _)| group == name)
                })
            });
            for group in body["groups"].as_array_mut().into_iter().flatten() {
                scope_versions(group);
            }
        }
        "APIGroup" => scope_versions(body),
        "APIGroupDiscoveryList" => scope_aggregated(body),
        _ => {}
    }
}

fn scope_versions(group: &mut Value) {
    if let Some(versions) = group["versions"].as_array_mut() {
        versions.retain(|version| {
            SCOPE.iter().any(|(name, _)| version["groupVersion"].as_str() == Some(*name))
        });
    }
}

fn scope_aggregated(body: &mut Value) {
    let Some(groups) = body["items"].as_array_mut() else { return };
    for group in groups.iter_mut() {
        let name = name_of(group, "/metadata/name");
        let Some(versions) = group["versions"].as_array_mut() else { continue };
        for version in versions.iter_mut() {
            let short = name_of(version, "/version");
            let full = if name.is_empty() { short } else { format!("{name}/{short}") };
            keep(&mut version["resources"], "/resource", |plural| in_scope(&full, plural));
            for resource in version["resources"].as_array_mut().into_iter().flatten() {
                let Some(resource) = resource.as_object_mut() else { continue };
                if let Some(subresources) = resource.get_mut("subresources") {
                    keep(subresources, "/subresource", |name| SUBRESOURCES.contains(&name));
                }
                resource.retain(|key, value| key != "subresources" || *value != json!([]));
            }
        }
        versions
            .retain(|version| version["resources"] != json!([]) && !version["resources"].is_null());
        if let Some(metadata) = group["metadata"].as_object_mut() {
            metadata.remove("creationTimestamp");
        }
    }
    groups.retain(|group| group["versions"] != json!([]));
    groups.sort_by_key(|group| name_of(group, "/metadata/name"));
}

fn in_scope(version: &str, plural: &str) -> bool {
    SCOPE.iter().any(|(name, plurals)| *name == version && plurals.contains(&plural))
}

/// Keeps the members of a list whose name passes, in the order of names.
fn keep(list: &mut Value, name: &str, passes: impl Fn(&str) -> bool) {
    if let Some(items) = list.as_array_mut() {
        items.retain(|item| passes(&name_of(item, name)));
        items.sort_by_key(|item| name_of(item, name));
    }
}

fn name_of(value: &Value, path: &str) -> String {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
}
