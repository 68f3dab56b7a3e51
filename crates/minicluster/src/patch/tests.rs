use std::sync::Arc;

use serde_json::{Value, json};

use super::{Patch, PatchType, apply_patch, refused};
use crate::{
    ApiError, Kind,
    kind::{Scope, Subresource},
    rules, schema,
};

pub(crate) mod properties;

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

#[test]
fn strategic_merge_of_lists() {
    let containers = json!([{ "name": "web", "image": "w:1" }, { "name": "side", "image": "s:1" }]);
    let table = [
        // Elements merge by name, where they are.
        (
            json!({ "containers": [{ "name": "side", "image": "s:2" }] }),
            json!([{ "name": "web", "image": "w:1" }, { "name": "side", "image": "s:2" }]),
        ),
        // New ones come first.
        (
            json!({ "containers": [{ "name": "new", "image": "n:1" }] }),
            json!([
                { "name": "new", "image": "n:1" },
                { "name": "web", "image": "w:1" },
                { "name": "side", "image": "s:1" },
            ]),
        ),
        // Unless told otherwise.
        (
            json!({
                "$setElementOrder/containers": [{ "name": "side" }, { "name": "new" }, { "name": "web" }],
                "containers": [{ "name": "new", "image": "n:1" }],
            }),
            json!([
                { "name": "side", "image": "s:1" },
                { "name": "new", "image": "n:1" },
                { "name": "web", "image": "w:1" },
            ]),
        ),
        // An order alone, of some.
        (json!({ "$setElementOrder/containers": [{ "name": "side" }] }), containers.clone()),
        (
            json!({ "containers": [{ "name": "web", "$patch": "delete" }] }),
            json!([{ "name": "side", "image": "s:1" }]),
        ),
        (
            json!({ "containers": [{ "$patch": "replace" }, { "name": "new", "image": "n:1" }] }),
            json!([{ "name": "new", "image": "n:1" }]),
        ),
        (
            json!({ "containers": [{ "name": "web", "image": null, "env": [{ "name": "A", "value": "1" }] }] }),
            json!([{ "name": "web", "env": [{ "name": "A", "value": "1" }] }, { "name": "side", "image": "s:1" }]),
        ),
        (json!({ "containers": null }), Value::Null),
        (json!({}), containers.clone()),
    ];
    for (patch, expected) in table {
        let spec = patched_spec(&json!({ "containers": containers }), &patch).unwrap();
        assert_eq!(spec["containers"], expected, "{patch}");
    }
}

#[test]
fn strategic_merge_replaces_lists_without_a_key() {
    let old = json!({ "tolerations": [{ "key": "a" }], "containers": [{ "name": "c", "args": ["a", "b"] }] });
    let patch =
        json!({ "tolerations": [{ "key": "b" }], "containers": [{ "name": "c", "args": ["c"] }] });
    assert_eq!(
        patched_spec(&old, &patch),
        Ok(
            json!({ "tolerations": [{ "key": "b" }], "containers": [{ "name": "c", "args": ["c"] }] })
        )
    );
}

#[test]
fn strategic_merge_of_sets() {
    let table = [
        (json!(["a"]), json!({ "finalizers": ["b"] }), json!(["b", "a"])),
        (json!(["a", "b"]), json!({ "finalizers": ["b"] }), json!(["a", "b"])),
        (json!(["b", "a"]), json!({ "$deleteFromPrimitiveList/finalizers": ["a"] }), json!(["b"])),
        (
            json!(["b", "a"]),
            json!({ "$deleteFromPrimitiveList/finalizers": ["a"], "$setElementOrder/finalizers": ["b"] }),
            json!(["b"]),
        ),
        (
            json!(["a", "b"]),
            json!({ "$setElementOrder/finalizers": ["b", "c", "a"], "finalizers": ["c"] }),
            json!(["b", "c", "a"]),
        ),
        (json!(["a"]), json!({ "finalizers": null }), Value::Null),
        (Value::Null, json!({ "$deleteFromPrimitiveList/finalizers": ["a"] }), Value::Null),
    ];
    for (old, patch, expected) in table {
        let mut metadata = json!({});
        if !old.is_null() {
            metadata["finalizers"] = old;
        }
        let patch = Patch::Strategic(json!({ "metadata": patch }));
        let new = apply_patch(&deployment(), &json!({ "metadata": metadata }), &patch).unwrap();
        assert_eq!(new["metadata"]["finalizers"], expected, "{patch:?}");
    }
}

