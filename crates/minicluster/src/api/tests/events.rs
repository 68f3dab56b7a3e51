//! Events are the same objects in both groups that have them.

use super::*;

#[test]
fn an_event_is_seen_under_both_names() {
    let api = api();
    let core = api.kind("", "v1", "events").unwrap();
    let new = api.kind("events.k8s.io", "v1", "events").unwrap();
    let body = json!({
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
        "message": "hello", "count": 3, "type": "Normal", "reason": "Started",
    });
    api.create(&core, "default", body, &quietly()).unwrap();
    let mut watch = api.watch(&new, &WatchQuery::default()).unwrap();
    let seen = api.get(&new, "default", "e").unwrap().value();
    assert_eq!(seen["apiVersion"], json!("events.k8s.io/v1"));
    assert_eq!(seen["note"], json!("hello"));
    assert_eq!(seen["regarding"]["name"], json!("p"));
    assert_eq!(seen["deprecatedCount"], json!(3));
    assert_eq!(seen.get("message"), None);
    let Some(WatchEvent::Added(told)) = watch.try_next() else { panic!("nothing") };
    assert_eq!(told.value(), seen);

    let at = Target::new("default", "e");
    api.modify(&new, &at, |event| event["note"] = json!("again")).unwrap();
    let back = api.get(&core, "default", "e").unwrap().value();
    assert_eq!((&back["message"], &back["apiVersion"]), (&json!("again"), &json!("v1")));
    assert_eq!(api.list(&new, &ListQuery::default()).unwrap().items.len(), 1);
}
