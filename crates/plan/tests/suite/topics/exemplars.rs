//! Groups that have gone to zero, and what is remembered of their nodes.

use std::sync::Arc;

use expect_test::expect;
use plimsoll_model::Symbol;

use crate::fixture::{check, check_passes, last_of};

/// A group, and a node of it with a label that its provider knows nothing of.
const HERE: &str = "
    group a 0..10 4cpu 16Gi $0.20
    node a-0 of a label=disk=ssd
";

const GONE: &str = "group a 0..10 4cpu 16Gi $0.20";

/// The same, and a pod that needs the label.
const WANTED: &str = "
    group a 0..10 4cpu 16Gi $0.20
    pods db 1cpu 1Gi selector=disk=ssd
";

#[test]
fn nobody_knows_a_label_that_no_node_has_had() {
    check(
        WANTED,
        expect![[r#"
            wait    db: NoGroupFits (a: NodeAffinity)
        "#]],
    );
}

#[test]
fn a_group_that_went_to_zero_is_bought_for_what_its_nodes_had() {
    check_passes(
        &[(0, HERE), (10, GONE), (6000, WANTED)],
        expect![[r#"
            buy     a 0 → 1 for db
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_group_that_was_changed_is_not_judged_by_what_it_was() {
    let changed = WANTED.replace("4cpu", "8cpu");
    check_passes(
        &[(0, HERE), (10, GONE), (20, &changed)],
        expect![[r#"
            wait    db: NoGroupFits (a: NodeAffinity)
        "#]],
    );
    // And that is final, even if it is changed back.
    check_passes(
        &[(0, HERE), (10, &changed), (20, WANTED)],
        expect![[r#"
            wait    db: NoGroupFits (a: NodeAffinity)
        "#]],
    );
}

#[test]
fn what_is_too_long_ago_does_not_count() {
    let hour = |fixture: &str| format!("flags node-info-cache-expire-time=1h\n{fixture}");
    let (here, gone, wanted) = (hour(HERE), hour(GONE), hour(WANTED));
    check_passes(
        &[(0, &here), (10, &here), (20, &gone), (80, &wanted)],
        expect![[r#"
            buy     a 0 → 1 for db
            cost    $0.00 → $0.20
        "#]],
    );
    check_passes(
        &[(0, &here), (10, &here), (20, &gone), (81, &wanted)],
        expect![[r#"
            wait    db: NoGroupFits (a: NodeAffinity)
        "#]],
    );
}

#[test]
fn nothing_is_remembered_for_no_time() {
    let never = |fixture: &str| format!("flags node-info-cache-expire-time=0s\n{fixture}");
    assert!(last_of(&[(0, &never(HERE))]).memory.exemplars.is_empty());
    check_passes(
        &[(0, HERE), (10, &never(WANTED))],
        expect![[r#"
            wait    db: NoGroupFits (a: NodeAffinity)
        "#]],
    );
}

#[test]
fn a_node_that_is_there_counts_and_not_what_was() {
    check_passes(
        &[
            (0, HERE),
            (
                10,
                "group a 0..10 4cpu 16Gi $0.20\n node a-1 of a\n pods db 1cpu 1Gi selector=disk=ssd",
            ),
        ],
        expect![[r#"
            wait    db: NoGroupFits (a: NodeAffinity)
            keep    a-1: NotUnneededLongEnough, idle since 12:10
        "#]],
    );
}

#[test]
fn a_node_that_only_leaves_is_remembered() {
    let leaving = "
        group a 0..10 4cpu 16Gi $0.20
        node a-0 of a label=disk=ssd leaving
        pods db 1cpu 1Gi selector=disk=ssd
    ";
    check_passes(
        &[(0, HERE), (10, leaving)],
        expect![[r#"
            buy     a 1 → 2 for db
            keep    a-0: CurrentlyBeingDeleted
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn daemons_are_those_of_today_and_static_pods_those_of_then() {
    let here = format!(
        "{HERE}
        daemon old 2cpu 1Gi on=a-0
        raw {{apiVersion: v1, kind: Pod, metadata: {{name: static, annotations: {{kubernetes.io/config.mirror: x}}, ownerReferences: [{{apiVersion: v1, kind: Node, name: a-0, uid: a-0, controller: true}}]}}, spec: {{nodeName: a-0, containers: [{{name: c, resources: {{requests: {{cpu: '1'}}}}}}]}}, status: {{phase: Running}}}}"
    );
    check_passes(
        &[
            (0, &here),
            (
                10,
                "group a 0..10 4cpu 16Gi $0.20\n daemon new 1cpu 1Gi\n pods db*4 1cpu 1Gi selector=disk=ssd",
            ),
        ],
        expect![[r#"
            buy     a 0 → 2 for db-0 … db-3
            cost    $0.00 → $0.40
        "#]],
    );
}

const STORAGE: &str = "
    raw {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: disk.example, volumeBindingMode: WaitForFirstConsumer}
    raw {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: x}, spec: {accessModes: [ReadWriteOnce], storageClassName: disk, resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}
    raw {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: y}, spec: {accessModes: [ReadWriteOnce], storageClassName: disk, resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}
";

#[test]
fn volume_limits_are_remembered() {
    let here = format!(
        "{HERE}
        raw {{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: a-0}}, spec: {{drivers: [{{name: disk.example, nodeID: a-0, allocatable: {{count: 1}}}}]}}}}"
    );
    let wanted = format!("{GONE}\n pods p 1cpu 1Gi claim=x\n pods q 1cpu 1Gi claim=y\n {STORAGE}");
    check_passes(
        &[(0, &here), (10, &wanted)],
        expect![[r#"
            buy     a 0 → 2 for p, q
            cost    $0.00 → $0.40
        "#]],
    );
}

const CLASS: &str = "
    raw {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == \"gpu.example.com\"'}}]}}
    raw {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one}, spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 1}}]}}}}
    raw {apiVersion: v1, kind: Pod, metadata: {name: train}, spec: {containers: [{name: c, resources: {requests: {cpu: 500m}}}], resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]}}
";

const SLICE: &str = "
    raw {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: a-0-gpu}, spec: {driver: gpu.example.com, nodeName: a-0, pool: {name: a-0, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}}
";

#[test]
fn devices_are_remembered_and_waited_for() {
    let here = format!("{HERE}{SLICE}");
    let wanted = format!("{GONE}{CLASS}");
    check_passes(
        &[(0, &here), (10, &wanted)],
        expect![[r#"
            buy     a 0 → 1 for train
            cost    $0.00 → $0.20
        "#]],
    );
    // The new node is there, and its driver has not spoken yet.
    let young = format!("{GONE}\n node a-1 of a created=+10m\n {CLASS}");
    check_passes(
        &[(0, &here), (10, &wanted), (11, &young)],
        expect![[r#"
            fits    train on a-1
            keep    a-1: NotUnreadyLongEnough
        "#]],
    );
}

#[test]
fn an_extended_resource_is_remembered_and_waited_for() {
    let here = "group a 0..10 4cpu 16Gi $0.20\n node a-0 of a gpu=2";
    let wanted = format!("{GONE}\n pods train 1cpu 1Gi gpu=1");
    check_passes(
        &[(0, here), (10, &wanted)],
        expect![[r#"
            buy     a 0 → 1 for train
            cost    $0.00 → $0.20
        "#]],
    );
    let young = format!("{wanted}\n node a-1 of a created=+10m");
    check_passes(
        &[(0, here), (10, &wanted), (11, &young)],
        expect![[r#"
            fits    train on a-1
            keep    a-1: NotUnreadyLongEnough
        "#]],
    );
}

/// Who puts the label there may need a moment. After a minute the node is believed.
#[test]
fn a_label_is_waited_for_no_longer_than_a_minute() {
    let young = format!("{WANTED}\n node a-1 of a created=+10m");
    check_passes(
        &[(0, HERE), (9, GONE), (10, &young)],
        expect![[r#"
            fits    db on a-1
            keep    a-1: NotUnderutilized
        "#]],
    );
    check_passes(
        &[(0, HERE), (9, GONE), (10, &young), (11, &young)],
        expect![[r#"
            wait    db: NoGroupFits (a: NodeAffinity)
            keep    a-1: NotUnneededLongEnough, idle since 12:11
        "#]],
    );
}

/// What is written down need not be written again while nothing changes.
#[test]
fn what_is_remembered_stays_the_same_while_nodes_do() {
    let first = last_of(&[(0, HERE)]).memory.exemplars;
    let second = last_of(&[(0, HERE), (10, HERE)]).memory.exemplars;
    assert_eq!(first, second);
    let gone = last_of(&[(0, HERE), (10, GONE)]).memory.exemplars;
    let later = last_of(&[(0, HERE), (10, GONE), (20, GONE)]).memory.exemplars;
    assert_eq!(gone, later);
    let of_a = |exemplars: &std::collections::BTreeMap<_, plimsoll_model::Remembered>| {
        Arc::clone(&exemplars[&Symbol::new("a")].exemplar)
    };
    assert_eq!(of_a(&first), of_a(&gone));
    assert!(last_of(&[(0, HERE), (10, "group b 0..1 1cpu 1Gi")]).memory.exemplars.is_empty());
}
