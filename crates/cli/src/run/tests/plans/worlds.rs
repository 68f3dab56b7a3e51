//! table: for each flag, a value and a world in which it matters.

use serde_json::{Value, json};

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

pub(super) fn world(groups: &[Value], objects: Vec<Value>) -> Value {
    let objects = Value::Array(objects);
    json!({"now": "2026-01-01T12:00:00Z", "groups": groups, "objects": objects, "memory": {}})
}

/// `value` with something else at `pointer`, which may be new in its parent.
pub(super) fn with(mut value: Value, pointer: &str, new: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let key = key.replace("~1", "/");
    value.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(key, new);
    value
}

fn room(cpu: u32) -> Value {
    json!({"cpu": cpu, "memory": "16Gi", "pods": 110})
}

/// A group of up to nine machines that cost a tenth a core.
pub(super) fn group(id: &str, cpu: u32) -> Value {
    json!({
        "id": id, "min": 0, "max": 9, "price": f64::from(cpu) / 10.0,
        "template": {"metadata": {"labels": {}}, "status": {"capacity": room(cpu), "allocatable": room(cpu)}},
    })
}

pub(super) fn labelled(id: &str, key: &str, value: &str) -> Value {
    with(group(id, 4), "/template/metadata/labels", json!({key: value}))
}

/// Two groups that differ in what pods can have of a machine.
fn less_allocatable() -> Value {
    let other = with(group("b", 4), "/template/status/allocatable/memory", json!("14Gi"));
    world(&[group("a", 4), other], pods(4, "4"))
}

fn gpu(value: Value, status: &str) -> Value {
    let value = with(value, &format!("{status}/capacity/nvidia.com~1gpu"), json!(4));
    let value = with(value, &format!("{status}/allocatable/nvidia.com~1gpu"), json!(4));
    let labels = format!("{}/metadata/labels", status.trim_end_matches("/status"));
    let value = with(value, &format!("{labels}/accelerator"), json!("t4"));
    with(value, &format!("{labels}/cloud.google.com~1gke-accelerator"), json!("t4"))
}

fn gpu_group(id: &str) -> Value {
    gpu(group(id, 8), "/template/status")
}

/// A node of a group; of none when its name is empty.
pub(super) fn node(name: &str, group: &str, cpu: u32) -> Value {
    let labels = match group {
        "" => json!({}),
        group => json!({"plimsoll.dev/node-group": group}),
    };
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {},
        "status": {"capacity": room(cpu), "allocatable": room(cpu)},
    })
}

fn unready(node: Value) -> Value {
    with(node, "/status/conditions", json!([{"type": "Ready", "status": "False"}]))
}

pub(super) fn pod(name: &str, cpu: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]},
    })
}

pub(super) fn pods(count: u32, cpu: &str) -> Vec<Value> {
    (0..count).map(|number| pod(&format!("p{number}"), cpu)).collect()
}

fn gpu_pods(count: u32) -> Vec<Value> {
    let ask = |pod| with(pod, "/spec/containers/0/resources/requests/nvidia.com~1gpu", json!("4"));
    pods(count, "1").into_iter().map(ask).collect()
}

/// Pods that each go only to a group of their own.
fn of_two_groups() -> Value {
    let picky = |kind: &str| with(pod(kind, "1"), "/spec/nodeSelector", json!({"kind": kind}));
    let groups = [labelled("a", "kind", "x"), labelled("b", "kind", "y")];
    world(&groups, vec![picky("x"), picky("y")])
}

/// Pods for which the first idea of a packing is not the best.
fn hard_to_pack() -> Value {
    let sized = |id: &str, cpu: u32, price: f64| {
        let room = json!({"cpu": cpu, "memory": format!("{}Gi", 2 * cpu), "pods": 110});
        let status = json!({"capacity": room, "allocatable": room});
        with(with(group(id, cpu), "/template/status", status), "/price", json!(price))
    };
    let kinds = [(6, "1500m", "3Gi"), (1, "2500m", "1Gi"), (5, "1", "7Gi")];
    let objects = kinds.iter().flat_map(|(count, cpu, memory)| {
        (0..*count).map(move |number| {
            let pod = pod(&format!("{cpu}-{number}"), cpu);
            with(pod, "/spec/containers/0/resources/requests/memory", json!(memory))
        })
    });
    world(&[sized("a", 4, 0.2), sized("b", 8, 0.39)], objects.collect())
}

/// A pod of a ReplicaSet, on a node.
pub(super) fn on(node: &str, name: &str, cpu: &str) -> Value {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": true}]);
    let pod = with(pod(name, cpu), "/metadata/ownerReferences", owner);
    let pod = with(pod, "/spec/nodeName", json!(node));
    with(pod, "/status", json!({"phase": "Running"}))
}

pub(super) fn replica_set(replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": "rs", "namespace": "default", "uid": "rs"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "rs"}}},
    })
}

fn daemon(node: &str, name: &str, cpu: &str) -> Value {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "ds", "uid": "ds", "controller": true}]);
    with(on(node, name, cpu), "/metadata/ownerReferences", owner)
}

