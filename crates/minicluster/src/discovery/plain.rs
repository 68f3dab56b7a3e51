//! One document per group and version.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Root, groups, of_version, subresources, verbs};
use crate::kind::Kind;

/// `/api`. `address` is where the server can be reached, as `host:port`.
pub fn api_versions(address: &str) -> Value {
    json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{ "clientCIDR": "0.0.0.0/0", "serverAddress": address }],
    })
}

/// `/apis`.
pub fn group_list(kinds: &[Arc<Kind>]) -> Value {
    let groups: Vec<Value> = groups(kinds, Root::Groups)
        .into_iter()
        .map(|(name, versions)| group_entry(name, &versions))
        .collect();
    json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups })
}

/// `/apis/GROUP`, if there is such a group.
pub fn group(kinds: &[Arc<Kind>], name: &str) -> Option<Value> {
    let (_, versions) =
        groups(kinds, Root::Groups).into_iter().find(|(group, _)| *group == name)?;
    let mut document = group_entry(name, &versions);
    document["kind"] = json!("APIGroup");
    document["apiVersion"] = json!("v1");
    Some(document)
}

/// `/api/v1` and `/apis/GROUP/VERSION`, if there is such a version.
pub fn resource_list(kinds: &[Arc<Kind>], group: &str, version: &str) -> Option<Value> {
    let found = of_version(kinds, group, version);
    let first = found.first()?;
    let resources: Vec<Value> = found.iter().flat_map(|kind| resources_of(kind)).collect();
    let mut document = json!({
        "kind": "APIResourceList",
        "groupVersion": first.api_version(),
        "resources": resources,
    });
    // The core's document is older than the field.
    if !group.is_empty() {
        document["apiVersion"] = json!("v1");
    }
    Some(document)
}

fn group_entry(name: &str, versions: &[&str]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|version| json!({ "groupVersion": format!("{name}/{version}"), "version": version }))
        .collect();
    json!({ "name": name, "preferredVersion": versions.first(), "versions": versions })
}

/// A kind's own entry, and those of its subresources.
fn resources_of(kind: &Kind) -> Vec<Value> {
    let mut own = json!({
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.is_namespaced(),
        "kind": kind.kind,
        "verbs": verbs(kind),
    });
    if !kind.short_names.is_empty() {
        own["shortNames"] = json!(kind.short_names);
    }
    if !kind.categories.is_empty() {
        own["categories"] = json!(kind.categories);
    }
    let mut entries = vec![own];
    for subresource in subresources(kind) {
        let mut entry = json!({
            "name": format!("{}/{}", kind.plural, subresource.name),
            "singularName": "",
            "namespaced": kind.is_namespaced(),
            "kind": subresource.kind.unwrap_or(&kind.kind),
            "verbs": subresource.verbs,
        });
        if let Some((group, version)) = subresource.elsewhere {
            entry["group"] = json!(group);
            entry["version"] = json!(version);
        }
        entries.push(entry);
    }
    entries
}
