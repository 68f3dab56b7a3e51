//! Laws of patches.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    super::{Patch, apply_patch},
    deployment,
};

/// Any JSON, with keys that patches and specs are made of.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..3).prop_map(Value::from),
        prop_oneof![Just("a"), Just("web"), Just("delete"), Just("replace")].prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "metadata",
        "spec",
        "template",
        "containers",
        "env",
        "name",
        "labels",
        "finalizers",
        "ports",
        "replicas",
        "status",
        "conditions",
        "type",
        "data",
        "annotations",
        "selector",
        "managedFields",
        "$patch",
        "$retainKeys",
        "$setElementOrder/containers",
        "$deleteFromPrimitiveList/finalizers",
    ]);
    leaf.prop_recursive(6, 48, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Objects without nulls, lists and directives: there all merges agree.
fn plain_object() -> impl Strategy<Value = Value> {
    let key = prop::sample::select(vec!["metadata", "labels", "spec", "template", "a", "b"]);
    let leaf = (0_i64..4).prop_map(Value::from);
    let tree = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..4)
            .prop_map(|map| Value::Object(map.into_iter().collect()))
    });
    tree.prop_filter("an object", Value::is_object)
}

/// The merge patch that makes `new` of `old`.
fn merge_diff(old: &Value, new: &Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (old, new) else { return new.clone() };
    let mut patch = serde_json::Map::new();
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        patch.insert(name.clone(), Value::Null);
    }
    for (name, value) in after {
        match before.get(name) {
            Some(same) if same == value => {}
            Some(other) => drop(patch.insert(name.clone(), merge_diff(other, value))),
            None => drop(patch.insert(name.clone(), value.clone())),
        }
    }
    Value::Object(patch)
}

proptest! {
    #[test]
    fn a_merge_patch_undoes_any_difference(old in plain_object(), new in plain_object()) {
        let patch = Patch::Merge(merge_diff(&old, &new));
        prop_assert_eq!(apply_patch(&deployment(), &old, &patch), Ok(new));
    }

    #[test]
    fn strategic_and_plain_merge_agree_on_maps(old in plain_object(), new in plain_object()) {
        let patch = merge_diff(&old, &new);
        let merged = apply_patch(&deployment(), &old, &Patch::Merge(patch.clone()));
        prop_assert_eq!(apply_patch(&deployment(), &old, &Patch::Strategic(patch)), merged);
    }

    #[test]
    fn no_patch_panics(old in any_json(), patch in any_json()) {
        let _ = apply_patch(&deployment(), &old, &Patch::Json(patch.clone()));
        let _ = apply_patch(&deployment(), &old, &Patch::Merge(patch.clone()));
        let _ = apply_patch(&deployment(), &old, &Patch::Strategic(patch));
    }

    #[test]
    fn no_operation_panics(
        old in any_json(),
        verb in prop::sample::select(vec!["add", "remove", "replace", "move", "copy", "test", "x"]),
        path in "(/(metadata|spec|a|0|1|-|~1|~)){0,4}/?",
        from in "(/(metadata|spec|a|0)){0,3}",
        value in any_json(),
    ) {
        let patch = json!([{ "op": verb, "path": path, "from": from, "value": value }]);
        let _ = apply_patch(&deployment(), &old, &Patch::Json(patch));
    }
}
