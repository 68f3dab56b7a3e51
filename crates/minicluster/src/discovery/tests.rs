use serde_json::{Value, json};

use super::*;
use crate::{custom::CustomKind, kind::Scope, rules, schema::Type};

fn kind(group: &str, version: &str, name: &str, plural: &str) -> Kind {
    Kind {
        group: group.into(),
        version: version.into(),
        kind: name.into(),
        list_kind: format!("{name}List").into(),
        plural: plural.into(),
        singular: name.to_lowercase().into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: Scope::Namespaced,
        subresources: Vec::new(),
        schema: Type::any(),
        rules: rules::rules_for(group, name),
        custom: None,
    }
}

fn kinds() -> Vec<Arc<Kind>> {
    let namespace = Kind {
        scope: Scope::Cluster,
        short_names: vec!["ns".into()],
        subresources: vec![Subresource::Status, Subresource::Finalize],
        ..kind("", "v1", "Namespace", "namespaces")
    };
    let pod = Kind {
        short_names: vec!["po".into()],
        categories: vec!["all".into()],
        subresources: vec![Subresource::Eviction, Subresource::Binding],
        ..kind("", "v1", "Pod", "pods")
    };
    let deployment = Kind {
        subresources: vec![Subresource::Scale],
        ..kind("apps", "v1", "Deployment", "deployments")
    };
    let custom = |version| Kind {
        custom: Some(Arc::new(CustomKind::default())),
        subresources: vec![Subresource::Status],
        ..kind("example.com", version, "Widget", "widgets")
    };
    vec![pod, namespace, deployment, custom("v1alpha1"), custom("v2"), custom("v10"), custom("v1")]
        .into_iter()
        .map(Arc::new)
        .collect()
}

fn names(list: &Value, key: &str) -> Vec<String> {
    let items = list.as_array().unwrap();
    items.iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_core_is_listed_as_the_real_server_lists_it() {
    let pod = json!({"name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod",
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        "shortNames": ["po"], "categories": ["all"]});
    let namespace = json!({"name": "namespaces", "singularName": "namespace", "namespaced": false, "kind": "Namespace",
        "verbs": ["create", "delete", "get", "list", "patch", "update", "watch"], "shortNames": ["ns"]});
    let expected = json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [
        namespace,
        {"name": "namespaces/finalize", "singularName": "", "namespaced": false, "kind": "Namespace", "verbs": ["update"]},
        {"name": "namespaces/status", "singularName": "", "namespaced": false, "kind": "Namespace",
            "verbs": ["get", "patch", "update"]},
        pod,
        {"name": "pods/binding", "singularName": "", "namespaced": true, "kind": "Binding", "verbs": ["create"]},
        {"name": "pods/eviction", "singularName": "", "namespaced": true, "group": "policy", "version": "v1",
            "kind": "Eviction", "verbs": ["create"]},
    ]});
    assert_eq!(resource_list(&kinds(), "", "v1"), Some(expected));
}

#[test]
fn what_is_not_served_has_no_document() {
    assert_eq!(resource_list(&kinds(), "apps", "v9"), None);
    assert_eq!(group(&kinds(), "nope.example.com"), None);
    assert_eq!(group(&kinds(), ""), None);
}

#[test]
fn the_best_version_comes_first() {
    let found = group(&kinds(), "example.com").unwrap();
    assert_eq!(names(&found["versions"], "version"), ["v10", "v2", "v1", "v1alpha1"]);
    assert_eq!(found["preferredVersion"]["groupVersion"], "example.com/v10");
    let mut versions =
        ["foo1", "v1alpha1", "v10beta3", "v3beta1", "v1", "v11alpha2", "foo10", "v10"];
    versions.sort_by_key(|version| Reverse(precedence(version)));
    let expected = ["v10", "v1", "v10beta3", "v3beta1", "v11alpha2", "v1alpha1", "foo1", "foo10"];
    assert_eq!(versions, expected);
}

#[test]
fn groups_are_listed_without_the_core() {
    let list = group_list(&kinds());
    assert_eq!(names(&list["groups"], "name"), ["apps", "example.com"]);
}

#[test]
fn one_document_says_the_same() {
    let core = aggregated(&kinds(), Root::Core);
    assert_eq!(core["items"][0]["metadata"], json!({}));
    let pod = &core["items"][0]["versions"][0]["resources"][1];
    assert_eq!(
        pod["subresources"][1],
        json!({"subresource": "eviction", "responseKind": {"group": "policy", "version": "v1", "kind": "Eviction"},
            "verbs": ["create"]})
    );
    assert_eq!(pod["responseKind"], json!({"group": "", "version": "", "kind": "Pod"}));
    let groups = aggregated(&kinds(), Root::Groups);
    let scale = &groups["items"][0]["versions"][0]["resources"][0]["subresources"][0];
    assert_eq!(
        scale["responseKind"],
        json!({"group": "autoscaling", "version": "v1", "kind": "Scale"})
    );
    let widget = &groups["items"][1]["versions"][1]["resources"][0];
    assert_eq!(
        widget["responseKind"],
        json!({"group": "example.com", "version": "v2", "kind": "Widget"})
    );
}

#[test]
fn fingerprints_tell_documents_apart() {
    assert_ne!(fingerprint(b"a"), fingerprint(b"b"));
    assert_eq!(fingerprint(b"a"), fingerprint(b"a"));
}
