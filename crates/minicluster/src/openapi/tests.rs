use serde_json::json;

use super::*;
use crate::{
    custom,
    kind::{Scope, Subresource},
    rules, schema,
};

fn kind(group: &str, name: &str, plural: &str) -> Kind {
    Kind {
        group: group.into(),
        version: "v1".into(),
        kind: name.into(),
        list_kind: format!("{name}List").into(),
        plural: plural.into(),
        singular: name.to_lowercase().into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: Scope::Namespaced,
        subresources: vec![Subresource::Status],
        schema: schema::built_in_kind(group, "v1", name).unwrap(),
        rules: rules::rules_for(group, name),
        custom: None,
    }
}

fn kinds() -> Vec<Arc<Kind>> {
    let definition = json!({"metadata": {"name": "widgets.example.com"}, "spec": {"group": "example.com", "scope": "Cluster",
        "names": {"plural": "widgets", "kind": "Widget", "listKind": "WidgetList", "singular": "widget"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
            "properties": {"spec": {"type": "object", "description": "wishes", "properties": {"size": {"type": "integer"}}}}}}}]}});
    let widget = custom::kind_from(&definition, "v1").unwrap();
    [kind("", "Pod", "pods"), kind("apps", "Deployment", "deployments"), widget]
        .into_iter()
        .map(Arc::new)
        .collect()
}

fn read(document: &Document) -> Value {
    serde_json::from_slice(&document.body).unwrap()
}

/// Every reference in a document leads somewhere.
fn dangling(document: &Value) -> Vec<String> {
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(target)) = members.get("$ref") {
                    found.push(target.clone());
                }
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    references(document, &mut found);
    assert!(!found.is_empty());
    found.retain(|target| {
        let pointer = target.strip_prefix('#').unwrap();
        document.pointer(pointer).is_none()
    });
    found
}

#[test]
fn the_index_leads_to_every_part() {
    let documents = Documents::new(kinds());
    let index = read(&documents.index());
    let paths: Vec<&String> = index["paths"].as_object().unwrap().keys().collect();
    let expected = [
        "api",
        "api/v1",
        "apis",
        "apis/apps",
        "apis/apps/v1",
        "apis/example.com",
        "apis/example.com/v1",
        "version",
    ];
    assert_eq!(paths, expected);
    for path in expected {
        let part = documents.part(path).unwrap();
        let url = format!("/openapi/v3/{path}?hash={}", part.tag);
        assert_eq!(index["paths"][path]["serverRelativeURL"], url);
        assert_eq!(read(&part)["openapi"], "3.0.0");
    }
    assert!(documents.part("apis/nope/v1").is_none());
}

#[test]
fn parts_are_whole_and_say_how_lists_are_merged() {
    let documents = Documents::new(kinds());
    let core = read(&documents.part("api/v1").unwrap());
    assert_eq!(dangling(&core), Vec::<String>::new());
    let schemas = &core["components"]["schemas"];
    assert_eq!(
        schemas["io.k8s.api.core.v1.Pod"]["x-kubernetes-group-version-kind"],
        json!([{"group": "", "version": "v1", "kind": "Pod"}])
    );
    assert_eq!(
        schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"],
        json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
            "items": {"default": {}, "allOf": [{"$ref": "#/components/schemas/io.k8s.api.core.v1.Container"}]}})
    );
    let pod = &core["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"];
    assert_eq!(
        pod["get"]["x-kubernetes-group-version-kind"],
        json!({"group": "", "version": "v1", "kind": "Pod"})
    );
    assert_eq!(pod["patch"]["parameters"][2]["name"], "fieldValidation");
    let media: Vec<&String> =
        pod["patch"]["requestBody"]["content"].as_object().unwrap().keys().collect();
    assert_eq!(
        media,
        [
            "application/apply-patch+yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json"
        ]
    );
}

#[test]
fn kinds_that_somebody_defined_are_in_it() {
    let documents = Documents::new(kinds());
    let part = read(&documents.part("apis/example.com/v1").unwrap());
    assert_eq!(dangling(&part), Vec::<String>::new());
    let widget = &part["components"]["schemas"]["com.example.v1.Widget"];
    assert_eq!(widget["properties"]["spec"]["description"], "wishes");
    assert_eq!(widget["x-kubernetes-group-version-kind"][0]["kind"], "Widget");
    assert!(part["paths"]["/apis/example.com/v1/widgets/{name}"]["get"].is_object());
}

#[test]
fn version_two_is_whole() {
    let v2 = read(&Documents::new(kinds()).v2());
    assert_eq!(v2["swagger"], "2.0");
    assert_eq!(dangling(&v2), Vec::<String>::new());
    assert_eq!(
        v2["definitions"]["io.k8s.api.core.v1.Container"]["properties"]["resources"],
        json!({"$ref": "#/definitions/io.k8s.api.core.v1.ResourceRequirements"})
    );
    assert_eq!(
        v2["definitions"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"],
        json!({"type": "string", "format": "int-or-string"})
    );
}

#[test]
fn documents_are_kept_until_the_kinds_change() {
    let all = OpenApi::default();
    let first = kinds();
    let before = all.documents(first.clone());
    assert!(Arc::ptr_eq(&before, &all.documents(first.clone())));
    let after = all.documents(first[..2].to_vec());
    assert!(!Arc::ptr_eq(&before, &after));
    assert_ne!(before.index().tag, after.index().tag);
    assert_eq!(before.part("api/v1").unwrap().tag, after.part("api/v1").unwrap().tag);
}
