use std::collections::BTreeSet;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    Conflicts, Writer, apply, carry_over, fields::FieldSet, manager_name, settle, take_managed,
    track,
};
use crate::{
    ApiError, Kind,
    patch::tests::{any_json, kind},
};

mod ownership;

/// An object, its kind and a clock that ticks with every write.
struct Bench {
    kind: Kind,
    live: Option<Value>,
    now: i64,
}

impl Bench {
    fn new(kind: Kind) -> Self {
        Self { kind, live: None, now: 1_800_000_000 }
    }

    fn writer<'w>(&mut self, manager: &'w str, subresource: &'w str) -> Writer<'w> {
        self.now += 1;
        Writer { manager, subresource, now: Timestamp::from_second(self.now).unwrap() }
    }

    /// Applies; on success the outcome is the live object.
    fn apply(
        &mut self,
        manager: &str,
        config: &Value,
        conflicts: Conflicts,
    ) -> Result<(), ApiError> {
        let by = self.writer(manager, "");
        let mut new = apply(&self.kind, self.live.as_ref(), config, &by, conflicts)?;
        if let Some(live) = &self.live {
            settle(live, &mut new);
        }
        self.live = Some(new);
        Ok(())
    }

    /// Writes the object, tracked.
    fn write(&mut self, manager: &str, subresource: &str, change: impl FnOnce(&mut Value)) {
        let by = self.writer(manager, subresource);
        let mut new = self.live.clone().unwrap_or_else(|| json!({ "metadata": { "name": "a" } }));
        change(&mut new);
        track(&self.kind, self.live.as_ref(), &mut new, &by);
        self.live = Some(new);
    }

    fn live(&self) -> &Value {
        self.live.as_ref().unwrap()
    }

    fn at(&self, pointer: &str) -> Value {
        self.live().pointer(pointer).cloned().unwrap_or_default()
    }

    /// Who owns what: `manager operation subresource: paths`.
    fn owners(&self) -> Vec<String> {
        let entries =
            self.live()["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        entries
            .iter()
            .map(|entry| {
                let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
                let paths = FieldSet::decode(&entry["fieldsV1"]).unwrap().paths().join(" ");
                let who = [text("manager"), text("operation"), text("subresource")];
                format!("{}: {paths}", who.join(" ").trim_end())
            })
            .collect()
    }
}

fn config_map(data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": data })
}

fn deployment(spec: &Value) -> Value {
    json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "d" }, "spec": spec })
}

fn with_containers(containers: &Value) -> Value {
    deployment(&json!({ "template": { "spec": { "containers": containers } } }))
}

#[test]
fn managers_share_a_config_map() {
    use Conflicts::{Force, Refuse};
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    let steps = [
        ("one", json!({ "x": "1", "y": "2" }), Refuse, Ok(json!({ "x": "1", "y": "2" }))),
        (
            "one",
            json!({ "x": "1", "y": "22", "z": "3" }),
            Refuse,
            Ok(json!({ "x": "1", "y": "22", "z": "3" })),
        ),
        // What is no longer applied goes.
        ("one", json!({ "x": "1", "y": "22" }), Refuse, Ok(json!({ "x": "1", "y": "22" }))),
        ("two", json!({ "w": "9" }), Refuse, Ok(json!({ "w": "9", "x": "1", "y": "22" }))),
        // The same value may have two owners.
        (
            "two",
            json!({ "w": "9", "x": "1" }),
            Refuse,
            Ok(json!({ "w": "9", "x": "1", "y": "22" })),
        ),
        (
            "two",
            json!({ "w": "9", "x": "changed" }),
            Refuse,
            Err("Apply failed with 1 conflict: conflict with \"one\": .data.x"),
        ),
        (
            "three",
            json!({ "w": "1", "x": "2", "y": "3" }),
            Refuse,
            Err(
                "Apply failed with 4 conflicts: conflicts with \"one\":\n- .data.x\n- .data.y\nconflicts with \"two\":\n- .data.w\n- .data.x",
            ),
        ),
        (
            "two",
            json!({ "w": "9", "x": "changed" }),
            Force,
            Ok(json!({ "w": "9", "x": "changed", "y": "22" })),
        ),
        (
            "one",
            json!({ "x": "1", "y": "22" }),
            Refuse,
            Err("Apply failed with 1 conflict: conflict with \"two\": .data.x"),
        ),
        ("one", json!({ "y": "22" }), Refuse, Ok(json!({ "w": "9", "x": "changed", "y": "22" }))),
        ("two", json!({ "w": "9" }), Refuse, Ok(json!({ "w": "9", "y": "22" }))),
    ];
    for (manager, data, conflicts, expected) in steps {
        let before = bench.live.clone();
        match (bench.apply(manager, &config_map(&data), conflicts), expected) {
            (Ok(()), Ok(expected)) => assert_eq!(bench.at("/data"), expected, "{manager} {data}"),
            (Err(error), Err(message)) => {
                assert_eq!(
                    (error.code, error.reason, error.message.as_str()),
                    (409, "Conflict", message)
                );
                assert_eq!(bench.live, before);
            }
            (outcome, expected) => panic!("{manager} {data}: {outcome:?}, not {expected:?}"),
        }
    }
    bench.write("recorder", "", |new| new["data"]["y"] = json!("mine"));
    let error = bench.apply("one", &config_map(&json!({ "y": "22" })), Refuse).unwrap_err();
    assert_eq!(
        error.message,
        "Apply failed with 1 conflict: conflict with \"recorder\" using v1: .data.y"
    );
    assert_eq!(
        error.details,
        Some(json!({ "causes": [{
            "reason": "FieldManagerConflict",
            "message": "conflict with \"recorder\" using v1",
            "field": ".data.y",
        }] }))
    );
}

