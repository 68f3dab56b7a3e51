//! Creation and change.

use super::*;
use crate::FieldError;

fn refusal(error: &ApiError) -> (u16, &str, &str) {
    (error.code, error.reason, &error.message)
}

#[test]
fn the_server_says_who_and_when() {
    let api = api();
    let kind = config_maps(&api);
    let body = json!({
        "metadata": {
            "generateName": "job-", "uid": "mine", "creationTimestamp": "2001-01-01T00:00:00Z",
            "deletionTimestamp": "2001-01-01T00:00:00Z", "generation": 7,
        },
    });
    let written = api.create(&kind, "default", body, &quietly()).unwrap();
    assert!(written.created);
    let value = written.object.value();
    assert_eq!(value["apiVersion"], json!("v1"));
    assert_eq!(value["kind"], json!("ConfigMap"));
    let metadata = &value["metadata"];
    let name = metadata["name"].as_str().unwrap();
    assert!(name.starts_with("job-") && name.len() == 9, "{name}");
    assert_ne!(metadata["uid"], json!("mine"));
    assert_eq!(metadata["creationTimestamp"], json!("1970-01-01T00:00:00Z"));
    assert_eq!(metadata["namespace"], json!("default"));
    assert_eq!(metadata["resourceVersion"], json!(written.object.revision.to_string()));
    assert_eq!((metadata.get("deletionTimestamp"), metadata.get("generation")), (None, None));
}

#[test]
fn creations_that_are_refused() {
    let api = api();
    let kind = config_maps(&api);
    filled(&api, &["taken"]);
    let cases = [
        ("default", json!({"metadata": {"name": "taken"}}), "configmaps \"taken\" already exists"),
        (
            "default",
            json!({"metadata": {"name": "a", "resourceVersion": "5"}}),
            "resourceVersion should not be set on objects to be created",
        ),
        ("none", json!({"metadata": {"name": "a"}}), "namespaces \"none\" not found"),
        (
            "default",
            json!({"metadata": {"name": "a", "namespace": "other"}}),
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            "default",
            json!({}),
            "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required",
        ),
    ];
    let revision = api.revision();
    for (namespace, body, message) in cases {
        let error = api.create(&kind, namespace, body, &quietly()).unwrap_err();
        assert_eq!(error.message, message);
    }
    assert_eq!(api.revision(), revision, "what is refused leaves no trace");
}

#[test]
fn versions_guard_updates() {
    let api = api();
    let kind = config_maps(&api);
    let first = filled(&api, &["a"]).remove(0);
    let at = Target::new("default", "a");
    let put = |version: &str, uid: &str, value: &str| {
        let mut body = config_map("a", value);
        if !version.is_empty() {
            body["metadata"]["resourceVersion"] = json!(version);
        }
        if !uid.is_empty() {
            body["metadata"]["uid"] = json!(uid);
        }
        api.update(&kind, &at, body, &quietly())
    };
    let old = first.revision.to_string();
    let second = put(&old, "", "green").unwrap().object;
    assert!(second.revision > first.revision);
    let stale = put(&old, "", "blue").unwrap_err();
    assert_eq!((stale.code, stale.reason), (409, "Conflict"));
    assert_eq!(put(&old, "", "green").unwrap_err().code, 409, "also if it changes nothing");
    assert_eq!(put("", "", "green").unwrap().object.revision, second.revision, "nothing changed");
    assert_eq!(put("abc", "", "green").unwrap_err().code, 500);
    assert_eq!(put("", "other", "green").unwrap_err().code, 409);
    assert_eq!(put("0", &first.uid, "blue").unwrap().object.uid, first.uid);
}

#[test]
fn a_write_that_changes_nothing_makes_no_event() {
    let api = api();
    let kind = config_maps(&api);
    let made = filled(&api, &["a"]).remove(0);
    let at = Target::new("default", "a");
    let patch = PatchRequest::Patch(Patch::Merge(json!({"data": {"k": "red"}})));
    api.patch(&kind, &at, patch, &quietly()).unwrap();
    api.modify(&kind, &at, |_| {}).unwrap();
    api.update(&kind, &at, config_map("a", "red"), &quietly()).unwrap();
    assert_eq!(api.revision(), made.revision);
}

#[test]
fn a_dry_run_changes_nothing() {
    let api = api();
    let kind = config_maps(&api);
    filled(&api, &["a"]);
    let revision = api.revision();
    let dry = WriteOptions { dry_run: true, ..quietly() };
    let at = Target::new("default", "a");
    let made = api.create(&kind, "default", config_map("b", "red"), &dry).unwrap();
    assert!(!made.object.uid.is_empty());
    let updated = api.update(&kind, &at, config_map("a", "blue"), &dry).unwrap();
    assert_eq!(updated.object.value()["data"]["k"], json!("blue"));
    let patch = PatchRequest::Patch(Patch::Merge(json!({"data": {"k": "blue"}})));
    api.patch(&kind, &at, patch, &dry).unwrap();
    let options = DeleteOptions { dry_run: true, ..DeleteOptions::default() };
    api.delete(&kind, &at, &options).unwrap();
    assert_eq!(api.revision(), revision);
    assert_eq!(api.get(&kind, "default", "a").unwrap().value()["data"]["k"], json!("red"));
}

