//! What worlds are built of.

use serde_json::{Value, json};

pub(in crate::run::tests::plans) fn world(groups: &[Value], objects: Vec<Value>) -> Value {
    let objects = Value::Array(objects);
    json!({"now": "2026-01-01T12:00:00Z", "groups": groups, "objects": objects, "memory": {}})
}

/// `value` with something else at `pointer`, which may be new in its parent.
pub(in crate::run::tests::plans) fn with(mut value: Value, pointer: &str, new: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let key = key.replace("~1", "/");
    value.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(key, new);
    value
}

fn room(cpu: u32) -> Value {
    json!({"cpu": cpu, "memory": "16Gi", "pods": 110})
}

/// A group of up to nine machines that cost a tenth a core.
pub(in crate::run::tests::plans) fn group(id: &str, cpu: u32) -> Value {
    json!({
        "id": id, "min": 0, "max": 9, "price": f64::from(cpu) / 10.0,
        "template": {"metadata": {"labels": {}}, "status": {"capacity": room(cpu), "allocatable": room(cpu)}},
    })
}

pub(in crate::run::tests::plans) fn labelled(id: &str, key: &str, value: &str) -> Value {
    with(group(id, 4), "/template/metadata/labels", json!({key: value}))
}

/// Two groups that differ in what pods can have of a machine.
pub(super) fn less_allocatable() -> Value {
    let other = with(group("b", 4), "/template/status/allocatable/memory", json!("14Gi"));
    world(&[group("a", 4), other], pods(4, "4"))
}

pub(super) fn gpu(value: Value, status: &str) -> Value {
    let value = with(value, &format!("{status}/capacity/nvidia.com~1gpu"), json!(4));
    let value = with(value, &format!("{status}/allocatable/nvidia.com~1gpu"), json!(4));
    let labels = format!("{}/metadata/labels", status.trim_end_matches("/status"));
    let value = with(value, &format!("{labels}/accelerator"), json!("t4"));
    with(value, &format!("{labels}/cloud.google.com~1gke-accelerator"), json!("t4"))
}

pub(super) fn gpu_group(id: &str) -> Value {
    gpu(group(id, 8), "/template/status")
}

/// A node of a group; of none when its name is empty.
pub(in crate::run::tests::plans) fn node(name: &str, group: &str, cpu: u32) -> Value {
    let labels = match group {
        "" => json!({}),
        group => json!({"plimsoll.dev/node-group": group}),
    };
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {},
        "status": {"capacity": room(cpu), "allocatable": room(cpu)},
    })
}

pub(super) fn unready(node: Value) -> Value {
    with(node, "/status/conditions", json!([{"type": "Ready", "status": "False"}]))
}

pub(in crate::run::tests::plans) fn pod(name: &str, cpu: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]},
    })
}

pub(in crate::run::tests::plans) fn pods(count: u32, cpu: &str) -> Vec<Value> {
    (0..count).map(|number| pod(&format!("p{number}"), cpu)).collect()
}

pub(super) fn gpu_pods(count: u32) -> Vec<Value> {
    let ask = |pod| with(pod, "/spec/containers/0/resources/requests/nvidia.com~1gpu", json!("4"));
    pods(count, "1").into_iter().map(ask).collect()
}

/// Pods that each go only to a group of their own.
pub(super) fn of_two_groups() -> Value {
    let picky = |kind: &str| with(pod(kind, "1"), "/spec/nodeSelector", json!({"kind": kind}));
    let groups = [labelled("a", "kind", "x"), labelled("b", "kind", "y")];
    world(&groups, vec![picky("x"), picky("y")])
}

/// Pods for which the first idea of a packing is not the best.
pub(super) fn hard_to_pack() -> Value {
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
pub(in crate::run::tests::plans) fn on(node: &str, name: &str, cpu: &str) -> Value {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": true}]);
    let pod = with(pod(name, cpu), "/metadata/ownerReferences", owner);
    let pod = with(pod, "/spec/nodeName", json!(node));
    with(pod, "/status", json!({"phase": "Running"}))
}

pub(in crate::run::tests::plans) fn replica_set(replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": "rs", "namespace": "default", "uid": "rs"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "rs"}}},
    })
}

