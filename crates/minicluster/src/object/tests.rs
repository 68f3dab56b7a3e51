use serde_json::json;

use super::*;

fn object(value: &Value) -> Object {
    Object {
        key: Key::new("d", "p"),
        uid: "u".into(),
        revision: 1,
        labels: Labels::of(value),
        fields: Box::default(),
        json: encode(value),
    }
}

#[test]
fn an_item_of_a_list_has_no_type() {
    let pod = json!({"action": 1, "kind": "Pod", "apiVersion": "v1", "data": {}, "metadata": {"name": "p"}});
    let rest = String::from_utf8(object(&pod).untyped().to_vec()).unwrap();
    assert_eq!(rest, r#""action":1,"data":{},"metadata":{"name":"p"}}"#);
}

#[test]
fn another_revision_changes_nothing_else() {
    let pod = json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"resourceVersion": "1", "labels": {"a": "b"}}});
    let later = object(&pod).at_revision(7);
    assert_eq!(later.revision, 7);
    assert_eq!(later.value().pointer("/metadata/resourceVersion"), Some(&json!("7")));
    assert_eq!(later.labels.get("a"), Some("b"));
    assert_eq!(later.labels.get("b"), None);
}
