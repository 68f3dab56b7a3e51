//! table: for each flag, a value and a world in which it matters.

use serde_json::{Value, json};

use self::build::{
    a_buffer, after, daemon, daemon_set, empty, failed, failed_again, few_of_many, gpu, gpu_group,
    gpu_pods, hard_to_pack, least_one, less_allocatable, occupied, of_two_groups, one_pod,
    system_pod, two_empty, unready, unready_for_an_hour, unready_nodes,
};
pub(super) use self::build::{
    group, labelled, node, on, pod, pods, replica_set, tainted, with, world,
};

mod build;

/// A flag, its value, flags that are there in any case, and the world.
type Pair = (&'static str, &'static str, &'static [(&'static str, &'static str)], fn() -> Value);

const BALANCE: (&str, &str) = ("balance-similar-node-groups", "true");

/// There is no API server to ask.
const AS_WRITTEN: (&str, &str) = ("capacity-buffer-pod-dry-run-enabled", "false");

pub(crate) const PAIRS: &[Pair] = &[
    // What to buy.
    ("expander", "least-nodes", &[], || {
        world(&[group("a", 4), with(group("b", 8), "/price", json!(9))], pods(2, "4"))
    }),
    ("balance-similar-node-groups", "true", &[], || {
        world(&[group("a", 4), group("b", 4)], pods(4, "4"))
    }),
    ("balancing-ignore-label", "pool", &[BALANCE], || {
        world(&[labelled("a", "pool", "x"), labelled("b", "pool", "y")], pods(4, "4"))
    }),
    ("balancing-label", "kind", &[BALANCE], || {
        let other =
            with(labelled("b", "kind", "x"), "/template/status/capacity/memory", json!("64Gi"));
        world(&[labelled("a", "kind", "x"), other], pods(4, "4"))
    }),
    ("memory-difference-ratio", "0.1", &[BALANCE], || {
        let other = with(group("b", 4), "/template/status/capacity/memory", json!("16800Mi"));
        world(&[group("a", 4), other], pods(4, "4"))
    }),
    (
        "max-allocatable-difference-ratio",
        "0.3",
        &[BALANCE, ("max-free-difference-ratio", "0.3")],
        less_allocatable,
    ),
    ("max-free-difference-ratio", "0.3", &[BALANCE, ("balancing-ignore-label", "pool")], || {
        let daemon =
            with(daemon_set("1"), "/spec/template/spec/nodeSelector", json!({"pool": "y"}));
        let mut objects = pods(4, "3");
        objects.push(daemon);
        world(&[labelled("a", "pool", "x"), labelled("b", "pool", "y")], objects)
    }),
    ("new-pod-scale-up-delay", "10m", &[], || {
        let young = json!("2026-01-01T11:59:00Z");
        world(&[group("a", 4)], vec![with(pod("p", "1"), "/metadata/creationTimestamp", young)])
    }),
    ("expendable-pods-priority-cutoff", "5", &[], one_pod),
    ("max-nodes-per-scaleup", "2", &[], || world(&[group("a", 4)], pods(4, "4"))),
    ("max-binpacking-time", "0s", &[], hard_to_pack),
    ("max-nodegroup-binpacking-duration", "1ns", &[], hard_to_pack),
    ("salvo-scale-up", "false", &[("expander", "least-waste")], of_two_groups),
    ("salvo-scale-up-budget", "0s", &[("expander", "least-waste")], of_two_groups),
    ("enable-graceful-degradation", "true", &[("pending-pods-batching-timeout", "1us")], || {
        world(&[group("a", 4)], pods(2, "1"))
    }),
    ("pending-pods-batching-timeout", "1us", &[("enable-graceful-degradation", "true")], || {
        world(&[group("a", 4)], pods(2, "1"))
    }),
    ("enforce-node-group-min-size", "false", &[], || {
        world(&[with(group("a", 4), "/min", json!(2))], vec![node("other", "", 4)])
    }),
    ("scale-up-from-zero", "false", &[], one_pod),
    ("enable-proactive-scaleup", "true", &[], few_of_many),
    ("pod-injection-limit", "3", &[("enable-proactive-scaleup", "true")], few_of_many),
    (
        "capacity-buffer-controller-enabled",
        "true",
        &[("capacity-buffer-pod-injection-enabled", "true"), AS_WRITTEN],
        a_buffer,
    ),
    (
        "capacity-buffer-pod-injection-enabled",
        "true",
        &[("capacity-buffer-controller-enabled", "true"), AS_WRITTEN],
        a_buffer,
    ),
    ("bypassed-scheduler-names", "mine", &[], || {
        world(&[group("a", 4)], vec![with(pod("p", "1"), "/spec/schedulerName", json!("mine"))])
    }),
    ("allowed-scheduler-names", "mine", &[], one_pod),
    // What new nodes look like.
    ("enable-csi-node-aware-scheduling", "false", &[], || {
        let driver = json!([{"name": "d", "nodeID": "n", "allocatable": {"count": 1}}]);
        let mut objects = vec![
            node("n", "a", 4),
            on("n", "full", "4"),
            replica_set(5),
            json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n"}, "spec": {"drivers": driver}}),
            json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "s"},
                "provisioner": "d", "volumeBindingMode": "WaitForFirstConsumer",
            }),
        ];
        for name in ["p", "q"] {
            objects.push(json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {"name": name, "namespace": "default"},
                "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "s", "resources": {"requests": {"storage": "1Gi"}}},
            }));
            let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": name}}]);
            objects.push(with(pod(name, "1"), "/spec/volumes", volumes));
        }
        world(&[group("a", 4)], objects)
    }),
    ("force-ds", "false", &[], || {
        let mut objects =
            vec![node("n", "a", 4), daemon_set("1"), on("n", "full", "4"), replica_set(5)];
        objects.extend(pods(4, "1"));
        world(&[group("a", 4)], objects)
    }),
    // What comes up, and what does not.
    ("max-node-provision-time", "1m", &[], || {
        let machine = json!({"id": "m", "state": "creating", "created": "2026-01-01T11:55:00Z"});
        world(&[with(group("a", 4), "/instances", json!([machine]))], vec![pod("p", "1")])
    }),
    ("max-node-startup-time", "1m", &[], || {
        let created = json!("2026-01-01T11:55:00Z");
        let slow = with(unready(node("n", "a", 4)), "/metadata/creationTimestamp", created);
        world(&[group("a", 4)], vec![node("other", "", 1), slow, pod("p", "2")])
    }),
    (
        "force-delete-unregistered-nodes",
        "true",
        &[("enforce-node-group-min-size", "false")],
        || {
            let machine = json!({"id": "m", "state": "running", "created": "2026-01-01T10:00:00Z"});
            least_one(&machine)
        },
    ),
    ("force-delete-failed-nodes", "true", &[("enforce-node-group-min-size", "false")], || {
        least_one(&failed())
    }),
    ("initial-node-group-backoff-duration", "20m", &[], || {
        world(&[with(group("a", 4), "/instances", json!([failed()]))], vec![pod("p", "1")])
    }),
    ("max-node-group-backoff-duration", "6m", &[], || failed_again("2026-01-01T11:55:00Z")),
    ("node-group-backoff-reset-timeout", "1m", &[], || failed_again("2026-01-01T11:30:00Z")),
    ("startup-taint", "starting", &[], tainted),
    ("ignore-taint", "starting", &[], tainted),
    ("startup-taint-prefix", "start", &[], tainted),
    ("status-taint", "starting", &[], tainted),
    ("max-total-unready-percentage", "30", &[], || unready_nodes(6, 4)),
    ("ok-total-unready-count", "0", &[], || unready_nodes(1, 1)),
    // Bounds of the whole cluster.
    ("max-nodes-total", "3", &[], || world(&[group("a", 4)], pods(4, "4"))),
    ("cores-total", "0:9", &[], || world(&[group("a", 4)], pods(4, "4"))),
    ("memory-total", "0:40", &[], || world(&[group("a", 4)], pods(4, "4"))),
    ("gpu-total", "t4:0:1", &[], || world(&[gpu_group("a")], gpu_pods(3))),
    // What to give back.
    ("scale-down-enabled", "false", &[], empty),
    ("scale-down-unready-enabled", "false", &[], unready_for_an_hour),
    ("scale-down-delay-after-add", "2h", &[], || after("lastScaleUp", "2026-01-01T11:00:00Z")),
    ("scale-down-delay-after-delete", "2h", &[], || after("lastScaleDown", "2026-01-01T11:00:00Z")),
    ("scale-down-delay-after-failure", "2h", &[], || {
        after("lastScaleDownFailure", "2026-01-01T11:00:00Z")
    }),
    ("scale-down-delay-type-local", "true", &[], || after("lastScaleUp", "2026-01-01T11:59:00Z")),
    ("scale-down-unneeded-time", "2h", &[], empty),
    ("scale-down-unready-time", "2h", &[], unready_for_an_hour),
    ("unremovable-node-recheck-timeout", "5m", &[], || {
        let mut world = occupied(vec![on("n", "p", "1")]);
        world["memory"]["unremovableUntil"] = json!({"n": "2026-01-01T12:03:00Z"});
        world
    }),
    ("scale-down-utilization-threshold", "0.9", &[], || occupied(vec![on("n", "p", "3")])),
    ("scale-down-gpu-utilization-threshold", "0.9", &[], || {
        let node = |name: &str| gpu(node(name, "a", 8), "/status");
        let pod = with(
            on("n", "p", "1"),
            "/spec/containers/0/resources/requests/nvidia.com~1gpu",
            json!("3"),
        );
        let mut world =
            world(&[gpu_group("a")], vec![node("n"), node("other"), pod, replica_set(5)]);
        world["memory"] = json!({"unneededSince": {"n": "2026-01-01T11:00:00Z"}});
        world["groups"][0]["min"] = json!(1);
        world
    }),
    ("ignore-daemonsets-utilization", "true", &[], || {
        occupied(vec![daemon("n", "d", "3"), daemon_set("3")])
    }),
    ("ignore-mirror-pods-utilization", "true", &[], || {
        let annotations = json!({"kubernetes.io/config.mirror": "x"});
        let owner = json!([{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "n", "controller": true}]);
        let mirror = with(on("n", "m", "3"), "/metadata/annotations", annotations);
        occupied(vec![with(mirror, "/metadata/ownerReferences", owner)])
    }),
    ("scale-down-simulation-timeout", "1us", &[], two_empty),
    ("max-scale-down-parallelism", "1", &[], two_empty),
    ("max-empty-bulk-delete", "1", &[], two_empty),
    ("max-drain-parallelism", "2", &[], || {
        let objects = vec![
            node("n", "a", 4),
            node("m", "a", 4),
            node("other", "", 8),
            on("n", "p", "1"),
            on("m", "q", "1"),
            replica_set(5),
        ];
        let mut world = world(&[group("a", 4)], objects);
        let since = "2026-01-01T11:00:00Z";
        world["memory"] = json!({"unneededSince": {"n": since, "m": since}});
        world
    }),
    ("skip-nodes-with-system-pods", "false", &[], system_pod),
    ("blocking-system-pod-distruption-timeout", "5m", &[], system_pod),
    ("skip-nodes-with-local-storage", "false", &[], || {
        let volumes = json!([{"name": "v", "emptyDir": {}}]);
        occupied(vec![with(on("n", "p", "1"), "/spec/volumes", volumes)])
    }),
    ("skip-nodes-with-custom-controller-pods", "false", &[], || {
        let owner = json!([{"apiVersion": "x/v1", "kind": "Game", "name": "g", "uid": "g", "controller": true}]);
        occupied(vec![with(on("n", "p", "1"), "/metadata/ownerReferences", owner)])
    }),
    ("min-replica-count", "9", &[], || occupied(vec![on("n", "p", "1")])),
    ("daemonset-eviction-for-occupied-nodes", "false", &[], || {
        occupied(vec![on("n", "p", "1"), daemon("n", "d", "100m"), daemon_set("100m")])
    }),
    ("daemonset-eviction-for-empty-nodes", "true", &[], || {
        occupied(vec![daemon("n", "d", "100m"), daemon_set("100m")])
    }),
];
