//! Tests of facts, and pods for the tests of others.

use serde_json::{Value, json};

use super::*;
use crate::object::{Key, Labels, encode};

/// An object as the store would keep it.
pub(crate) fn object(value: &Value) -> Arc<Object> {
    let text = |pointer| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    Arc::new(Object {
        key: Key::new(text("/metadata/namespace"), text("/metadata/name")),
        uid: text("/metadata/uid").into(),
        revision: 1,
        labels: Labels::of(value),
        fields: Box::default(),
        json: encode(value),
    })
}

/// A pod of `web` with the parts that a test cares for.
pub(crate) fn pod(name: &str, parts: &Value) -> Arc<Pod> {
    let mut value = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": name,
            "labels": { "app": "web" },
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "status": { "phase": "Pending" },
    });
    json_patch::merge(&mut value, parts);
    Arc::new(Pod::of(&object(&value)).unwrap())
}

/// A node with these labels and taints.
pub(crate) fn node(name: &str, labels: &Value, taints: &Value) -> Arc<Node> {
    Arc::new(Node::of(&object(&json!({
        "metadata": { "name": name, "labels": labels },
        "spec": { "taints": taints },
    }))))
}

#[test]
fn a_pod_is_read_without_building_a_tree() {
    let reference = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": true,
    });
    let term =
        json!({ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": ["n"] }] });
    let required = json!({ "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": [term] } });
    let pod = pod(
        "web-1",
        &json!({
            "metadata": { "ownerReferences": [reference], "finalizers": ["f"], "deletionTimestamp": null },
            "spec": { "affinity": { "nodeAffinity": required }, "containers": [{ "name": "c" }] },
            "status": {
                "phase": "Running",
                "conditions": [
                    { "type": "PodScheduled", "status": "True", "lastTransitionTime": null },
                    { "type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:10Z" },
                ],
                "containerStatuses": [{ "name": "c", "restartCount": 3 }],
            },
        }),
    );
    assert!(pod.belongs_to("u") && pod.is_ready() && pod.is_active());
    assert_eq!((&*pod.made_for, &*pod.node, pod.restarts), ("n", "", 3));
    assert!(pod.meta.is_held_by("f") && !pod.meta.is_held_by("g"));
    assert!(!pod.is_available(5, "2026-01-01T00:00:14Z".parse().unwrap()));
    assert!(pod.is_available(5, "2026-01-01T00:00:15Z".parse().unwrap()));
}
