use expect_test::expect;
use serde_json::{Value, json};

use super::{Catalogue, template};
use crate::stackpoint::{reconcile::reconcile, wire::CataloguePage};

fn catalogue() -> Catalogue {
    let page = json!({"name": "provider-instances", "config": {
        "m5.large": {"cpu": 2, "memory": 8000, "name": "m5.large"},
        "p3.2xlarge": {"cpu": 8, "memory": 61000, "gpu": 1},
    }});
    serde_json::from_value::<CataloguePage>(page).unwrap().config
}

/// A line per label and resource.
fn shown(changes: &Value) -> Option<String> {
    let mut pool = json!({"pk": 1, "instance_id": "spc-pool-1", "instance_size": "m5.large", "autoscaled": true, "max_count": 5});
    pool.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let books = reconcile(1, vec![serde_json::from_value(pool).unwrap()], &[]).unwrap();
    let node = template(&books.groups[0], &catalogue())?;
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
        beta.kubernetes.io/os=linux
        example.com/a=b
        failure-domain.beta.kubernetes.io/zone=us-west-2a
        kubernetes.io/arch=amd64
        kubernetes.io/os=linux
        stackpoint.io/node_group=autoscaling-spc-pool-1
        stackpoint.io/role=worker
        tier=web
        topology.kubernetes.io/zone=us-west-2a
        cpu: 2000, allocatable 2000
        ephemeral-storage: 53687091200, allocatable 48318382080
        memory: 8388608000, allocatable 8283750400
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
        beta.kubernetes.io/os=linux
        kubernetes.io/arch=amd64
        kubernetes.io/os=linux
        stackpoint.io/node_group=autoscaling-spc-pool-1
        stackpoint.io/role=worker
        tier=db
        cpu: 4000, allocatable 4000
        memory: 16777216000, allocatable 16672358400
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
fn nothing_is_made_up() {
    assert_eq!(shown(&json!({"instance_size": "x1"})), None);
    assert_eq!(shown(&json!({"instance_size": "x1", "cpu": "4"})), None);
    assert_eq!(shown(&json!({"instance_size": "x1", "cpu": "four", "memory": "16000"})), None);
    assert_eq!(shown(&json!({"instance_size": "x1", "cpu": "0", "memory": "0"})), None);
}