fn daemon_set(cpu: &str) -> Value {
    let container = json!({"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}});
    json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"name": "ds", "namespace": "default", "uid": "ds"},
        "spec": {
            "selector": {"matchLabels": {"app": "ds"}},
            "template": {"metadata": {"labels": {"app": "ds"}}, "spec": {"containers": [container]}},
        },
    })
}

fn one_pod() -> Value {
    world(&[group("a", 4)], vec![pod("p", "1")])
}

fn failed() -> Value {
    let error = json!({"class": "OutOfResources", "code": "STOCKOUT", "message": "no more"});
    json!({"id": "m", "state": "creating", "created": "2026-01-01T11:59:00Z", "error": error})
}

/// A machine of a group that is to have at least one.
fn least_one(machine: &Value) -> Value {
    let group = with(group("a", 4), "/min", json!(1));
    world(&[with(group, "/instances", json!([machine]))], vec![node("other", "", 4)])
}

/// A group that fails again after it has rested until then.
fn failed_again(until: &str) -> Value {
    let group = with(group("a", 4), "/instances", json!([failed()]));
    let mut world = world(&[group], vec![pod("p", "1")]);
    world["memory"] =
        json!({"backoff": [{"group": "a", "until": until, "step": "5m", "code": "STOCKOUT"}]});
    world
}

/// A node whose taint keeps a pod away.
pub(super) fn tainted() -> Value {
    let taints = json!([{"key": "starting", "effect": "NoSchedule"}]);
    let node = with(node("n", "a", 4), "/spec/taints", taints);
    world(&[group("a", 4)], vec![node, pod("p", "1")])
}

fn unready_nodes(ready: u32, unready_ones: u32) -> Value {
    let good = (0..ready).map(|number| node(&format!("good-{number}"), "a", 4));
    let bad = (0..unready_ones).map(|number| unready(node(&format!("bad-{number}"), "a", 4)));
    let mut objects: Vec<Value> = good.chain(bad).collect();
    objects.push(pod("p", "4"));
    objects.push(pod("q", "4"));
    world(&[with(group("a", 4), "/max", json!(20))], objects)
}

/// A node that nobody has needed for an hour.
fn empty() -> Value {
    let mut world = world(&[group("a", 4)], vec![node("n", "a", 4), node("other", "", 4)]);
    world["memory"] = json!({"unneededSince": {"n": "2026-01-01T11:00:00Z"}});
    world
}

fn two_empty() -> Value {
    let mut world =
        world(&[group("a", 4)], vec![node("n", "a", 4), node("m", "a", 4), node("other", "", 4)]);
    let since = "2026-01-01T11:00:00Z";
    world["memory"] = json!({"unneededSince": {"n": since, "m": since}});
    world
}

/// A node that nobody has needed for an hour, and something that happened in the meantime.
fn after(what: &str, when: &str) -> Value {
    let mut world = empty();
    world["memory"][what] = json!(when);
    world
}

fn unready_for_an_hour() -> Value {
    let nodes = vec![unready(node("n", "a", 4)), node("other", "", 4)];
    let mut world = world(&[group("a", 4)], nodes);
    let since = json!({"n": "2026-01-01T11:00:00Z"});
    world["memory"] = json!({"unneededSince": since, "unreadySince": since});
    world
}

/// A node that nobody has needed for an hour, with these on it, and room elsewhere.
fn occupied(more: Vec<Value>) -> Value {
    let mut objects = vec![node("n", "a", 4), node("other", "", 8), replica_set(5)];
    objects.extend(more);
    let mut world = world(&[group("a", 4)], objects);
    world["memory"] = json!({"unneededSince": {"n": "2026-01-01T11:00:00Z"}});
    world
}

/// A young pod of the system that no budget protects.
fn system_pod() -> Value {
    let pod = with(on("n", "p", "1"), "/metadata/namespace", json!("kube-system"));
    let pod = with(pod, "/metadata/creationTimestamp", json!("2026-01-01T11:45:00Z"));
    let owner = with(replica_set(5), "/metadata/namespace", json!("kube-system"));
    occupied(vec![pod, owner])
}

/// Nobody but a buffer of one pod.
fn a_buffer() -> Value {
    let spec = pod("p", "1")["spec"].clone();
    let template = json!({
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"name": "unit"},
        "template": {"spec": spec},
    });
    let buffer = json!({
        "apiVersion": "autoscaling.x-k8s.io/v1beta1",
        "kind": "CapacityBuffer",
        "metadata": {"name": "spare"},
        "spec": {"podTemplateRef": {"name": "unit"}, "replicas": 1},
    });
    world(&[group("a", 4)], vec![template, buffer])
}

/// One pod of a controller that wants six of a node each.
fn few_of_many() -> Value {
    let set = json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web", "uid": "u"},
        "spec": {"replicas": 6},
    });
    let owner = json!([{"kind": "ReplicaSet", "name": "web", "uid": "u", "controller": true}]);
    let one = with(pod("p", "4"), "/metadata/ownerReferences", owner);
    world(&[group("a", 4)], vec![set, one])
}
