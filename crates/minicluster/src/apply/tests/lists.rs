//! Lists and maps, element by element or as a whole.

use serde_json::{Value, json};

use super::{super::Conflicts, Bench, bare, config_map, deployment, with_containers};
use crate::patch::tests::kind;

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
