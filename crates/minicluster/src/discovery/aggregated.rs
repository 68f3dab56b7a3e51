//! Everything in one document.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Presented, Root, groups, of_version, subresources, verbs};
use crate::kind::Kind;

/// `/api` or `/apis` as an `APIGroupDiscoveryList` of version 2.
pub fn aggregated(kinds: &[Arc<Kind>], root: Root) -> Value {
    let items: Vec<Value> = groups(kinds, root)
        .into_iter()
        .map(|(name, versions)| {
            let versions: Vec<Value> =
                versions.iter().map(|version| version_entry(kinds, name, version)).collect();
            let metadata = if name.is_empty() { json!({}) } else { json!({ "name": name }) };
            json!({ "metadata": metadata, "versions": versions })
        })
        .collect();
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    })
}

fn version_entry(kinds: &[Arc<Kind>], group: &str, version: &str) -> Value {
    let resources: Vec<Value> =
        of_version(kinds, group, version).into_iter().map(|kind| resource(kind)).collect();
    json!({ "version": version, "resources": resources, "freshness": "Current" })
}

fn resource(kind: &Kind) -> Value {
    let mut entry = json!({
        "resource": kind.plural,
        "responseKind": own_kind(kind),
        "scope": if kind.is_namespaced() { "Namespaced" } else { "Cluster" },
        "singularResource": kind.singular,
        "verbs": verbs(kind),
    });
    if !kind.short_names.is_empty() {
        entry["shortNames"] = json!(kind.short_names);
    }
    if !kind.categories.is_empty() {
        entry["categories"] = json!(kind.categories);
    }
    let below: Vec<Value> =
        subresources(kind).iter().map(|presented| subresource(kind, presented)).collect();
    if !below.is_empty() {
        entry["subresources"] = json!(below);
    }
    entry
}

fn subresource(kind: &Kind, presented: &Presented) -> Value {
    let response = match (presented.elsewhere, presented.kind) {
        (Some((group, version)), name) => {
            json!({ "group": group, "version": version, "kind": name.unwrap_or(&kind.kind) })
        }
        (None, Some(name)) => json!({ "group": "", "version": "", "kind": name }),
        (None, None) => own_kind(kind),
    };
    json!({ "subresource": presented.name, "responseKind": response, "verbs": presented.verbs })
}

/// The real server leaves group and version out for its own kinds, and spells them out for those that somebody defined.
fn own_kind(kind: &Kind) -> Value {
    if kind.custom.is_some() {
        json!({ "group": kind.group, "version": kind.version, "kind": kind.kind })
    } else {
        json!({ "group": "", "version": "", "kind": kind.kind })
    }
}
