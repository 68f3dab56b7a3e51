//! Volumes: where they are decides where their pods go.

use std::fmt::Write as _;

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_bound_volume_decides_the_zone() {
    check(
        "
        group a 0..10 2cpu 8Gi  $0.10 zone=a
        group b 0..10 4cpu 16Gi $0.50 zone=b
        pods db 1cpu 1Gi claim=data
        raw {apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: disk, claimRef: {namespace: default, name: data}, csi: {driver: disk.example, volumeHandle: v}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [b]}]}]}}}, status: {phase: Bound}}
        raw {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {accessModes: [ReadWriteOnce], storageClassName: disk, volumeName: pv, resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}
        raw {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: disk.example, volumeBindingMode: WaitForFirstConsumer}
        ",
        expect![[r#"
            buy     b 0 → 1 for db
            cost    $0.00 → $0.50
        "#]],
    );
}

#[test]
fn a_volume_that_waits_for_its_consumer_is_made_where_it_may_be() {
    check(
        "
        group a 0..10 2cpu 8Gi  $0.10 zone=a
        group b 0..10 4cpu 16Gi $0.50 zone=b
        pods db 1cpu 1Gi claim=data
        raw {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: disk, resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}
        raw {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: disk.example, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [b]}]}]}
        ",
        expect![[r#"
            buy     b 0 → 1 for db
            cost    $0.00 → $0.50
        "#]],
    );
}

#[test]
fn a_claim_that_does_not_exist_stops_its_pod() {
    check(
        "
        group a 0..10 2cpu 8Gi $0.10 zone=a
        pods db 1cpu 1Gi claim=data
        ",
        expect![[r#"
            wait    db: NoGroupFits (a: VolumeRestrictions)
        "#]],
    );
}

#[test]
fn a_claim_for_one_pod_is_not_shared() {
    check(
        "
        group a 0..10 2cpu 8Gi $0.10 zone=a
        node a-0 of a
        pods first 1cpu 1Gi claim=data on=a-0 owner=rs
        pods second 500m 1Gi claim=data
        raw {apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOncePod], storageClassName: disk, claimRef: {namespace: default, name: data}, csi: {driver: disk.example, volumeHandle: v}}, status: {phase: Bound}}
        raw {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {accessModes: [ReadWriteOncePod], storageClassName: disk, volumeName: pv, resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}
        raw {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: disk.example, volumeBindingMode: WaitForFirstConsumer}
        ",
        expect![[r#"
            wait    second: NoGroupFits (a: VolumeRestrictions)
            keep    a-0: NoPlaceToMovePods
        "#]],
    );
}

/// Storage for pods with a claim each, of a driver that attaches two volumes to a node.
fn limited(lines: &str, nodes: &[&str], claims: &[(&str, usize)]) -> String {
    let mut fixture = format!(
        "{lines}
        raw {{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {{name: disk}}, provisioner: disk.example, volumeBindingMode: WaitForFirstConsumer}}\n"
    );
    for node in nodes {
        writeln!(
            fixture,
            "raw {{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: {node}}}, spec: {{drivers: [{{name: disk.example, nodeID: {node}, allocatable: {{count: 2}}}}]}}}}"
        )
        .unwrap();
    }
    for (name, count) in claims {
        for number in 0..*count {
            writeln!(
                fixture,
                "pods {name}-{number} 1cpu 1Gi claim={name}-{number}
                raw {{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {name}-{number}}}, spec: {{accessModes: [ReadWriteMany], storageClassName: disk, resources: {{requests: {{storage: 1Gi}}}}}}, status: {{phase: Pending}}}}"
            )
            .unwrap();
        }
    }
    fixture
}

const FULL: &str = "
    group a 0..20 16cpu 64Gi $0.50
    node a-0 of a
    pods big 15500m 1Gi on=a-0 owner=rs
";

#[test]
fn a_new_node_takes_as_many_volumes_as_others_of_its_group() {
    check(
        &limited(FULL, &["a-0"], &[("db", 6)]),
        expect![[r#"
            buy     a 1 → 4 for db-0 … db-5
            keep    a-0: NotUnderutilized
            cost    $0.50 → $2.00
        "#]],
    );
}

#[test]
fn many_volumes_buy_many_nodes_in_one_pass() {
    check(
        &limited(FULL, &["a-0"], &[("db", 26)]),
        expect![[r#"
            buy     a 1 → 14 for db-0 … db-25
            keep    a-0: NotUnderutilized
            cost    $0.50 → $7.00
        "#]],
    );
}

#[test]
fn without_the_flag_new_nodes_take_any_number() {
    check(
        &limited(
            &format!("{FULL} flags enable-csi-node-aware-scheduling=false"),
            &["a-0"],
            &[("db", 6)],
        ),
        expect![[r#"
            buy     a 1 → 2 for db-0 … db-5
            keep    a-0: NotUnderutilized
            cost    $0.50 → $1.00
        "#]],
    );
}

#[test]
fn a_group_that_takes_more_volumes_is_the_better_bargain() {
    check(
        &limited(
            "group a 0..20 16cpu 64Gi $0.50
             group b 0..20 16cpu 64Gi $0.60
             node a-0 of a
             pods big 15500m 1Gi on=a-0 owner=rs",
            &["a-0"],
            &[("db", 6)],
        ),
        expect![[r#"
            buy     b 0 → 1 for db-0 … db-5
            keep    a-0: NotUnderutilized
            cost    $0.50 → $1.10
        "#]],
    );
}

#[test]
fn a_volume_that_pods_share_counts_once() {
    check(
        &limited(
            &format!(
                "{FULL}
                pods web*3 1cpu 1Gi claim=db-0
                pods log*3 1cpu 1Gi claim=db-1"
            ),
            &["a-0"],
            &[("db", 2)],
        ),
        expect![[r#"
            buy     a 1 → 2 for db-0, db-1, log-0 … log-2, web-0 … web-2
            keep    a-0: NotUnderutilized
            cost    $0.50 → $1.00
        "#]],
    );
}

#[test]
fn nodes_on_their_way_have_limits_too() {
    check(
        &limited(
            "group a 0..20 16cpu 64Gi $0.50 instance i-1 creating
             node a-0 of a
             node a-1 of a created=2m unready=2m
             pods big 15500m 1Gi on=a-0 owner=rs",
            &["a-0"],
            &[("db", 6)],
        ),
        expect![[r#"
            buy     a 3 → 4 for db-4, db-5
            group   a: healthy, 1 ready and 1 upcoming of 3
            fits    db-2, db-3 on a#upcoming-1
            fits    db-0, db-1 on a-1
            keep    a-0: NotUnderutilized
            keep    a-1: NotUnreadyLongEnough
            cost    $1.50 → $2.00
        "#]],
    );
}

#[test]
fn a_young_node_with_limits_of_its_own_has_those() {
    check(
        &limited(
            "group a 0..1 16cpu 64Gi $0.50
             node a-0 of a created=2m unready=2m
             raw {apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: a-0}, spec: {drivers: [{name: disk.example, nodeID: a-0, allocatable: {count: 3}}]}}",
            &[],
            &[("db", 4)],
        ),
        expect![[r#"
            fits    db-0 … db-2 on a-0
            wait    db-3: AwaitsNextPass (a: MaxSizeReached)
            keep    a-0: NotUnreadyLongEnough
        "#]],
    );
}
