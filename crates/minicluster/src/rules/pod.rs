//! Pods.

pub(crate) mod admission;
mod containers;
mod defaults;
pub(crate) mod placement;
mod qos;
pub(crate) mod resources;
pub(crate) mod spec;
mod update;
mod volumes;
mod whole;

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{At, keep, object, set},
    text_at,
};
use crate::{FieldError, kind::Rules};

/// Where a pod is in its life when it is new.
const PENDING: &str = "Pending";

/// What is done with pods.
pub(crate) const RULES: Rules = Rules {
    defaults: defaults::defaults,
    prepare_create,
    prepare_update,
    prepare_status,
    validate,
    validate_update: update::check,
    validate_status: update::check_status,
    fields: &[
        ("spec.nodeName", |pod| text_at(pod, "/spec/nodeName")),
        ("spec.restartPolicy", |pod| text_at(pod, "/spec/restartPolicy")),
        ("spec.schedulerName", |pod| text_at(pod, "/spec/schedulerName")),
        ("spec.serviceAccountName", |pod| text_at(pod, "/spec/serviceAccountName")),
        ("spec.hostNetwork", host_network),
        ("status.phase", |pod| text_at(pod, "/status/phase")),
        ("status.podIP", |pod| text_at(pod, "/status/podIPs/0/ip")),
        ("status.nominatedNodeName", |pod| text_at(pod, "/status/nominatedNodeName")),
    ],
    generation: true,
    graceful: true,
    ..PLAIN
};

fn prepare_create(pod: &mut Value) {
    let class = qos::class(pod);
    let mut status = json!({ "phase": PENDING, "qosClass": class });
    if !At::root(pod).at(&["spec", "schedulingGates"]).is_empty() {
        let condition = json!({
            "type": "PodScheduled",
            "status": "False",
            "lastTransitionTime": pod.pointer("/metadata/creationTimestamp"),
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
        });
        set(&mut status, "conditions", json!([condition]));
    }
    set(pod, "status", status);
}

fn prepare_update(new: &mut Value, old: &Value) {
    keep(new, old, "status");
}

/// A status write may change metadata too, but not who owns the pod.
fn prepare_status(new: &mut Value, old: &Value) {
    keep(new, old, "spec");
    if let (Some(metadata), Some(before)) = (object(new, "metadata"), old.get("metadata")) {
        keep(metadata, before, "ownerReferences");
    }
}

fn validate(pod: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    spec::check(&At::root(pod).field("spec"), &mut errors);
    errors
}

fn host_network(pod: &Value) -> String {
    let used = pod.pointer("/spec/hostNetwork") == Some(&Value::Bool(true));
    used.to_string()
}