#[test]
fn applying_the_same_again_changes_nothing() {
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    let config = config_map(&json!({ "x": "1" }));
    bench.apply("one", &config, Conflicts::Refuse).unwrap();
    let first = bench.live.clone();
    bench.apply("one", &config, Conflicts::Refuse).unwrap();
    assert_eq!(bench.live, first);
}

#[test]
fn the_last_label_takes_the_map_with_it() {
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    let mut config = config_map(&json!({ "x": "1" }));
    config["metadata"]["labels"] = json!({ "l": "1" });
    bench.apply("one", &config, Conflicts::Refuse).unwrap();
    assert_eq!(bench.owners(), ["one Apply: .data.x .metadata.labels.l"]);
    bench.apply("one", &config_map(&json!({ "x": "1" })), Conflicts::Refuse).unwrap();
    assert_eq!(bare(bench.live().clone()), config_map(&json!({ "x": "1" })));
}

#[test]
fn elements_of_lists_have_owners() {
    let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
    let web = json!([{ "name": "web", "image": "w:1", "ports": [{ "containerPort": 80 }] }]);
    bench.apply("one", &with_containers(&web), Conflicts::Refuse).unwrap();
    // As defaults leave it.
    bench.live.as_mut().unwrap()["spec"]["template"]["spec"]["containers"][0]["ports"][0]["protocol"] =
        json!("TCP");
    bench.apply("one", &with_containers(&web), Conflicts::Refuse).unwrap();
    bench
        .apply(
            "two",
            &with_containers(&json!([{ "name": "side", "image": "s:1" }])),
            Conflicts::Refuse,
        )
        .unwrap();
    let containers = "/spec/template/spec/containers";
    let ports = json!([{ "containerPort": 80, "protocol": "TCP" }]);
    assert_eq!(
        bench.at(containers),
        json!([{ "name": "web", "image": "w:1", "ports": ports }, { "name": "side", "image": "s:1" }])
    );

    let newer = with_containers(&json!([{ "name": "web", "image": "w:2" }]));
    let error = bench.apply("three", &newer, Conflicts::Refuse).unwrap_err();
    assert_eq!(
        error.message,
        "Apply failed with 1 conflict: conflict with \"one\": .spec.template.spec.containers[name=\"web\"].image"
    );
    bench.apply("three", &newer, Conflicts::Force).unwrap();
    bench
        .apply(
            "two",
            &json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "d" } }),
            Conflicts::Refuse,
        )
        .unwrap();
    assert_eq!(bench.at(containers), json!([{ "name": "web", "image": "w:2", "ports": ports }]));
}

#[test]
fn merged_lists_keep_the_order_of_the_configuration() {
    let table = [
        (["a", "b"].as_slice(), ["b", "a"].as_slice(), ["b", "a"].as_slice()),
        (&["a", "x", "b"], &["b", "a"], &["x", "b", "a"]),
        (&["a", "b"], &["n"], &["a", "b", "n"]),
        (&["a", "b"], &["n", "b"], &["a", "n", "b"]),
        (&["a", "b", "c"], &["a", "n", "c"], &["a", "b", "n", "c"]),
        (&[], &["b", "a"], &["b", "a"]),
        (&["a"], &[], &["a"]),
    ];
    for (live, config, expected) in table {
        let named = |names: &[&str]| {
            let containers: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
            with_containers(&json!(containers))
        };
        let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
        bench.live = Some(named(live));
        bench.apply("one", &named(config), Conflicts::Force).unwrap();
        let merged = bench.at("/spec/template/spec/containers");
        assert_eq!(
            merged,
            named(expected)["spec"]["template"]["spec"]["containers"],
            "{live:?} {config:?}"
        );
    }
}

#[test]
fn whole_values_are_replaced() {
    let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
    let config = |selector: Value, args: Value| {
        deployment(&json!({
            "selector": { "matchLabels": selector },
            "template": { "spec": { "containers": [{ "name": "c", "args": args }] } },
        }))
    };
    bench.apply("one", &config(json!({ "a": "1" }), json!(["x", "y"])), Conflicts::Refuse).unwrap();
    bench.apply("one", &config(json!({ "b": "2" }), json!(["z"])), Conflicts::Refuse).unwrap();
    assert_eq!(bench.at("/spec/selector"), json!({ "matchLabels": { "b": "2" } }));
    assert_eq!(bench.at("/spec/template/spec/containers/0/args"), json!(["z"]));
}

