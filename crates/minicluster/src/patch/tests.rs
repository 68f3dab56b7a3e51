use std::sync::Arc;

use serde_json::{Value, json};

use super::{Patch, PatchType, apply_patch, refused};
use crate::{
    ApiError, Kind,
    kind::{Scope, Subresource},
    rules, schema,
};

pub(crate) mod properties;
mod strategic;

/// A built-in kind with a status.
pub(crate) fn kind(group: &str, version: &str, kind: &str) -> Kind {
    Kind {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        list_kind: format!("{kind}List").into(),
        plural: format!("{}s", kind.to_lowercase()).into(),
        singular: kind.to_lowercase().into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: Scope::Namespaced,
        subresources: vec![Subresource::Status],
        schema: schema::built_in_kind(group, version, kind).unwrap(),
        rules: rules::rules_for(group, kind),
        custom: None,
    }
}

fn deployment() -> Kind {
    kind("apps", "v1", "Deployment")
}

fn refusal(outcome: Result<Value, ApiError>) -> (u16, String) {
    let error = outcome.unwrap_err();
    (error.code, error.message)
}

/// Applies a strategic merge patch to a pod template's spec, and gives that back.
fn patched_spec(spec: &Value, patch: &Value) -> Result<Value, ApiError> {
    let old = json!({ "spec": { "template": { "spec": spec } } });
    let patch = Patch::Strategic(json!({ "spec": { "template": { "spec": patch } } }));
    let new = apply_patch(&deployment(), &old, &patch)?;
    Ok(new["spec"]["template"]["spec"].clone())
}

#[test]
fn json_patch_operations() {
    let old = json!({ "data": { "x": "1" }, "list": ["a", "b"], "metadata": { "annotations": { "e/z": "2" } } });
    let table = [
        (
            json!([{ "op": "add", "path": "/data/y", "value": "2" }]),
            "/data",
            json!({ "x": "1", "y": "2" }),
        ),
        (
            json!([{ "op": "replace", "path": "/data/x", "value": "3" }]),
            "/data",
            json!({ "x": "3" }),
        ),
        // Unlike in RFC 6902.
        (
            json!([{ "op": "replace", "path": "/data/none", "value": "3" }]),
            "/data/none",
            json!("3"),
        ),
        (
            json!([{ "op": "test", "path": "/data/none", "value": null }]),
            "/data",
            json!({ "x": "1" }),
        ),
        (json!([{ "op": "remove", "path": "/data/x" }]), "/data", json!({})),
        (
            json!([{ "op": "replace", "path": "/metadata/annotations/e~1z", "value": "3" }]),
            "/metadata/annotations",
            json!({ "e/z": "3" }),
        ),
        (
            json!([{ "op": "add", "path": "/list/-", "value": "c" }]),
            "/list",
            json!(["a", "b", "c"]),
        ),
        (
            json!([{ "op": "add", "path": "/list/0", "value": "c" }]),
            "/list",
            json!(["c", "a", "b"]),
        ),
        (
            json!([
                { "op": "copy", "from": "/data/x", "path": "/data/y" },
                { "op": "move", "from": "/data/y", "path": "/data/z" },
                { "op": "test", "path": "/data/z", "value": "1" },
            ]),
            "/data",
            json!({ "x": "1", "z": "1" }),
        ),
        (json!([]), "/data", json!({ "x": "1" })),
    ];
    for (patch, at, expected) in table {
        let new = apply_patch(&deployment(), &old, &Patch::Json(patch.clone())).unwrap();
        assert_eq!(new.pointer(at), Some(&expected), "{patch}");
    }
}

#[test]
fn json_patch_that_does_not_apply_is_refused_without_a_reason() {
    let old = json!({ "data": { "x": "1" }, "list": ["a"] });
    for patch in [
        json!([{ "op": "test", "path": "/data/x", "value": "2" }]),
        json!([{ "op": "remove", "path": "/data/none" }]),
        json!([{ "op": "add", "path": "/none/x", "value": "2" }]),
        json!([{ "op": "replace", "path": "/list/1", "value": "2" }]),
        json!([{ "op": "add", "path": "/list/7", "value": "2" }]),
        json!([{ "op": "frob", "path": "/data/x" }]),
        json!([{ "op": "add", "value": "2" }]),
        json!([{ "path": "/data/x" }]),
    ] {
        let error = apply_patch(&deployment(), &old, &Patch::Json(patch.clone())).unwrap_err();
        assert_eq!(
            error.status(),
            json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "the server rejected our request due to an error in our request",
                "reason": "Invalid", "details": {}, "code": 422,
            }),
            "{patch}"
        );
    }
}

