//! Deletion.

use super::*;
use crate::store::Limits;

fn grace(seconds: i64) -> DeleteOptions {
    DeleteOptions { grace_period: Some(seconds), ..DeleteOptions::default() }
}

fn policy(propagation: Propagation) -> DeleteOptions {
    DeleteOptions { propagation: Some(propagation), ..DeleteOptions::default() }
}

fn plain() -> DeleteOptions {
    DeleteOptions::default()
}

/// Deletion time, grace period and generation of an object.
fn marks(object: &Object) -> (Option<String>, Option<i64>, Option<i64>) {
    let value = object.value();
    let metadata = &value["metadata"];
    (
        metadata["deletionTimestamp"].as_str().map(str::to_owned),
        metadata["deletionGracePeriodSeconds"].as_i64(),
        metadata["generation"].as_i64(),
    )
}

#[test]
fn a_bound_pod_takes_its_time() {
    let api = api();
    let kind = pods(&api);
    api.create(&kind, "default", pod(&api, "p", "n"), &quietly()).unwrap();
    let at = Target::new("default", "p");
    let mut watch = api.watch(&kind, &WatchQuery::default()).unwrap();
    let time = |seconds: &str| Some(format!("1970-01-01T00:00:{seconds}Z"));

    let first = api.delete(&kind, &at, &plain()).unwrap();
    assert!(!first.gone);
    assert_eq!(marks(&first.object), (time("30"), Some(30), Some(2)));
    let again = api.delete(&kind, &at, &grace(300)).unwrap();
    assert_eq!(again.object.revision, first.object.revision, "longer changes nothing");
    let shorter = api.delete(&kind, &at, &grace(5)).unwrap();
    assert_eq!(marks(&shorter.object), (time("05"), Some(5), Some(2)));
    let last = api.delete(&kind, &at, &grace(0)).unwrap();
    assert!(last.gone);
    assert_eq!(marks(&last.object), (time("00"), Some(0), Some(2)));
    assert_eq!(api.get(&kind, "default", "p").unwrap_err().code, 404);
    assert_eq!(told(&mut watch), ["+p", "~p", "~p", "~p", "-p"]);
}

#[test]
fn pods_that_nobody_runs_go_at_once() {
    let api = api();
    let kind = pods(&api);
    api.create(&kind, "default", pod(&api, "unbound", ""), &quietly()).unwrap();
    api.create(&kind, "default", pod(&api, "done", "n"), &quietly()).unwrap();
    let done = Target::status("default", "done");
    api.modify(&kind, &done, |pod| pod["status"]["phase"] = json!("Succeeded")).unwrap();
    for name in ["unbound", "done"] {
        let deleted = api.delete(&kind, &Target::new("default", name), &grace(20)).unwrap();
        assert!(deleted.gone);
        assert_eq!(marks(&deleted.object).1, Some(0));
    }
}

#[test]
fn finalizers_hold_until_the_last_is_gone() {
    let api = api();
    let kind = config_maps(&api);
    let body = json!({"metadata": {"name": "a", "finalizers": ["example.com/x", "example.com/y"]}});
    api.create(&kind, "default", body, &quietly()).unwrap();
    let at = Target::new("default", "a");
    let mut watch = api.watch(&kind, &WatchQuery::default()).unwrap();
    let held = api.delete(&kind, &at, &plain()).unwrap();
    assert!(!held.gone);
    assert_eq!(marks(&held.object), (Some("1970-01-01T00:00:00Z".to_owned()), Some(0), None));
    assert_eq!(api.delete(&kind, &at, &plain()).unwrap().object.revision, held.object.revision);
    let finalizers = |list: Value| {
        let patch = Patch::Merge(json!({"metadata": {"finalizers": list}}));
        api.patch(&kind, &at, PatchRequest::Patch(patch), &quietly())
    };
    assert_eq!(finalizers(json!(["example.com/new"])).unwrap_err().code, 422);
    let one = finalizers(json!(["example.com/y"])).unwrap().object;
    let last = finalizers(json!(null)).unwrap().object;
    assert_eq!(last.revision, one.revision, "the answer is the object as it would have been");
    assert_eq!(api.get(&kind, "default", "a").unwrap_err().code, 404);
    assert_eq!(told(&mut watch), ["+a", "~a", "~a", "-a"]);
}

