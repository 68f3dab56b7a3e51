//! Whatever is sent, decoding ends, and what it gives is what it would give again.

use proptest::prelude::*;
use serde_json::Map;

use super::*;

/// Names that lead deep into the types, and some that lead nowhere.
const NAMES: [&str; 34] = [
    "metadata",
    "spec",
    "status",
    "labels",
    "annotations",
    "creationTimestamp",
    "ownerReferences",
    "finalizers",
    "managedFields",
    "fieldsV1",
    "containers",
    "initContainers",
    "resources",
    "limits",
    "requests",
    "ports",
    "env",
    "volumes",
    "emptyDir",
    "sizeLimit",
    "tolerations",
    "tolerationSeconds",
    "livenessProbe",
    "httpGet",
    "port",
    "conditions",
    "lastTransitionTime",
    "nodeInfo",
    "hostNetwork",
    "priority",
    "template",
    "data",
    "nonsense",
    "",
];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..100_i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9.]{0,4}(Ki|Mi|m|e3|%)?".prop_map(Value::from),
        Just(json!("2026-01-01T00:00:00Z")),
        Just(json!("2026-01-01T02:00:00.123456+02:00")),
        any::<String>().prop_map(Value::from),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        9 => proptest::sample::select(&NAMES[..]).prop_map(ToOwned::to_owned),
        1 => any::<String>(),
    ];
    scalar().prop_recursive(6, 48, 5, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            4 => prop::collection::vec((name.clone(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Mostly what the type asks for, sometimes null, an unknown field, or something else altogether.
fn likely(ty: &Arc<Type>, depth: u32) -> BoxedStrategy<Value> {
    let fitting = match ty.shape() {
        Shape::String => "[a-z]{0,3}".prop_map(Value::from).boxed(),
        Shape::Bytes => Just(json!("aGk=")).boxed(),
        Shape::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        Shape::Integer32 | Shape::Integer64 => (-2..3_i64).prop_map(Value::from).boxed(),
        Shape::Time | Shape::MicroTime => Just(json!("2026-01-01T02:00:00.123456+02:00")).boxed(),
        Shape::Quantity | Shape::IntOrString => Just(json!("1500m")).boxed(),
        Shape::List(of) | Shape::Either(of) if depth > 0 => {
            prop::collection::vec(likely(of, depth - 1), 0..3).prop_map(Value::from).boxed()
        }
        Shape::Map(of) if depth > 0 => {
            prop::collection::btree_map("[a-z]{1,2}", likely(of, depth - 1), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
                .boxed()
        }
        Shape::Struct(of) if depth > 0 => {
            let names: Vec<String> = of.fields.keys().map(ToString::to_string).collect();
            let most = names.len().min(5);
            let ty = Arc::clone(ty);
            prop::sample::subsequence(names, 0..=most)
                .prop_flat_map(move |names| {
                    let member = |name: String| {
                        let below = ty.field(&name).unwrap();
                        (Just(name), likely(&below, depth - 1))
                    };
                    names.into_iter().map(member).collect::<Vec<_>>()
                })
                .prop_map(|members| Value::Object(members.into_iter().collect()))
                .boxed()
        }
        Shape::List(_) => Just(json!([])).boxed(),
        _ => Just(json!({})).boxed(),
    };
    let unknown = Just(json!({ "nonsense": 1 }));
    prop_oneof![200 => fitting, 10 => Just(Value::Null), 1 => unknown, 1 => scalar()].boxed()
}

fn whole() -> impl Strategy<Value = (Arc<Type>, Value)> {
    proptest::sample::select(types()).prop_flat_map(|ty| {
        let value = likely(&ty, 7);
        (Just(ty), value)
    })
}

fn types() -> Vec<Arc<Type>> {
    [
        ("", "Pod"),
        ("", "Node"),
        ("", "Secret"),
        ("apps", "Deployment"),
        ("coordination.k8s.io", "Lease"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ]
    .into_iter()
    .map(|(group, kind)| built_in_kind(group, "v1", kind).unwrap())
    .collect()
}

proptest! {
    #[test]
    fn decoding_ends_whatever_is_sent(tree in tree()) {
        for ty in types() {
            decode(&ty, &mut tree.clone());
            with_zero_values(&ty, &mut tree.clone());
        }
    }

    #[test]
    fn decoding_settles((ty, value) in whole()) {
        let mut once = value;
        let findings = decode(&ty, &mut once);
        prop_assume!(findings.type_error.is_none());
        let mut twice = once.clone();
        prop_assert_eq!(decode(&ty, &mut twice), Findings::default());
        prop_assert_eq!(&twice, &once);
        let mut filled = once;
        with_zero_values(&ty, &mut filled);
        let mut again = filled.clone();
        prop_assert_eq!(decode(&ty, &mut again), Findings::default());
        with_zero_values(&ty, &mut again);
        prop_assert_eq!(again, filled);
    }

    #[test]
    fn reading_protobuf_ends_whatever_is_sent(noise in prop::collection::vec(any::<u8>(), 0..200)) {
        let envelope = b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12";
        let mut body = envelope.to_vec();
        body.extend([u8::try_from(noise.len() % 128).unwrap()]);
        body.extend(noise);
        let _ = from_protobuf(&body);
    }

    #[test]
    fn reading_gives_what_was_written(tree in tree()) {
        let text = serde_json::to_vec(&tree).unwrap();
        let (read, duplicates) = parse(&text).unwrap();
        prop_assert_eq!(read, serde_json::from_slice::<Value>(&text).unwrap());
        prop_assert!(duplicates.is_empty());
    }
}