pub(super) fn daemon(node: &str, name: &str, cpu: &str) -> Value {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "ds", "uid": "ds", "controller": true}]);
    with(on(node, name, cpu), "/metadata/ownerReferences", owner)
}

pub(super) fn daemon_set(cpu: &str) -> Value {
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

pub(super) fn one_pod() -> Value {
    world(&[group("a", 4)], vec![pod("p", "1")])
}

pub(super) fn failed() -> Value {
    let error = json!({"class": "OutOfResources", "code": "STOCKOUT", "message": "no more"});
    json!({"id": "m", "state": "creating", "created": "2026-01-01T11:59:00Z", "error": error})
}

/// A machine of a group that is to have at least one.
pub(super) fn least_one(machine: &Value) -> Value {
    let group = with(group("a", 4), "/min", json!(1));
    world(&[with(group, "/instances", json!([machine]))], vec![node("other", "", 4)])
}

/// A group that fails again after it has rested until then.
pub(super) fn failed_again(until: &str) -> Value {
    let group = with(group("a", 4), "/instances", json!([failed()]));
    let mut world = world(&[group], vec![pod("p", "1")]);
    world["memory"] =
        json!({"backoff": [{"group": "a", "until": until, "step": "5m", "code": "STOCKOUT"}]});
    world
}

/// A node whose taint keeps a pod away.
pub(in crate::run::tests::plans) fn tainted() -> Value {
    let taints = json!([{"key": "starting", "effect": "NoSchedule"}]);
    let node = with(node("n", "a", 4), "/spec/taints", taints);
    world(&[group("a", 4)], vec![node, pod("p", "1")])
}

pub(super) fn unready_nodes(ready: u32, unready_ones: u32) -> Value {
    let good = (0..ready).map(|number| node(&format!("good-{number}"), "a", 4));
    let bad = (0..unready_ones).map(|number| unready(node(&format!("bad-{number}"), "a", 4)));
    let mut objects: Vec<Value> = good.chain(bad).collect();
    objects.push(pod("p", "4"));
    objects.push(pod("q", "4"));
    world(&[with(group("a", 4), "/max", json!(20))], objects)
}

/// A node that nobody has needed for an hour.
pub(super) fn empty() -> Value {
    let mut world = world(&[group("a", 4)], vec![node("n", "a", 4), node("other", "", 4)]);
    world["memory"] = json!({"unneededSince": {"n": "2026-01-01T11:00:00Z"}});
    world
}

pub(super) fn two_empty() -> Value {
    let mut world =
        world(&[group("a", 4)], vec![node("n", "a", 4), node("m", "a", 4), node("other", "", 4)]);
    let since = "2026-01-01T11:00:00Z";
    world["memory"] = json!({"unneededSince": {"n": since, "m": since}});
    world
}

/// A node that nobody has needed for an hour, and something that happened in the meantime.
pub(super) fn after(what: &str, when: &str) -> Value {
    let mut world = empty();
    world["memory"][what] = json!(when);
    world
}

pub(super) fn unready_for_an_hour() -> Value {
    let nodes = vec![unready(node("n", "a", 4)), node("other", "", 4)];
    let mut world = world(&[group("a", 4)], nodes);
    let since = json!({"n": "2026-01-01T11:00:00Z"});
    world["memory"] = json!({"unneededSince": since, "unreadySince": since});
    world
}

/// A node that nobody has needed for an hour, with these on it, and room elsewhere.
pub(super) fn occupied(more: Vec<Value>) -> Value {
    let mut objects = vec![node("n", "a", 4), node("other", "", 8), replica_set(5)];
    objects.extend(more);
    let mut world = world(&[group("a", 4)], objects);
    world["memory"] = json!({"unneededSince": {"n": "2026-01-01T11:00:00Z"}});
    world
}

/// A young pod of the system that no budget protects.
pub(super) fn system_pod() -> Value {
    let pod = with(on("n", "p", "1"), "/metadata/namespace", json!("kube-system"));
    let pod = with(pod, "/metadata/creationTimestamp", json!("2026-01-01T11:45:00Z"));
    let owner = with(replica_set(5), "/metadata/namespace", json!("kube-system"));
    occupied(vec![pod, owner])
}

/// Nobody but a buffer of one pod.
pub(super) fn a_buffer() -> Value {
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
pub(super) fn few_of_many() -> Value {
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
