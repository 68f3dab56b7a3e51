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
    api.modify(&core, &at, |event| event["message"] = json!("again")).unwrap();
    assert_eq!(api.get(&new, "default", "e").unwrap().value()["note"], json!("again"));
}

#[test]
fn an_event_of_the_new_group_is_kept_in_the_old_form() {
    let api = api();
    let core = api.kind("", "v1", "events").unwrap();
    let new = api.kind("events.k8s.io", "v1", "events").unwrap();
    let body = json!({
        "metadata": {"name": "e"},
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "example.com/x",
        "reportingInstance": "x-1", "action": "Starting", "reason": "Started", "type": "Normal",
        "note": "hello",
    });
    let made = api.create(&new, "default", body, &quietly()).unwrap().object.value();
    assert_eq!(made["apiVersion"], json!("events.k8s.io/v1"));
    let kept = api.get(&core, "default", "e").unwrap().value();
    assert_eq!((&kept["message"], &kept["apiVersion"]), (&json!("hello"), &json!("v1")));
    assert_eq!(kept["reportingComponent"], json!("example.com/x"));
    for (kind, selector) in [(&core, "involvedObject.name=p"), (&new, "regarding.name=p")] {
        let fields = FieldSelector::parse(kind, selector).unwrap();
        let listing = api.list(kind, &ListQuery::default().fields(fields)).unwrap();
        assert_eq!(names(&listing), ["e"]);
    }
}