#[test]
fn propagation_becomes_a_finalizer() {
    let api = api();
    let kind = config_maps(&api);
    for (name, propagation, expected) in [
        ("fore", Propagation::Foreground, json!(["foregroundDeletion"])),
        ("orphan", Propagation::Orphan, json!(["orphan"])),
    ] {
        filled(&api, &[name]);
        let at = Target::new("default", name);
        let held = api.delete(&kind, &at, &policy(propagation)).unwrap();
        assert_eq!(held.object.value()["metadata"]["finalizers"], expected);
        api.modify(&kind, &at, |value| value["metadata"]["finalizers"] = json!([])).unwrap();
        assert_eq!(api.get(&kind, "default", name).unwrap_err().code, 404);
    }
    filled(&api, &["back"]);
    let at = Target::new("default", "back");
    assert!(api.delete(&kind, &at, &policy(Propagation::Background)).unwrap().gone);
}

#[test]
fn preconditions_must_hold() {
    let api = api();
    let kind = config_maps(&api);
    let made = filled(&api, &["a"]).remove(0);
    let at = Target::new("default", "a");
    let given = |uid: Option<&str>, version: Option<u64>| DeleteOptions {
        preconditions: Preconditions {
            uid: uid.map(str::to_owned),
            resource_version: version.map(|version| version.to_string()),
        },
        ..plain()
    };
    assert_eq!(api.delete(&kind, &at, &given(Some("x"), None)).unwrap_err().code, 409);
    assert_eq!(api.delete(&kind, &at, &given(None, Some(1))).unwrap_err().code, 409);
    let right = given(Some(&made.uid), Some(made.revision));
    let deleted = api.delete(&kind, &at, &right).unwrap();
    assert!(deleted.gone && deleted.object.revision > made.revision);
}

#[test]
fn a_namespace_goes_when_its_finalizer_does() {
    let api = api();
    let kind = api.kind("", "v1", "namespaces").unwrap();
    assert_eq!(
        api.delete(&kind, &Target::new("", "default"), &plain()).unwrap_err().message,
        "namespaces \"default\" is forbidden: this namespace may not be deleted"
    );
    api.create(&kind, "", json!({"metadata": {"name": "b"}}), &quietly()).unwrap();
    let at = Target::new("", "b");
    let marked = api.delete(&kind, &at, &plain()).unwrap();
    assert!(!marked.gone);
    assert_eq!(marked.object.value()["status"]["phase"], json!("Terminating"));
    assert_eq!(marks(&marked.object).1, None);
    assert_eq!(api.delete(&kind, &at, &plain()).unwrap().object.revision, marked.object.revision);
    let late = api.create(&config_maps(&api), "b", config_map("late", "red"), &quietly());
    assert_eq!(late.unwrap_err().code, 403);
    let finalize = Target { subresource: Some(crate::kind::Subresource::Finalize), ..at };
    let empty = json!({"metadata": {"name": "b"}, "spec": {}});
    api.update(&kind, &finalize, empty, &quietly()).unwrap();
    assert_eq!(api.get(&kind, "", "b").unwrap_err().code, 404);
}

#[test]
fn a_collection_is_answered_as_it_was() {
    let api = api_with(Limits::default());
    let kind = config_maps(&api);
    filled(&api, &["a", "b"]);
    let query = ListQuery::in_namespace("default");
    let before = api.delete_collection(&kind, &query, &plain()).unwrap();
    assert_eq!(names(&before), ["a", "b"]);
    assert_eq!(api.list(&kind, &query).unwrap().items.len(), 0);
}
