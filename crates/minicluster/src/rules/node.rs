//! Nodes.

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{each, fill, object},
    keep_spec, keep_status,
};
use crate::kind::Rules;

/// What a node says about itself; all of it is shown, known or not.
const NODE_INFO: [&str; 10] = [
    "machineID",
    "systemUUID",
    "bootID",
    "kernelVersion",
    "osImage",
    "containerRuntimeVersion",
    "kubeletVersion",
    "kubeProxyVersion",
    "operatingSystem",
    "architecture",
];

/// What is done with nodes. The status may be set on creation, as kubelets do.
pub(crate) const RULES: Rules = Rules {
    defaults,
    prepare_update: keep_status,
    prepare_status: keep_spec,
    fields: &[("spec.unschedulable", unschedulable)],
    ..PLAIN
};

fn defaults(node: &mut Value) {
    if let Some(spec) = object(node, "spec")
        && spec.get("unschedulable") == Some(&Value::Bool(false))
    {
        super::at::remove(spec, "unschedulable");
    }
    let Some(status) = object(node, "status") else { return };
    if let Some(capacity) = status.get("capacity").cloned() {
        fill(status, "allocatable", capacity);
    }
    for condition in each(status, "conditions") {
        fill(condition, "lastHeartbeatTime", Value::Null);
        fill(condition, "lastTransitionTime", Value::Null);
    }
    if let Some(endpoints) = object(status, "daemonEndpoints") {
        fill(endpoints, "kubeletEndpoint", json!({ "Port": 0 }));
    }
    if let Some(info) = object(status, "nodeInfo") {
        for name in NODE_INFO {
            fill(info, name, "");
        }
    }
}

fn unschedulable(node: &Value) -> String {
    let closed = node.pointer("/spec/unschedulable") == Some(&Value::Bool(true));
    closed.to_string()
}
