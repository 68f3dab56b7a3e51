//! Who owns what after writes that are not applied.

use serde_json::{Value, json};

use super::{
    super::{Conflicts, carry_over, fields::FieldSet},
    Bench, config_map, deployment,
};
use crate::patch::tests::kind;

#[test]
fn a_new_object_belongs_to_its_creator() {
    let mut bench = Bench::new(kind("", "v1", "Pod"));
    bench.write("kubectl-create", "", |new| {
        *new = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": "p", "namespace": "n", "uid": "u", "labels": { "app": "x" } },
            "spec": {
                "containers": [{
                    "name": "c", "image": "i",
                    "ports": [{ "containerPort": 80, "protocol": "TCP" }],
                    "resources": { "requests": { "cpu": "1" } },
                    "args": ["a", "b"],
                }],
                "nodeSelector": { "k": "v" },
                "securityContext": {},
            },
            "status": { "phase": "Pending" },
        });
    });
    assert_eq!(
        bench.at("/metadata/managedFields"),
        json!([{
            "manager": "kubectl-create", "operation": "Update", "apiVersion": "v1",
            "time": "2027-01-15T08:00:01Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
                "f:spec": {
                    "f:containers": {
                        ".": {},
                        "k:{\"name\":\"c\"}": {
                            ".": {}, "f:name": {}, "f:image": {}, "f:args": {},
                            "f:ports": {
                                ".": {},
                                "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {
                                    ".": {}, "f:containerPort": {}, "f:protocol": {},
                                },
                            },
                            "f:resources": { "f:requests": { ".": {}, "f:cpu": {} } },
                        },
                    },
                    "f:nodeSelector": {},
                    "f:securityContext": {},
                },
            },
        }])
    );
}

#[test]
fn what_changes_passes_to_the_writer() {
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    bench.write("one", "", |new| *new = config_map(&json!({ "x": "1", "y": "1" })));
    bench.write("two", "", |new| new["data"]["x"] = json!("2"));
    assert_eq!(bench.owners(), ["one Update: .data .data.y", "two Update: .data.x"]);

    // Nothing new, no new owner and no new time.
    let before = bench.live.clone();
    bench.write("three", "", |_| {});
    assert_eq!(bench.live, before);

    // What goes has no owner, and a manager without fields goes too.
    bench.write("three", "", |new| drop(new["data"].as_object_mut().unwrap().remove("x")));
    assert_eq!(bench.owners(), ["one Update: .data .data.y"]);
}

#[test]
fn parts_of_lists_change_hands_alone() {
    let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
    bench.write("one", "", |new| {
        *new = deployment(&json!({ "template": { "spec": { "containers": [
            { "name": "a", "image": "1" }, { "name": "b", "image": "1" },
        ] } } }));
    });
    bench.write("two", "", |new| {
        new["spec"]["template"]["spec"]["containers"] = json!([{ "name": "b", "image": "2" }]);
    });
    let containers = ".spec.template.spec.containers";
    assert_eq!(
        bench.owners(),
        [
            format!(
                "one Update: {containers} {containers}[name=\"b\"] {containers}[name=\"b\"].name"
            ),
            format!("two Update: {containers}[name=\"b\"].image"),
        ]
    );
}

#[test]
fn subresources_are_told_apart() {
    let mut bench = Bench::new(kind("apps", "v1", "Deployment"));
    bench.write("one", "", |new| {
        *new = deployment(&json!({ "replicas": 1 }));
        new["status"] = json!({ "phase": "ignored" });
    });
    bench.write("controller", "status", |new| new["status"] = json!({ "replicas": 1 }));
    bench.write("hpa", "scale", |new| new["spec"]["replicas"] = json!(2));
    assert_eq!(
        bench.owners(),
        ["controller Update status: .status.replicas", "hpa Update scale: .spec.replicas"]
    );
    let error = bench
        .apply("kubectl", &deployment(&json!({ "replicas": 3 })), Conflicts::Refuse)
        .unwrap_err();
    assert_eq!(
        error.message,
        "Apply failed with 1 conflict: conflict with \"hpa\" with subresource \"scale\" using apps/v1: .spec.replicas"
    );
}

