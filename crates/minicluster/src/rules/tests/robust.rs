//! Nothing that comes in makes the rules stumble, and defaults settle at once.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{KINDS, Objects, kind};
use crate::{
    rules::{admit_create, admit_update, metadata, warnings},
    schema::{decode, with_zero_values},
};

/// Names that the rules look for, so that nonsense gets past the first door.
const NAMES: [&str; 40] = [
    "metadata",
    "spec",
    "status",
    "name",
    "namespace",
    "labels",
    "annotations",
    "finalizers",
    "template",
    "selector",
    "matchLabels",
    "matchExpressions",
    "operator",
    "values",
    "key",
    "containers",
    "initContainers",
    "image",
    "ports",
    "containerPort",
    "resources",
    "limits",
    "requests",
    "cpu",
    "volumes",
    "emptyDir",
    "tolerations",
    "affinity",
    "nodeAffinity",
    "topologySpreadConstraints",
    "strategy",
    "type",
    "rollingUpdate",
    "taints",
    "conditions",
    "capacity",
    "data",
    "minAvailable",
    "env",
    "valueFrom",
];

fn nonsense() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~]{0,6}".prop_map(Value::from),
        prop::sample::select(vec!["1", "500m", "25%", "Always", "None", "In"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 80, 6, |inner| {
        let name = prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    (nonsense(), nonsense(), nonsense()).prop_map(
        |(metadata, spec, status)| json!({ "metadata": metadata, "spec": spec, "status": status }),
    )
}

proptest! {
    #[test]
    fn no_object_makes_the_rules_panic(new in object(), old in object(), index in 0..KINDS.len()) {
        let (group, _, _, name, _) = KINDS[index];
        let kind = kind(group, name);
        let rules = kind.rules;
        for mut value in [new.clone(), new["spec"].clone()] {
            (rules.defaults)(&mut value);
            let _ = admit_create(&kind, &mut value, &Objects::default());
            admit_update(&kind, &mut value, &old);
            (rules.prepare_create)(&mut value);
            metadata::validate(&kind, &value);
            metadata::validate_update(&value, &old);
            (rules.validate)(&value);
            (rules.validate_update)(&value, &old);
            (rules.validate_status)(&value, &old);
            warnings(&kind, &value, None);
            warnings(&kind, &value, Some(&old));
            for (_, read) in rules.fields {
                read(&value);
            }
            (rules.prepare_update)(&mut value, &old);
            (rules.prepare_status)(&mut value, &old);
        }
    }

    #[test]
    fn defaults_settle_at_once(mut value in object(), index in 0..KINDS.len()) {
        let (group, _, _, name, _) = KINDS[index];
        let kind = kind(group, name);
        if decode(&kind.schema, &mut value).type_error.is_some() {
            // Refused before anything is filled in.
            return Ok(());
        }
        (kind.rules.defaults)(&mut value);
        let once = value.clone();
        (kind.rules.defaults)(&mut value);
        prop_assert_eq!(&once, &value);
        // What is stored and read again gets no further defaults.
        with_zero_values(&kind.schema, &mut value);
        let stored = value.clone();
        decode(&kind.schema, &mut value);
        (kind.rules.defaults)(&mut value);
        with_zero_values(&kind.schema, &mut value);
        prop_assert_eq!(stored, value);
    }
}