#[test]
fn bodies_that_are_no_patches() {
    let table = [
        (PatchType::Json, "[{", "error decoding patch: unexpected end of JSON input"),
        (PatchType::Merge, "", "error decoding patch: unexpected end of JSON input"),
        (
            PatchType::Json,
            "{}",
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        ),
        (
            PatchType::Merge,
            "[]",
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (
            PatchType::Strategic,
            "1",
            "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}",
        ),
    ];
    for (of, body, message) in table {
        let error = Patch::decode(of, body.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (400, message), "{body}");
    }
    assert_eq!(Patch::decode(PatchType::Merge, br#"{"a":1}"#), Ok(Patch::Merge(json!({ "a": 1 }))));
}

#[test]
fn merge_patch_replaces_lists_and_drops_nulls() {
    let old = json!({ "data": { "x": "1", "y": "2" }, "list": [1, 2] });
    let patch =
        json!({ "data": { "x": null, "z": "3" }, "list": [3], "new": { "a": null, "b": 1 } });
    assert_eq!(
        apply_patch(&deployment(), &old, &Patch::Merge(patch)),
        Ok(json!({ "data": { "y": "2", "z": "3" }, "list": [3], "new": { "b": 1 } }))
    );
}

/// A value without nulls and without members that are empty: to the server's types they are as good as absent.
pub(crate) fn filled(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), filled(value)));
            let is_filled =
                |value: &Value| !value.is_null() && *value != json!({}) && *value != json!([]);
            Value::Object(members.filter(|(_, value)| is_filled(value)).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(filled).collect()),
        other => other.clone(),
    }
}

#[test]
fn custom_resources_take_no_strategic_merge() {
    let widget = Kind { custom: Some(Arc::default()), ..deployment() };
    let error = apply_patch(&widget, &json!({}), &Patch::Strategic(json!({}))).unwrap_err();
    assert_eq!((error.code, error.reason), (415, "UnsupportedMediaType"));
    assert_eq!(
        apply_patch(&widget, &json!({}), &Patch::Merge(json!({ "a": 1 }))),
        Ok(json!({ "a": 1 }))
    );
}

#[test]
fn a_patch_cannot_change_the_kind() {
    let old = json!({ "apiVersion": "v1", "kind": "ConfigMap" });
    let table = [
        (json!({ "kind": "Secret" }), "no kind \"Secret\" is registered for version \"v1\""),
        (json!({ "apiVersion": "v2" }), "no kind \"ConfigMap\" is registered for version \"v2\""),
        (json!({ "kind": null }), "Object 'Kind' is missing in"),
        (json!({ "apiVersion": null }), "Object 'apiVersion' is missing in"),
    ];
    let config_map = kind("", "v1", "ConfigMap");
    for (patch, why) in table {
        let error = apply_patch(&config_map, &old, &Patch::Merge(patch.clone())).unwrap_err();
        assert_eq!((error.code, error.reason), (422, "Invalid"));
        assert!(error.message.contains(why), "{}", error.message);
        // A strategic merge does not see it.
        assert_eq!(apply_patch(&config_map, &old, &Patch::Strategic(patch)), Ok(old.clone()));
    }
}

#[test]
fn what_cannot_be_decoded_is_shown() {
    let patch = Patch::Strategic(json!({ "spec": { "replicas": "three" } }));
    let why = "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32";
    assert_eq!(
        refused(&patch, &json!({}), why).status(),
        json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": " \"\" is invalid: patch: Invalid value: \"map[spec:map[replicas:three]]\": unrecognized type: int32",
            "reason": "Invalid",
            "details": { "causes": [{
                "reason": "FieldValueInvalid",
                "message": "Invalid value: \"map[spec:map[replicas:three]]\": unrecognized type: int32",
                "field": "patch",
            }] },
            "code": 422,
        })
    );
    let error = refused(&Patch::Merge(json!({})), &json!({ "a": 1 }), "no such kind");
    assert_eq!(
        error.message,
        " \"\" is invalid: patch: Invalid value: \"{\\\"a\\\":1}\": no such kind"
    );
}
