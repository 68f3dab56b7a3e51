//! What a Pod gets beyond what every pod template gets.

use serde_json::{Map, Value, json};

use super::whole;
use crate::rules::{
    at::{At, each, fill, object, set},
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
        whole::defaults(spec);
        fill(spec, "enableServiceLinks", true);
        pod_template::host_ports(spec);
    }
    if let Some(status) = pod.get_mut("status") {
        same_addresses(status, "podIP", "podIPs");
        same_addresses(status, "hostIP", "hostIPs");
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

/// The one address is the first of all; who gives one gets both.
fn same_addresses(status: &mut Value, one: &str, all: &str) {
    let at = At::root(status);
    let (first, list) = (at.field(one), at.field(all));
    if list.is_empty() && !first.is_empty() {
        let list = json!([{ "ip": first.value }]);
        set(status, all, list);
    } else if let Some(first) = list.value.pointer("/0/ip").cloned() {
        set(status, one, first);
    }
}
