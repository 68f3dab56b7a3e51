use std::sync::Arc;

use expect_test::expect;
use serde_json::{Value, json};

use super::{Kinds, template};
use crate::stackpoint::{
    reconcile::reconcile,
    wire::{CataloguePage, Record},
};

fn kinds() -> Kinds {
    let page = json!({"name": "provider-instances", "config": {
        "m5.large": {"cpu": 2, "memory": 8000, "name": "m5.large"},
        "p3.2xlarge": {"cpu": "8", "memory": "61Gi", "gpu": 1.0},
        "odd": {"cpu": [2], "memory": null},
    }});
    let page: CataloguePage = serde_json::from_value(page).unwrap();
    Kinds::listed(Arc::new(page.kinds().collect()))
}

/// A line per label and resource.
fn shown(changes: &Value) -> Option<String> {
    shown_in("", &[], changes)
}

/// The same in a region, with machines at these locations.
fn shown_in(region: &str, locations: &[&str], changes: &Value) -> Option<String> {
    let mut pool = json!({"pk": 1, "instance_id": "spc-pool-1", "instance_size": "m5.large", "autoscaled": true, "max_count": 5});
    pool.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let record = |(pk, location): (i64, &&str)| json!({"pk": pk, "pool": 1, "role": "worker", "state": "running", "location": location});
    let records: Vec<Value> = (1..).zip(locations).map(record).collect();
    let records: Vec<Record> = serde_json::from_value(Value::Array(records)).unwrap();
    let books = reconcile(1, vec![serde_json::from_value(pool).unwrap()], &records.into()).unwrap();
    let node = template(&books.groups[0], &kinds(), region)?;
    let labels = node.labels.iter().map(|(key, value)| format!("{key}={value}"));
    let mut lines: Vec<String> = labels.collect();
    lines.sort();
    for (name, amount) in node.capacity.iter() {
        lines.push(format!("{name}: {amount}, allocatable {}", node.allocatable.get(name)));
    }
    Some(lines.join("\n"))
}

