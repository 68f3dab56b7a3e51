//! The World of a pass for `/snapshotz`, with the keys that upstream uses: nodes with their pods, templates, and pods that wait and
//! have a place.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_model::{Labels, Node, Pod, Resources, Symbol, show_amount};
use plimsoll_plan::Outcome;
use serde_json::{Value, json};

use crate::engine::Pass;

pub(super) fn snapshot(pass: &Pass, begun: Timestamp, ended: Timestamp) -> Value {
    let Some(world) = &pass.world else {
        return json!({ "Error": "the pass does not show everything" });
    };
    let mut pods: BTreeMap<Symbol, Vec<Value>> = BTreeMap::new();
    for running in &world.pods {
        if let Some(node) = running.node {
            pods.entry(node).or_default().push(pod(running));
        }
    }
    let nodes = world.nodes.iter().map(|seen| {
        let pods = pods.remove(&seen.name).unwrap_or_default();
        json!({ "Node": node(seen), "Pods": pods })
    });
    let nodes: Vec<Value> = nodes.collect();
    let templates = world.groups.iter().filter_map(|group| {
        let template = group.template.as_ref()?;
        Some((group.id.to_string(), json!({ "Node": node(template), "Pods": [] })))
    });
    let fits = |name: &Pod| {
        let name = name.id();
        let report = pass.plan.pods.binary_search_by(|report| report.pod.cmp(&name)).ok();
        let report = report.and_then(|place| pass.plan.pods.get(place));
        report.is_some_and(|report| report.outcome == Outcome::FitsExisting)
    };
    let (placed, waiting): (Vec<&Pod>, Vec<&Pod>) =
        pass.seen.pending.iter().partition(|pending| fits(pending));
    json!({
        "StartTimestamp": begun,
        "EndTimestamp": ended,
        "NodeList": nodes,
        "TemplateNodes": templates.collect::<serde_json::Map<_, _>>(),
        "UnscheduledPodsCanBeScheduled": placed.into_iter().map(pod).collect::<Vec<_>>(),
        "UnscheduledPods": waiting.into_iter().map(pod).collect::<Vec<_>>(),
    })
}

fn node(node: &Node) -> Value {
    let taints = node.taints.iter().map(|taint| {
        json!({ "key": taint.key.as_str(), "value": taint.value.as_str(), "effect": taint.effect.as_str() })
    });
    json!({
        "metadata": {
            "name": node.name.as_str(),
            "labels": labels(&node.labels),
            "creationTimestamp": node.created,
        },
        "spec": {
            "providerID": node.provider_id,
            "unschedulable": node.unschedulable,
            "taints": taints.collect::<Vec<_>>(),
        },
        "status": {
            "allocatable": amounts(&node.allocatable),
            "capacity": amounts(&node.capacity),
            "conditions": [{
                "type": "Ready",
                "status": if node.conditions.ready { "True" } else { "False" },
            }],
        },
    })
}

fn pod(pod: &Pod) -> Value {
    json!({
        "metadata": {
            "namespace": pod.shape.namespace.as_str(),
            "name": pod.name,
            "labels": labels(&pod.shape.labels),
            "creationTimestamp": pod.created,
        },
        "spec": {
            "nodeName": pod.node.map(Symbol::as_str),
            "priority": pod.priority,
            "schedulerName": pod.scheduler.as_str(),
            "resources": { "requests": amounts(&pod.shape.requests) },
        },
        "status": { "phase": format!("{:?}", pod.phase) },
    })
}

fn labels(labels: &Labels) -> Value {
    let pairs = labels.iter().map(|(key, value)| (key.to_string(), Value::from(value.as_str())));
    Value::Object(pairs.collect())
}

fn amounts(amounts: &Resources) -> Value {
    let pairs = amounts
        .iter()
        .map(|(name, amount)| (name.to_string(), Value::from(show_amount(name, amount))));
    Value::Object(pairs.collect())
}
