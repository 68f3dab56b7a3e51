//! The plan as it is told to a person.

use expect_test::expect;

use crate::{SMALL, check, scenario};

/// A request for room, and a buffer.
const ROOM: &str = r#"
{"name": "room", "now": "2026-01-01T12:00:00Z",
 "flags": {"enable-provisioning-requests": true, "capacity-buffer-controller-enabled": true,
   "capacity-buffer-pod-injection-enabled": true, "capacity-buffer-pod-dry-run-enabled": false},
 "groups": [{"id": "small", "min": 0, "max": 9, "target": 0, "price": 0.1, "template": {"metadata": {"name": "t"},
   "status": {"allocatable": {"cpu": "2", "memory": "4Gi", "pods": "10"}, "capacity": {"cpu": "2", "memory": "4Gi", "pods": "10"}}}}],
 "objects": [
  {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "unit", "namespace": "shop"},
   "template": {"spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "2"}}}]}}},
  {"apiVersion": "autoscaling.x-k8s.io/v1", "kind": "ProvisioningRequest", "metadata": {"name": "job", "namespace": "shop",
   "creationTimestamp": "2026-01-01T11:00:00Z"},
   "spec": {"provisioningClassName": "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
     "podSets": [{"podTemplateRef": {"name": "unit"}, "count": 3}]}},
  {"apiVersion": "autoscaling.x-k8s.io/v1beta1", "kind": "CapacityBuffer", "metadata": {"name": "spare", "namespace": "shop"},
   "spec": {"podTemplateRef": {"name": "unit"}, "replicas": 2}}
 ]}
"#;

#[test]
fn something_of_everything() {
    check(
        &[],
        SMALL,
        &expect![[r"
            scale up small by 2 nodes (1 → 3) for 2 pods web-… (a)

            pod a-b/web stays pending: no group can take it
              small    insufficient cpu: asks 4, a new node has 2
              tainted  taint gpu=yes:NoSchedule is not tolerated
            pod a/web-2 stays pending for now: no group can take it in this pass
              small    at its maximum of 3
              tainted  taint gpu=yes:NoSchedule is not tolerated
            pod a/gated is left to others: a DaemonSet's, gated or of another scheduler

            node own-0 stays: of no group
            node small-0 stays: not underutilised

            group small    target 1 (0..3), 1 ready, healthy
            group tainted  target 0 (0..3), 0 ready, healthy

            The nodes cost $0.10 an hour, and $0.30 after this.
        "]],
    );
}

#[test]
fn groups_that_grow_and_a_pod_that_none_can_take() {
    check(
        &[],
        &scenario("joint-mixed-outcomes"),
        &expect![[r"
        scale up cpu-rich by 1 node (1 → 2) for pod default/wants-cpu
        scale up mem-rich by 1 node (1 → 2) for pod default/wants-memory

        pod default/too-big stays pending: no group can take it
          cpu-rich  insufficient cpu: asks 2, a new node has 1
          mem-rich  insufficient cpu: asks 2, a new node has 100m

        2 nodes stay: not underutilised (cpu-0, mem-0)

        group cpu-rich  target 1 (0..10), 1 ready, healthy
        group mem-rich  target 1 (0..10), 1 ready, healthy
    "]],
    );
}

#[test]
fn room_for_pods_that_do_not_exist() {
    check(
        &[],
        ROOM,
        &expect![[r"
        scale up small by 5 nodes (0 → 5) to keep room for 2 units of CapacityBuffer shop/spare and 3 pods of ProvisioningRequest shop/job

        room is kept for ProvisioningRequest shop/job until 12:10 (Capacity is bought, and on its way)
        CapacityBuffer shop/spare has 2 units, 2 of them with a place

        group small  target 0 (0..9), 0 ready, healthy

        The nodes cost $0.00 an hour, and $0.50 after this.
    "]],
    );
}

#[test]
fn nothing_to_do_while_a_group_rests() {
    check(
        &[],
        &scenario("backoff-active"),
        &expect![[r"
        Nothing to do: no group can be used for the pod that has no place, and no node can go.

        pod default/p stays pending for now: no group can take it in this pass
          pool-a  backing off until 12:03 (STOCKOUT)

        group pool-a  target 0 (0..10), 0 ready, backing off until 12:03 (STOCKOUT)
    "]],
    );
}

#[test]
fn a_machine_that_failed() {
    check(
        &[],
        &scenario("failed-instance-other-group"),
        &expect![[r"
        scale up pool-b by 1 node (0 → 1) for pod default/p

        instance sim://a-0 of pool-a is deleted: failed: no machines left (STOCKOUT)

        group pool-a  target 1 (0..10), 0 ready, backing off until 12:05 (STOCKOUT)
        group pool-b  target 0 (0..10), 0 ready, healthy
    "]],
    );
}

#[test]
fn pods_that_hold_their_nodes() {
    check(
        &[],
        &scenario("down-drain-blockers"),
        &expect![[r"
        Nothing to do: every pod has a place, and no node can go.

        node fixed-0 stays: of no group
        node n-bare stays: pod default/bare cannot be moved, no controller that counts would make it again
        node n-custom stays: pod default/game cannot be moved, no controller that counts would make it again
        node n-orphan stays: pod default/orphan cannot be moved, its controller does not exist
        node n-few stays: pod default/few-0 cannot be moved, its controller has too few replicas
        node n-system stays: pod kube-system/dns cannot be moved, it is of kube-system and has no disruption budget

        group pool-a  target 5 (0..9), 5 ready, healthy
    "]],
    );
}

#[test]
fn nodes_that_go_and_nodes_that_wait() {
    check(
        &[],
        &scenario("down-timers"),
        &expect![[r"
        node quick-0 of quick goes: nothing runs on it
        node slow-3 of slow goes: unready for too long

        node fixed-0 stays: of no group
        2 nodes stay: not unneeded for long enough (slow-0, slow-1)
        node slow-2 stays: unready only since 11:50

        group quick  target 1 (0..9), 1 ready, healthy
        group slow   target 4 (0..9), 2 ready, healthy
    "]],
    );
}

#[test]
fn a_cluster_that_cannot_be_trusted() {
    check(
        &[],
        &scenario("cluster-unhealthy"),
        &expect![[r"
        The cluster is unhealthy: too many nodes are not ready.
        Nothing to do: no group can be used for the 2 pods that have no place, and no node can go yet (1 node idle).

        2 pods p-… (default) stay pending for now: no group can take them in this pass
          pool-a  nothing is bought while too many nodes are not ready
        pod default/p-0 has a place on a node that is here or on its way

        10 nodes stay: too many nodes are not ready (good-0, good-1, good-2, good-3 …)

        group pool-a  target 10 (0..20), 5 ready, unhealthy: too many of its nodes are not ready
    "]],
    );
}
