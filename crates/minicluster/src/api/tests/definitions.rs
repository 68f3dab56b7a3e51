//! Custom kinds.

use super::*;

fn definition() -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {
                "size": {"type": "integer", "minimum": 1},
                "color": {"type": "string", "default": "red"},
            }},
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        },
    });
    let version = |name: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": schema},
            "subresources": {"status": {}}, "selectableFields": [{"jsonPath": ".spec.color"}],
        })
    };
    json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [version("v1", true), version("v1beta1", false)],
        },
    })
}

fn defined(api: &Api) -> (Arc<Kind>, Arc<Kind>) {
    let definitions = api.kind("apiextensions.k8s.io", "v1", "customresourcedefinitions").unwrap();
    api.create(&definitions, "", definition(), &quietly()).unwrap();
    (definitions, api.kind("example.com", "v1", "widgets").unwrap())
}

fn widget(name: &str, spec: &Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec})
}

#[test]
fn a_definition_brings_its_kinds_and_takes_their_objects_along() {
    let api = api();
    assert!(api.kind("example.com", "v1", "widgets").is_none());
    let (definitions, widgets) = defined(&api);
    let stored = api.get(&definitions, "", "widgets.example.com").unwrap().value();
    assert_eq!(stored["status"]["acceptedNames"]["kind"], json!("Widget"));
    assert!(api.kind_named("example.com/v1beta1", "Widget").is_some());

    let made =
        api.create(&widgets, "default", widget("a", &json!({"size": 1})), &quietly()).unwrap();
    assert_eq!(made.object.value()["spec"], json!({"size": 1, "color": "red"}));
    let mistake = api.create(&widgets, "default", widget("b", &json!({"size": 0})), &quietly());
    assert_eq!(mistake.unwrap_err().code, 422);
    let mut watch = api.watch(&widgets, &WatchQuery::default()).unwrap();

    let at = Target::new("", "widgets.example.com");
    let deleted = api.delete(&definitions, &at, &DeleteOptions::default()).unwrap();
    assert!(!deleted.gone, "it waits for its objects");
    assert!(api.kind("example.com", "v1", "widgets").is_none());
    assert_eq!(api.get(&definitions, "", "widgets.example.com").unwrap_err().code, 404);
    assert_eq!(told(&mut watch), ["+a", "-a"]);
    let late = api.create(&widgets, "default", widget("c", &json!({})), &quietly());
    assert_eq!(late.unwrap_err().code, 404);
}

#[tokio::test]
async fn watches_of_a_kind_end_with_its_definition() {
    let api = api();
    let (definitions, widgets) = defined(&api);
    api.create(&widgets, "default", widget("a", &json!({})), &quietly()).unwrap();
    let mut watch = api.watch(&widgets, &WatchQuery::default()).unwrap();
    let at = Target::new("", "widgets.example.com");
    api.delete(&definitions, &at, &DeleteOptions::default()).unwrap();
    assert_eq!(told(&mut watch), ["+a", "-a"]);
    assert!(watch.next().await.is_none());

    // Those of a later definition of the same name are not concerned.
    let (_, widgets) = defined(&api);
    let mut watch = api.watch(&widgets, &WatchQuery::default()).unwrap();
    api.create(&widgets, "default", widget("b", &json!({})), &quietly()).unwrap();
    assert!(matches!(watch.next().await, Some(WatchEvent::Added(_))));
}

#[test]
fn a_definition_waits_for_objects_that_somebody_holds() {
    let api = api();
    let (definitions, widgets) = defined(&api);
    let mut held = widget("a", &json!({}));
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    api.create(&widgets, "default", held, &quietly()).unwrap();
    let at = Target::new("", "widgets.example.com");
    api.delete(&definitions, &at, &DeleteOptions::default()).unwrap();
    assert!(api.get(&definitions, "", "widgets.example.com").is_ok());
    let late = api.create(&widgets, "default", widget("c", &json!({})), &quietly());
    assert_eq!(late.unwrap_err().code, 405);
    let release = |value: &mut Value| value["metadata"]["finalizers"] = json!([]);
    api.modify(&widgets, &Target::new("default", "a"), release).unwrap();
    assert_eq!(api.get(&definitions, "", "widgets.example.com").unwrap_err().code, 404);
}

#[test]
fn all_versions_show_the_same_objects() {
    let api = api();
    let (_, widgets) = defined(&api);
    let beta = api.kind("example.com", "v1beta1", "widgets").unwrap();
    api.create(&widgets, "default", widget("a", &json!({"size": 1})), &quietly()).unwrap();
    let seen = api.get(&beta, "default", "a").unwrap().value();
    assert_eq!(seen["apiVersion"], json!("example.com/v1beta1"));
    api.modify(&beta, &Target::new("default", "a"), |value| value["spec"]["size"] = json!(2))
        .unwrap();
    let back = api.get(&widgets, "default", "a").unwrap().value();
    assert_eq!((&back["spec"]["size"], &back["apiVersion"]), (&json!(2), &json!("example.com/v1")));
}

#[test]
fn fields_that_a_definition_names_can_be_selected() {
    let api = api();
    let (_, widgets) = defined(&api);
    for (name, color) in [("a", "red"), ("b", "blue")] {
        let body = widget(name, &json!({"color": color}));
        api.create(&widgets, "default", body, &quietly()).unwrap();
    }
    let fields = FieldSelector::parse(&widgets, "spec.color=blue").unwrap();
    let listing = api.list(&widgets, &ListQuery::default().fields(fields)).unwrap();
    assert_eq!(names(&listing), ["b"]);
    let unknown = FieldSelector::parse(&widgets, "spec.size=1").unwrap_err();
    assert_eq!(unknown.message, "field label not supported: spec.size");
}

#[test]
fn custom_kinds_survive_in_a_file() {
    let first = api();
    let (_, widgets) = defined(&first);
    first.create(&widgets, "default", widget("a", &json!({"size": 1})), &quietly()).unwrap();
    let mut file = Vec::new();
    first.export(&mut file).unwrap();
    let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
    let second = Api::import(clock, Limits::default(), &mut file.as_slice()).unwrap();
    let widgets = second.kind("example.com", "v1", "widgets").unwrap();
    assert_eq!(second.get(&widgets, "default", "a").unwrap().value()["spec"]["size"], json!(1));
}
