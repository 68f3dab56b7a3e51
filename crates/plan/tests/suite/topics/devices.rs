//! Claims for devices: dynamic resource allocation.

use expect_test::expect;

use crate::fixture::check;

const CLASS: &str = "
    raw {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == \"gpu.example.com\"'}}]}}
";

/// What the driver of a node publishes: so many GPUs.
fn slice(node: &str, gpus: usize) -> String {
    let devices: Vec<String> = (0..gpus).map(|number| format!("{{name: gpu-{number}}}")).collect();
    format!(
        "raw {{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: {node}-gpu}}, spec: {{driver: gpu.example.com, nodeName: {node}, pool: {{name: {node}, generation: 1, resourceSliceCount: 1}}, devices: [{}]}}}}\n",
        devices.join(", ")
    )
}

fn template(gpus: usize) -> String {
    format!(
        "raw {{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {{name: gpus-{gpus}}}, spec: {{spec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu, count: {gpus}}}}}]}}}}}}}}\n"
    )
}

/// A pod that waits for so many GPUs.
fn waiting(name: &str, gpus: usize) -> String {
    format!(
        "raw {{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: c, resources: {{requests: {{cpu: 500m}}}}}}], resourceClaims: [{{name: gpu, resourceClaimTemplateName: gpus-{gpus}}}]}}}}\n"
    )
}

/// A pod of a ReplicaSet that runs and has GPUs of its node.
fn running(name: &str, node: &str, devices: &[&str]) -> String {
    let results: Vec<String> = devices
        .iter()
        .map(|device| {
            format!("{{request: gpu, driver: gpu.example.com, pool: {node}, device: {device}}}")
        })
        .collect();
    let count = devices.len();
    format!(
        "raw {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, ownerReferences: [{{kind: ReplicaSet, name: rs, uid: rs, controller: true}}]}}, spec: {{nodeName: {node}, containers: [{{name: c, resources: {{requests: {{cpu: 500m}}}}}}], resourceClaims: [{{name: gpu, resourceClaimTemplateName: gpus-{count}}}]}}, status: {{phase: Running, resourceClaimStatuses: [{{name: gpu, resourceClaimName: {name}-gpu}}]}}}}
         raw {{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {name}-gpu}}, spec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu, count: {count}}}}}]}}}}, status: {{allocation: {{devices: {{results: [{}]}}, nodeSelector: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, values: [{node}]}}]}}]}}}}, reservedFor: [{{resource: pods, name: {name}, uid: u}}]}}}}
         raw {{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: rs, uid: rs}}, spec: {{replicas: 1}}}}\n",
        results.join(", ")
    )
}

fn fixture(parts: &[&str]) -> String {
    let mut seen = std::collections::BTreeSet::new();
    let lines = parts.iter().flat_map(|part| part.lines()).map(str::trim);
    // The ReplicaSet comes with every pod of it.
    let lines = lines.filter(|line| {
        !line.contains("kind: ReplicaSet, metadata: {name: rs,") || seen.insert(*line)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_claim_buys_the_group_that_has_the_device() {
    check(
        &fixture(&[
            "group cpu 0..10 4cpu 16Gi $0.20
             group gpu 0..10 4cpu 16Gi $2.00
             node cpu-0 of cpu
             node gpu-0 of gpu",
            CLASS,
            &slice("gpu-0", 1),
            &running("old", "gpu-0", &["gpu-0"]),
            &template(1),
            &waiting("train", 1),
        ]),
        expect![[r#"
            buy     gpu 1 → 2 for train
            keep    gpu-0: NotUnderutilized
            keep    cpu-0: NotUnneededLongEnough, idle since 12:00
            cost    $2.20 → $4.20
        "#]],
    );
}

#[test]
fn two_claims_do_not_share_a_device() {
    check(
        &fixture(&[
            "group gpu 0..10 16cpu 16Gi $2.00
             node gpu-0 of gpu",
            CLASS,
            &slice("gpu-0", 2),
            &running("old", "gpu-0", &["gpu-0", "gpu-1"]),
            &template(1),
            &template(2),
            &waiting("a", 1),
            &waiting("b", 1),
            &waiting("c", 1),
            &waiting("d", 2),
        ]),
        expect![[r#"
            buy     gpu 1 → 4 for a, b, c, d
            keep    gpu-0: NotUnderutilized
            cost    $2.00 → $8.00
        "#]],
    );
}

#[test]
fn a_device_that_is_free_costs_nothing() {
    check(
        &fixture(&[
            "group gpu 0..10 16cpu 16Gi $2.00
             node gpu-0 of gpu",
            CLASS,
            &slice("gpu-0", 2),
            &running("old", "gpu-0", &["gpu-1"]),
            &template(1),
            &waiting("a", 1),
            &waiting("b", 1),
        ]),
        expect![[r#"
            buy     gpu 1 → 2 for b
            fits    a on gpu-0
            keep    gpu-0: NotUnderutilized
            cost    $2.00 → $4.00
        "#]],
    );
}

#[test]
fn devices_of_a_group_without_nodes_are_not_known() {
    check(
        &fixture(&["group gpu 0..10 16cpu 16Gi $2.00", CLASS, &template(1), &waiting("a", 1)]),
        expect![[r#"
            wait    a: NoGroupFits (gpu: DynamicResources)
        "#]],
    );
}

#[test]
fn a_young_node_whose_driver_has_not_spoken_is_waited_for() {
    check(
        &fixture(&[
            "group gpu 0..10 16cpu 16Gi $2.00
             node gpu-0 of gpu
             node gpu-1 of gpu created=2m",
            CLASS,
            &slice("gpu-0", 1),
            &running("old", "gpu-0", &["gpu-0"]),
            &template(1),
            &waiting("a", 1),
        ]),
        expect![[r#"
            fits    a on gpu-1
            keep    gpu-0: NotUnderutilized
            keep    gpu-1: NotUnreadyLongEnough
        "#]],
    );
}

#[test]
fn a_pod_with_a_claim_moves_to_where_a_device_is_free() {
    check(
        &fixture(&[
            "group gpu 0..10 16cpu 16Gi $2.00
             node gpu-0 of gpu
             node gpu-1 of gpu
             memory unneeded gpu-1 since=1h",
            CLASS,
            &slice("gpu-0", 4),
            &slice("gpu-1", 4),
            &running("a", "gpu-0", &["gpu-0", "gpu-1", "gpu-2"]),
            &running("b", "gpu-1", &["gpu-3"]),
            &template(1),
        ]),
        expect![[r#"
            give    gpu-1 of gpu: underutilized, evicting b
            keep    gpu-0: NotUnderutilized
            cost    $4.00 → $2.00
        "#]],
    );
}

#[test]
fn a_pod_with_a_claim_stays_if_no_device_is_free() {
    check(
        &fixture(&[
            "group gpu 0..10 16cpu 16Gi $2.00
             node gpu-0 of gpu
             node gpu-1 of gpu
             memory unneeded gpu-1 since=1h",
            CLASS,
            &slice("gpu-0", 3),
            &slice("gpu-1", 4),
            &running("a", "gpu-0", &["gpu-0", "gpu-1", "gpu-2"]),
            &running("b", "gpu-1", &["gpu-3"]),
            &template(1),
        ]),
        expect![[r#"
            keep    gpu-1: NoPlaceToMovePods
            keep    gpu-0: NotUnderutilized
        "#]],
    );
}