#[test]
fn configurations_are_checked() {
    let config_maps = kind("", "v1", "ConfigMap");
    let deployments = kind("apps", "v1", "Deployment");
    let twice = with_containers(&json!([{ "name": "web" }, { "name": "web" }]));
    let table = [
        (
            &config_maps,
            json!({ "kind": "ConfigMap" }),
            400,
            "invalid object type: /, Kind=ConfigMap",
        ),
        (
            &config_maps,
            json!({ "apiVersion": "v1", "kind": "Secret" }),
            400,
            "invalid object type: /v1, Kind=Secret",
        ),
        (
            &config_maps,
            json!({ "apiVersion": "apps/v1", "kind": "X" }),
            400,
            "invalid object type: apps/v1, Kind=X",
        ),
        (&config_maps, json!(7), 400, "invalid object type: /, Kind="),
        (
            &config_maps,
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "managedFields": [] } }),
            400,
            "metadata.managedFields must be nil",
        ),
        (
            &config_maps,
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "nonsense": 1 }),
            500,
            "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .nonsense: field not declared in schema",
        ),
        (
            &config_maps,
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": true, "namespace": "n" } }),
            500,
            "failed to create typed patch object (n/; /v1, Kind=ConfigMap): .metadata.name: expected string, got &value.valueUnstructured{Value:true}",
        ),
        (
            &deployments,
            deployment(&json!({ "replicas": "x" })),
            500,
            "failed to create typed patch object (/d; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string",
        ),
        (
            &deployments,
            twice,
            500,
            "failed to create typed patch object (/d; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name=\"web\"]",
        ),
        (
            &deployments,
            deployment(&json!({ "replicas": "x", "template": [] })),
            500,
            "failed to create typed patch object (/d; apps/v1, Kind=Deployment): errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.template: expected map, got &{[]}",
        ),
    ];
    for (kind, config, code, message) in table {
        let by = Writer { manager: "one", subresource: "", now: Timestamp::UNIX_EPOCH };
        let error = apply(kind, None, &config, &by, Conflicts::Refuse).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (code, message), "{config}");
    }
}

#[test]
fn a_new_object_has_no_version_of_its_own_making() {
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    let mut config = config_map(&json!({}));
    config["metadata"]["resourceVersion"] = json!("1");
    bench.apply("one", &config, Conflicts::Refuse).unwrap();
    assert_eq!(bench.at("/metadata/resourceVersion"), Value::Null);
    bench.apply("one", &config, Conflicts::Refuse).unwrap();
    assert_eq!(bench.at("/metadata/resourceVersion"), json!("1"));
}

#[test]
fn untracked_objects_belong_to_nobody_before_the_first_apply() {
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    bench.live = Some(config_map(&json!({ "x": "1" })));
    let error =
        bench.apply("one", &config_map(&json!({ "x": "2" })), Conflicts::Refuse).unwrap_err();
    assert_eq!(
        error.message,
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.x"
    );
    bench.apply("one", &config_map(&json!({ "y": "2" })), Conflicts::Refuse).unwrap();
    assert_eq!(bench.owners(), ["one Apply: .data.y", "before-first-apply Update: .data .data.x"]);
}

#[test]
fn kubectl_takes_over_what_it_applied_from_the_client() {
    const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let last = deployment(&json!({ "replicas": 2, "minReadySeconds": 1 }));
    let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
    bench.write("kubectl-client-side-apply", "", |new| {
        *new = last.clone();
        new["metadata"]["annotations"] = json!({ ANNOTATION: last.to_string() });
    });
    // Others have to ask.
    let newer = deployment(&json!({ "replicas": 3 }));
    assert!(bench.apply("helm", &newer, Conflicts::Refuse).is_err());
    bench.apply("kubectl", &newer, Conflicts::Refuse).unwrap();
    assert_eq!(bench.at("/spec/replicas"), json!(3));
    let noted = bench.live()["metadata"]["annotations"][ANNOTATION].as_str().unwrap();
    assert!(noted.ends_with('\n'));
    assert_eq!(serde_json::from_str::<Value>(noted).unwrap(), newer);

    // What somebody changed since is not kubectl's.
    bench.write("scaler", "", |new| new["spec"]["replicas"] = json!(5));
    let error = bench.apply("kubectl", &newer, Conflicts::Refuse).unwrap_err();
    assert_eq!(
        error.message,
        "Apply failed with 1 conflict: conflict with \"scaler\" using apps/v1: .spec.replicas"
    );
}

#[test]
fn managers_are_named_after_clients() {
    let long = "m".repeat(200);
    let table = [
        (Some("given"), "kubectl/v1.36", "given"),
        (None, "kubectl/v1.36 (linux)", "kubectl"),
        (Some(""), "a\u{7}b", "ab"),
        (None, "", "unknown"),
        (None, long.as_str(), &long[..128]),
    ];
    for (given, agent, expected) in table {
        assert_eq!(manager_name(given, agent), expected);
    }
}

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

fn bare(mut object: Value) -> Value {
    take_managed(&mut object);
    object
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
