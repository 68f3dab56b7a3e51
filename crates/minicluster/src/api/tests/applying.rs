//! Server-side apply and owners, through the whole path.

use super::*;

fn apply(api: &Api, manager: &str, force: bool, data: &Value) -> Result<Written, ApiError> {
    let config = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data,
    });
    let request = PatchRequest::Apply { config, force };
    let at = Target::new("default", "a");
    api.patch(&config_maps(api), &at, request, &WriteOptions::manager(manager))
}

#[test]
fn managers_own_what_they_apply() {
    let api = api();
    let made = apply(&api, "one", false, &json!({"x": "1", "y": "2"})).unwrap();
    assert!(made.created);
    let again = apply(&api, "one", false, &json!({"x": "1", "y": "2"})).unwrap();
    assert!(!again.created);
    assert_eq!(again.object.revision, made.object.revision, "nothing changed");
    let conflict = apply(&api, "two", false, &json!({"x": "3"})).unwrap_err();
    assert_eq!((conflict.code, conflict.reason), (409, "Conflict"));
    apply(&api, "two", true, &json!({"x": "3"})).unwrap();
    let left = apply(&api, "one", false, &json!({})).unwrap().object.value();
    assert_eq!(left["data"], json!({"x": "3"}));
}

#[test]
fn who_names_no_manager_leaves_no_trace() {
    let api = api();
    let kind = config_maps(&api);
    let quiet = filled(&api, &["quiet"]).remove(0);
    assert_eq!(quiet.value()["metadata"].get("managedFields"), None);
    let named = WriteOptions::manager("me");
    let tracked = api.create(&kind, "default", config_map("tracked", "red"), &named).unwrap();
    let managed = |object: &Object| object.value()["metadata"]["managedFields"].clone();
    assert_eq!(managed(&tracked.object)[0]["manager"], json!("me"));
    let at = Target::new("default", "tracked");
    let after = api.modify(&kind, &at, |value| value["data"]["k"] = json!("z")).unwrap();
    assert_eq!(managed(&after), managed(&tracked.object));
}