#[test]
fn paths_and_bodies_must_agree() {
    let api = api();
    let kind = config_maps(&api);
    filled(&api, &["a"]);
    let put = |name: &str, body| api.update(&kind, &Target::new("default", name), body, &quietly());
    let cases = [
        ("a", json!({"metadata": {"name": "b"}}), 400),
        ("a", json!({"data": {}}), 400),
        ("a", json!({"metadata": {"name": "a", "namespace": "kube-system"}}), 400),
        ("a", json!({"kind": "Secret", "metadata": {"name": "a"}}), 400),
        ("none", json!({"metadata": {"name": "none"}}), 404),
    ];
    for (name, body, code) in cases {
        assert_eq!(put(name, body).unwrap_err().code, code);
    }
}

#[test]
fn identity_never_changes() {
    let api = api();
    let kind = config_maps(&api);
    filled(&api, &["a"]);
    let at = Target::new("default", "a");
    let patch =
        |change| api.patch(&kind, &at, PatchRequest::Patch(Patch::Merge(change)), &quietly());
    let error = patch(json!({"metadata": {"uid": "x"}})).unwrap_err();
    let expected = FieldError::invalid("metadata.uid", "x", "field is immutable");
    assert_eq!(
        refusal(&error),
        (422, "Invalid", &*format!("ConfigMap \"a\" is invalid: {expected}"))
    );
    let before = api.get(&kind, "default", "a").unwrap();
    let kept =
        patch(json!({"metadata": {"creationTimestamp": "2001-01-01T00:00:00Z", "generation": 9}}));
    assert_eq!(kept.unwrap().object.json, before.json);
}

#[test]
fn generation_counts_changes_of_the_spec_alone() {
    let api = api();
    let kind = pods(&api);
    let made = api.create(&kind, "default", pod(&api, "p", "n"), &quietly()).unwrap().object;
    let generation = |object: &Object| object.value()["metadata"]["generation"].as_i64();
    assert_eq!(generation(&made), Some(1));
    let at = Target::new("default", "p");
    let labelled = api.modify(&kind, &at, |pod| pod["metadata"]["labels"] = json!({"a": "b"}));
    assert_eq!(generation(&labelled.unwrap()), Some(1));
    let status = Target::status("default", "p");
    let running = api.modify(&kind, &status, |pod| pod["status"]["phase"] = json!("Running"));
    assert_eq!(generation(&running.unwrap()), Some(1));
    let image = api.modify(&kind, &at, |pod| pod["spec"]["containers"][0]["image"] = json!("j"));
    assert_eq!(generation(&image.unwrap()), Some(2));
}

#[test]
fn a_status_is_written_at_its_own_path_only() {
    let api = api();
    let kind = pods(&api);
    api.create(&kind, "default", pod(&api, "p", "n"), &quietly()).unwrap();
    let both = |value: &mut Value| {
        value["status"]["phase"] = json!("Running");
        value["spec"]["containers"][0]["image"] = json!("j");
    };
    let object = api.modify(&kind, &Target::new("default", "p"), both).unwrap().value();
    assert_eq!(object["status"]["phase"], json!("Pending"));
    assert_eq!(object["spec"]["containers"][0]["image"], json!("j"));
    let back = |value: &mut Value| {
        value["status"]["phase"] = json!("Running");
        value["spec"]["containers"][0]["image"] = json!("i");
    };
    let object = api.modify(&kind, &Target::status("default", "p"), back).unwrap().value();
    assert_eq!(object["status"]["phase"], json!("Running"));
    assert_eq!(object["spec"]["containers"][0]["image"], json!("j"));
}

#[test]
fn unknown_fields_are_dropped_told_or_refused() {
    let api = api();
    let kind = config_maps(&api);
    let create = |name: &str, field_validation, duplicates: &[&str]| {
        let body = json!({"metadata": {"name": name}, "extra": true});
        let duplicates = duplicates.iter().map(ToString::to_string).collect();
        let options = WriteOptions { field_validation, duplicates, ..quietly() };
        api.create(&kind, "default", body, &options)
    };
    assert_eq!(create("a", FieldValidation::Ignore, &[]).unwrap().warnings, [""; 0]);
    let warned = create("b", FieldValidation::Warn, &["data"]).unwrap();
    assert_eq!(warned.warnings, ["duplicate field \"data\"", "unknown field \"extra\""]);
    assert_eq!(warned.object.value().get("extra"), None);
    let error = create("c", FieldValidation::Strict, &[]).unwrap_err();
    assert_eq!(
        error.message,
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \"extra\""
    );
}