#[test]
fn strategic_merge_of_maps() {
    let table = [
        (json!({ "labels": { "b": "2" } }), json!({ "a": "1", "b": "2" })),
        (json!({ "labels": { "a": null } }), json!({})),
        (json!({ "labels": { "$patch": "replace", "b": "2" } }), json!({ "b": "2" })),
        (json!({ "labels": { "$patch": "delete" } }), json!({})),
        (json!({ "labels": { "$retainKeys": ["b"], "b": "2" } }), json!({ "b": "2" })),
        // Where nothing was there is nothing to replace, and the whole part is dropped.
        (json!({ "annotations": { "$patch": "replace", "b": "2" } }), json!({ "a": "1" })),
    ];
    for (patch, expected) in table {
        let old = json!({ "metadata": { "labels": { "a": "1" } } });
        let patch = Patch::Strategic(json!({ "metadata": patch }));
        let new = apply_patch(&deployment(), &old, &patch).unwrap();
        assert_eq!(new["metadata"]["labels"], expected, "{patch:?}");
        assert_eq!(new["metadata"]["annotations"], Value::Null, "{patch:?}");
    }
}

#[test]
fn strategic_merge_refuses() {
    let spec = json!({ "containers": [{ "name": "web" }, { "name": "side" }] });
    let table = [
        (
            json!({ "containers": [{ "image": "x" }] }),
            500,
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            json!({ "containers": [{ "name": "web", "$patch": "frob" }] }),
            500,
            "unknown patch type: frob in map: map[$patch:frob name:web]",
        ),
        (
            json!({ "$patch": "merge", "containers": [] }),
            500,
            "unknown patch type: merge in map: map[$patch:merge containers:[]]",
        ),
        (
            json!({ "containers": [{ "name": "web", "$patch": "merge" }] }),
            500,
            "merging lists cannot yet be specified in the patch",
        ),
        (
            json!({ "$setElementOrder/containers": [{ "name": "web" }], "containers": [{ "image": "z", "name": "side" }] }),
            500,
            "The order in patch list:\n[map[image:z name:side]]\n doesn't match $setElementOrder list:\n[map[name:web]]",
        ),
        (
            json!({ "$setElementOrder/containers": "web" }),
            500,
            "expected a []interface {}, but received a string",
        ),
        (
            json!({ "containers": ["web"] }),
            500,
            "expected a map[string]interface {}, but received a string",
        ),
        (json!({ "$setElementOrder": [] }), 400, "invalid patch format of setElementOrder list"),
        (json!({ "$deleteFromPrimitiveList": [] }), 400, "invalid patch format of primitive list"),
        (json!({ "$retainKeys": "x" }), 400, "invalid patch format of retainKeys"),
        (
            json!({ "$retainKeys": ["volumes"], "containers": [] }),
            400,
            "invalid patch format of retainKeys",
        ),
    ];
    for (patch, code, message) in table {
        let outcome = patched_spec(&spec, &patch);
        assert_eq!(refusal(outcome), (code, message.to_owned()), "{patch}");
    }
}

/// Answers of the real server's library to patches made at random, most with directives. Nulls are dropped: decoding does.
#[test]
fn strategic_merge_agrees_with_the_real_library() {
    for line in include_str!("tests/strategic.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let patch = Patch::Strategic(case["patch"].clone());
        match apply_patch(&deployment(), &case["old"], &patch) {
            Ok(new) => assert_eq!(filled(&new), filled(&case["ok"]), "{line}"),
            Err(error) => assert_eq!(json!(error.message), case["err"], "{line}"),
        }
    }
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
