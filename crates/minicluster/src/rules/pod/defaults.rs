//! What a Pod gets beyond what every pod template gets.

use serde_json::{Map, Value};

use crate::rules::{
    at::{each, fill, object},
    pod_template,
};

/// Fills in a Pod.
pub(super) fn defaults(pod: &mut Value) {
    if let Some(spec) = object(pod, "spec") {
        pod_template::spec_defaults(spec);
        for kind in pod_template::CONTAINERS {
            for container in each(spec, kind) {
                requests_from_limits(container);
            }
        }
        fill(spec, "enableServiceLinks", true);
        pod_template::host_ports(spec);
    }
    if let Some(status) = pod.get_mut("status") {
        for condition in each(status, "conditions") {
            // A time that was never is shown as such.
            fill(condition, "lastProbeTime", Value::Null);
            fill(condition, "lastTransitionTime", Value::Null);
        }
    }
}

/// A limit without a request is a request of as much.
fn requests_from_limits(container: &mut Value) {
    let Some(resources) = container.get_mut("resources") else { return };
    let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned() else { return };
    if limits.is_empty() {
        return;
    }
    fill(resources, "requests", Map::new());
    if let Some(requests) = resources.get_mut("requests").and_then(Value::as_object_mut) {
        for (name, amount) in limits {
            requests.entry(name).or_insert(amount);
        }
    }
}
