//! Strategic merge: lists by key, sets, maps, and directives.

use serde_json::{Value, json};

use super::{deployment, filled, patched_spec, refusal};
use crate::patch::{Patch, apply_patch};

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
    for line in include_str!("strategic.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let patch = Patch::Strategic(case["patch"].clone());
        match apply_patch(&deployment(), &case["old"], &patch) {
            Ok(new) => assert_eq!(filled(&new), filled(&case["ok"]), "{line}"),
            Err(error) => assert_eq!(json!(error.message), case["err"], "{line}"),
        }
    }
}
