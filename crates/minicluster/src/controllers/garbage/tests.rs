//! Tests of what becomes of objects whose owners go.

use serde_json::json;

use super::*;
use crate::{controllers::facts::tests::object, store::Resource};

#[test]
fn an_object_goes_with_its_last_owner() {
    use State::{Absent, Solid, Waiting};
    for (states, has_dependents, expected) in [
        (vec![Solid], false, "stays"),
        (vec![Solid, Solid], false, "stays"),
        (vec![Solid, Absent], false, "forgets 1"),
        (vec![Solid, Waiting, Absent], false, "forgets 2"),
        (vec![Absent], true, "Background"),
        (vec![Absent, Absent], false, "Background"),
        (vec![Waiting], false, "Background"),
        (vec![Waiting], true, "Foreground"),
        (vec![Absent, Waiting], true, "Foreground"),
    ] {
        let references: Vec<Value> = (0..states.len())
            .map(|number| json!({ "apiVersion": "v1", "kind": "Pod", "name": "o", "uid": number.to_string() }))
            .collect();
        let count = references.len();
        let object = object(
            &json!({ "metadata": { "name": "x", "uid": "x", "ownerReferences": references } }),
        );
        let target = Ref { resource: Resource::new("", "pods"), key: object.key.clone() };
        let meta = Meta::of(&object);
        let owners: Vec<(&Owner, State)> = meta.owners.iter().zip(states.iter().copied()).collect();
        let outcome = match judge(&target, &object, &meta, &owners, has_dependents) {
            None => "stays".to_owned(),
            Some(Action::Delete { propagation, .. }) => format!("{:?}", propagation.unwrap()),
            Some(Action::Change { patch, .. }) => {
                let kept = patch.pointer("/metadata/ownerReferences").and_then(Value::as_array);
                format!("forgets {}", count - kept.map_or(0, Vec::len))
            }
            Some(other) => panic!("{other:?}"),
        };
        assert_eq!(outcome, expected, "{states:?}");
    }
}
