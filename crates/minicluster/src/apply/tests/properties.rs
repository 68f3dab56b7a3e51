//! Laws of server-side apply.

use std::collections::BTreeSet;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    super::{Conflicts, Writer, apply, carry_over, settle, take_managed, track},
    Bench, bare, deployment,
};
use crate::patch::tests::{kind, properties::any_json};

/// Specs that are well-formed and have all kinds of parts: whole, by key, set, map. Nothing in them is empty.
fn spec() -> impl Strategy<Value = Value> {
    let text = || prop::sample::select(vec!["1", "2"]).prop_map(Value::from);
    let map = move || {
        prop::collection::btree_map("[a-c]", text(), 1..3)
            .prop_map(|map| Value::Object(map.into_iter().collect()))
    };
    let env = prop::collection::btree_map("[a-c]", text(), 1..3).prop_map(|map| {
        map.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
    });
    let container = (
        prop::option::of(text()),
        prop::option::of(env.prop_map(|env: Vec<Value>| json!(env))),
        prop::option::of(prop::collection::vec(text(), 1..3).prop_map(|args| json!(args))),
        prop::option::of(map().prop_map(|map| json!({ "requests": map }))),
    );
    let container = container.prop_map(|(image, env, args, resources)| {
        present([("image", image), ("env", env), ("args", args), ("resources", resources)])
    });
    let containers =
        prop::collection::vec(("[a-d]", container), 1..4).prop_shuffle().prop_map(|list| {
            let mut seen = BTreeSet::new();
            let fresh = list.into_iter().filter(|(name, _)| seen.insert(name.clone()));
            let named = fresh.map(|(name, mut container)| {
                container["name"] = json!(name);
                container
            });
            json!(named.collect::<Vec<_>>())
        });
    let template = (containers, prop::option::of(map())).prop_map(|(containers, labels)| {
        let mut template = json!({ "spec": { "containers": containers } });
        if let Some(labels) = labels {
            template["metadata"] = json!({ "labels": labels });
        }
        template
    });
    let replicas = prop::option::of((0..3).prop_map(Value::from));
    let selector = prop::option::of(map().prop_map(|labels| json!({ "matchLabels": labels })));
    let parts = (replicas, selector, prop::option::of(template), prop::option::of(map()));
    parts.prop_map(|(replicas, selector, template, labels)| {
        let spec =
            present([("replicas", replicas), ("selector", selector), ("template", template)]);
        let mut object = deployment(&spec);
        if spec == json!({}) {
            object.as_object_mut().unwrap().remove("spec");
        }
        if let Some(labels) = labels {
            object["metadata"]["labels"] = labels;
        }
        object
    })
}

fn present<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect())
}

/// Whether all that `config` says is so in `object`. Elements of lists with names are looked up by name.
fn holds(object: &Value, config: &Value) -> bool {
    match (object, config) {
        (Value::Object(object), Value::Object(config)) => config
            .iter()
            .all(|(name, value)| object.get(name).is_some_and(|there| holds(there, value))),
        (Value::Array(object), Value::Array(config)) if config.iter().all(Value::is_object) => {
            config.iter().all(|value| {
                object.iter().any(|there| there["name"] == value["name"] && holds(there, value))
            })
        }
        (object, config) => object == config,
    }
}

proptest! {
    #[test]
    fn applying_twice_is_applying_once(live in spec(), config in spec()) {
        let of = kind("apps", "v1", "Deployment");
        let by = Writer { manager: "one", subresource: "", now: Timestamp::UNIX_EPOCH };
        let once = apply(&of, Some(&live), &config, &by, Conflicts::Force).unwrap();
        prop_assert!(holds(&once, &config), "{once}");
        let twice = apply(&of, Some(&once), &config, &by, Conflicts::Refuse);
        prop_assert_eq!(twice, Ok(once));
    }

    #[test]
    fn a_lone_manager_gets_what_it_applies(first in spec(), second in spec()) {
        let of = kind("apps", "v1", "Deployment");
        let by = Writer { manager: "one", subresource: "", now: Timestamp::UNIX_EPOCH };
        let once = apply(&of, None, &first, &by, Conflicts::Refuse).unwrap();
        prop_assert_eq!(&bare(once.clone()), &first);
        let other = apply(&of, Some(&once), &second, &by, Conflicts::Refuse).unwrap();
        prop_assert_eq!(bare(other.clone()), second);
        let back = apply(&of, Some(&other), &first, &by, Conflicts::Refuse).unwrap();
        prop_assert_eq!(back, once);
    }

    #[test]
    fn one_manager_takes_nothing_from_another(first in spec(), second in spec(), third in spec()) {
        let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
        bench.apply("one", &first, Conflicts::Refuse).unwrap();
        if bench.apply("two", &second, Conflicts::Refuse).is_ok() {
            prop_assert!(holds(bench.live(), &first), "{}", bench.live());
            prop_assert!(holds(bench.live(), &second), "{}", bench.live());
            if bench.apply("two", &third, Conflicts::Refuse).is_ok() {
                prop_assert!(holds(bench.live(), &first), "{}", bench.live());
                prop_assert!(holds(bench.live(), &third), "{}", bench.live());
            }
        }
    }

    #[test]
    fn a_writer_owns_what_it_changed(first in spec(), second in spec()) {
        let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
        bench.write("one", "", |new| *new = first.clone());
        bench.write("two", "", |new| {
            let managed = take_managed(new);
            *new = second.clone();
            new["metadata"]["managedFields"] = managed.unwrap_or_default();
        });
        // Going back is a conflict if there was anything to go back from that is still there.
        let by = bench.writer("three", "");
        let back = apply(&bench.kind, bench.live.as_ref(), &first, &by, Conflicts::Refuse);
        if let Err(error) = back {
            prop_assert!(error.message.contains("\"two\" using apps/v1"), "{}", error.message);
            prop_assert!(!error.message.contains("\"one\""), "{}", error.message);
        } else {
            prop_assert!(holds(&back.unwrap(), &second));
        }
    }

    #[test]
    fn nothing_panics(old in any_json(), new in any_json(), managed in any_json()) {
        let of = kind("apps", "v1", "Deployment");
        let by = Writer { manager: "one", subresource: "", now: Timestamp::UNIX_EPOCH };
        let _ = apply(&of, Some(&old), &new, &by, Conflicts::Force);
        let _ = apply(&of, Some(&old), &deployment(&new), &by, Conflicts::Refuse);
        let mut written = new.clone();
        track(&of, Some(&old), &mut written, &by);
        carry_over(Some(&old), &mut written);
        settle(&old, &mut written);
        let mut odd = json!({ "metadata": { "managedFields": managed } });
        track(&of, None, &mut odd.clone(), &by);
        settle(&new, &mut odd);
        take_managed(&mut odd);
    }
}