#[test]
fn clients_may_edit_and_reset_the_owners() {
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    bench.write("one", "", |new| *new = config_map(&json!({ "x": "1" })));
    bench.write("two", "", |new| new["metadata"]["managedFields"][0]["manager"] = json!("uno"));
    assert_eq!(bench.owners(), ["uno Update: .data .data.x"]);

    // Rubbish and silence leave the owners alone.
    bench.write("two", "", |new| new["metadata"]["managedFields"] = json!([{ "manager": "x" }]));
    bench.write("two", "", |new| {
        drop(new["metadata"].as_object_mut().unwrap().remove("managedFields"));
    });
    assert_eq!(bench.owners(), ["uno Update: .data .data.x"]);

    // Subresources cannot change them.
    bench.write("two", "status", |new| new["metadata"]["managedFields"] = json!([]));
    assert_eq!(bench.owners(), ["uno Update: .data .data.x"]);

    for reset in [json!([]), json!([{}])] {
        let mut bench =
            Bench { live: bench.live.clone(), ..Bench::new(kind("", "v1", "ConfigMap")) };
        bench.write("two", "", |new| new["metadata"]["managedFields"] = reset);
        assert_eq!(bench.at("/metadata/managedFields"), Value::Null);
        // From then on nobody is tracked until somebody applies.
        bench.write("two", "", |new| new["data"]["x"] = json!("2"));
        assert_eq!(bench.at("/metadata/managedFields"), Value::Null);
    }
}

#[test]
fn writes_that_are_not_tracked_keep_the_owners() {
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    bench.write("one", "", |new| *new = config_map(&json!({ "x": "1" })));
    let mut new = config_map(&json!({ "x": "2" }));
    carry_over(bench.live.as_ref(), &mut new);
    assert_eq!(new["metadata"]["managedFields"], bench.at("/metadata/managedFields"));
    carry_over(None, &mut new);
    assert_eq!(new["metadata"].get("managedFields"), None);
}

#[test]
fn the_oldest_of_too_many_writers_are_put_together() {
    let mut bench = Bench::new(kind("", "v1", "ConfigMap"));
    for index in 0..13 {
        bench.write(&format!("writer-{index:02}"), "", |new| {
            if index == 0 {
                *new = config_map(&json!({}));
            }
            new["data"][format!("key-{index:02}")] = json!("1");
        });
    }
    let owners = bench.owners();
    assert_eq!(owners.len(), 10);
    assert_eq!(
        owners[0],
        "ancient-changes Update: .data .data.key-00 .data.key-01 .data.key-02 .data.key-03"
    );
    assert_eq!(owners[9], "writer-12 Update: .data.key-12");
}

#[test]
fn sets_are_read_as_they_are_written() {
    let written = json!({
        "f:a": {},
        "f:b": { ".": {}, "f:c": {} },
        "f:d": { "k:{\"name\":\"x\",\"port\":80}": { ".": {}, "f:e": {} }, "v:\"y\"": {} },
        "f:g": { "i:0": {} },
    });
    let set = FieldSet::decode(&written).unwrap();
    assert_eq!(
        set.paths(),
        [
            ".a",
            ".b",
            ".b.c",
            ".d[name=\"x\",port=80]",
            ".d[=\"y\"]",
            ".d[name=\"x\",port=80].e",
            ".g[0]"
        ]
    );
    assert_eq!(set.encode(), written);
    for malformed in [
        json!(1),
        json!({ "a": {} }),
        json!({ "": {} }),
        json!({ "f:a": 1 }),
        json!({ "k:{": {} }),
        json!({ "v:": {} }),
    ] {
        assert_eq!(FieldSet::decode(&malformed), None, "{malformed}");
    }
}
