//! Volumes: where they are decides where their pods go.

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