#[test]
fn the_catalogue_tells_what_the_pool_does_not() {
    let told = shown(
        &json!({"labels": "tier=web, example.com/a = b,bad key=x", "zone": "us-west-2a", "root_disk_size": 50}),
    );
    expect![[r"
        beta.kubernetes.io/arch=amd64
        beta.kubernetes.io/instance-type=m5.large
        beta.kubernetes.io/os=linux
        example.com/a=b
        failure-domain.beta.kubernetes.io/zone=us-west-2a
        kubernetes.io/arch=amd64
        kubernetes.io/os=linux
        node.kubernetes.io/instance-type=m5.large
        stackpoint.io/node_group=autoscaling-spc-pool-1
        stackpoint.io/role=worker
        tier=web
        topology.kubernetes.io/zone=us-west-2a
        cpu: 2000, allocatable 2000
        ephemeral-storage: 53687091200, allocatable 48318382080
        memory: 8000000000, allocatable 7895142400
        pods: 110, allocatable 110"]]
    .assert_eq(&told.unwrap());
}

#[test]
fn the_pool_is_believed_first() {
    let told = shown(
        &json!({"cpu": "4", "memory": "16000", "labels": "{\"tier\": \"db\", \"stackpoint.io/role\": \"master\"}"}),
    );
    expect![[r"
        beta.kubernetes.io/arch=amd64
        beta.kubernetes.io/instance-type=m5.large
        beta.kubernetes.io/os=linux
        kubernetes.io/arch=amd64
        kubernetes.io/os=linux
        node.kubernetes.io/instance-type=m5.large
        stackpoint.io/node_group=autoscaling-spc-pool-1
        stackpoint.io/role=worker
        tier=db
        cpu: 4000, allocatable 4000
        memory: 16000000000, allocatable 15895142400
        pods: 110, allocatable 110"]]
    .assert_eq(&told.unwrap());
}

#[test]
fn accelerators_are_told() {
    for pool in [json!({"instance_size": "p3.2xlarge"}), json!({"gpu_core_count": 1})] {
        let told = shown(&pool).unwrap();
        assert!(told.contains("nvidia.com/gpu: 1, allocatable 1"), "{told}");
    }
}

#[test]
fn sizes_are_read_in_every_form() {
    let amounts = |changes: &Value| {
        let told = shown(changes).unwrap();
        let amounts =
            told.lines().filter(|line| line.starts_with("cpu") || line.starts_with("mem"));
        amounts.collect::<Vec<_>>().join("; ")
    };
    let four = "cpu: 2000, allocatable 2000; memory: 4000000000, allocatable 3895142400";
    for (cpu, memory) in [
        (json!("2"), json!("4000")),
        (json!(2), json!(4000)),
        (json!(2.0), json!(4000.0)),
        (json!("2.0"), json!("4Gi")),
        (json!("2000m"), json!("4 GB")),
    ] {
        assert_eq!(amounts(&json!({"cpu": cpu, "memory": memory})), four, "{cpu} {memory}");
    }
    // What cannot be understood is not known, and the kind of machine tells.
    let kind = "cpu: 2000, allocatable 2000; memory: 8000000000, allocatable 7895142400";
    for odd in [json!(null), json!([]), json!({"value": 2}), json!(true), json!("many")] {
        assert_eq!(amounts(&json!({"cpu": odd, "memory": odd})), kind, "{odd}");
    }
}

#[test]
fn memory_is_never_more_than_the_service_says_in_mb() {
    let told = shown(&json!({"instance_size": "n1-standard-1"})).unwrap();
    assert!(told.contains("memory: 3750000000, allocatable 3645142400"), "{told}");
}

#[test]
fn labels_may_be_a_list() {
    let told = shown(&json!({"labels": ["tier=web", "example.com/a=b"]})).unwrap();
    assert!(told.contains("tier=web\n") && told.contains("example.com/a=b\n"), "{told}");
}

#[test]
fn a_new_node_says_where_and_what_it_is() {
    let told = |region: &str, locations: &[&str], changes: &Value| {
        let told = shown_in(region, locations, changes).unwrap();
        let wanted = ["topology", "node.kubernetes.io", "kubernetes.io/arch"];
        let lines = told.lines().filter(|line| wanted.iter().any(|start| line.starts_with(start)));
        lines.collect::<Vec<_>>().join(" ")
    };
    let all = [
        told("", &[], &json!({})),
        told("us-west-2", &[], &json!({"zone": "us-west-2a"})),
        told("us-west-2", &["us-west-2:us-west-2b", "us-west-2:us-west-2b"], &json!({})),
        told("", &["us-west-2:us-west-2b", "us-west-2:us-west-2c"], &json!({})),
        told("nyc1", &["nyc1", ""], &json!({"instance_size": "4gb"})),
        told("", &[], &json!({"instance_size": "m6g.large", "cpu": "2", "memory": "8Gi"})),
    ];
    expect![[r"
        kubernetes.io/arch=amd64 node.kubernetes.io/instance-type=m5.large
        kubernetes.io/arch=amd64 node.kubernetes.io/instance-type=m5.large topology.kubernetes.io/region=us-west-2 topology.kubernetes.io/zone=us-west-2a
        kubernetes.io/arch=amd64 node.kubernetes.io/instance-type=m5.large topology.kubernetes.io/region=us-west-2 topology.kubernetes.io/zone=us-west-2b
        kubernetes.io/arch=amd64 node.kubernetes.io/instance-type=m5.large topology.kubernetes.io/region=us-west-2
        kubernetes.io/arch=amd64 node.kubernetes.io/instance-type=4gb topology.kubernetes.io/region=nyc1
        kubernetes.io/arch=arm64 node.kubernetes.io/instance-type=m6g.large
    "]]
    .assert_eq(&(all.join("\n") + "\n"));
}

#[test]
fn nothing_is_made_up() {
    assert_eq!(shown(&json!({"instance_size": "x1"})), None);
    assert_eq!(shown(&json!({"instance_size": "x1", "cpu": "4"})), None);
    assert_eq!(shown(&json!({"instance_size": "x1", "cpu": "four", "memory": "16000"})), None);
    assert_eq!(shown(&json!({"instance_size": "x1", "cpu": "0", "memory": "0"})), None);
}
