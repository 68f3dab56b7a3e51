use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Conflicts, Writer, apply, fields::FieldSet, settle, take_managed, track};
use crate::{
    ApiError, Kind,
    patch::tests::{filled, kind},
};

mod clients;
mod lists;
mod ownership;
mod properties;

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

/// Answers of the real server's library to writes made at random by three managers.
#[test]
fn sequences_agree_with_the_real_library() {
    for line in include_str!("tests/sequences.jsonl").lines() {
        let steps: Vec<Value> = serde_json::from_str(line).unwrap();
        let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
        for step in steps {
            let mut object = step["object"].clone();
            object["apiVersion"] = json!("apps/v1");
            object["kind"] = json!("Deployment");
            let manager = step["manager"].as_str().unwrap();
            let conflicts =
                if step["force"] == json!(true) { Conflicts::Force } else { Conflicts::Refuse };
            let outcome = if step["kind"] == json!("apply") {
                bench.apply(manager, &object, conflicts)
            } else {
                bench.write(manager, "", |new| *new = object);
                Ok(())
            };
            if let Err(error) = outcome {
                let mut lines: Vec<&str> = error.message.split('\n').collect();
                lines.sort_unstable();
                assert_eq!(json!(lines), step["err"], "{step}");
                continue;
            }
            let mut live = filled(&bare(bench.live().clone()));
            live.as_object_mut().unwrap().retain(|name, _| name != "apiVersion" && name != "kind");
            assert_eq!(live, step["ok"], "{step}");
            let managed = bench.at("/metadata/managedFields");
            let entries = managed.as_array().into_iter().flatten();
            let applied: serde_json::Map<String, Value> = entries
                .filter(|entry| entry["operation"] == json!("Apply"))
                .map(|entry| (entry["manager"].as_str().unwrap().into(), entry["fieldsV1"].clone()))
                .collect();
            assert_eq!(Value::Object(applied), step["applied"], "{step}");
        }
    }
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

fn bare(mut object: Value) -> Value {
    take_managed(&mut object);
    object
}
