//! Nodes: taints follow their conditions, and a node that is no longer heard of is unreachable.

use std::{collections::BTreeMap, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{
    Reconcile, View,
    action::{Action, Part},
    index::{Change, Ref},
    recorder::Note,
    workload::pod_ref,
};
use crate::{
    object::Key,
    read::{is_true, items, make, put_condition, text, time},
    store::Resource,
};

const SOURCE: &str = "node-controller";
/// Where the heartbeats of kubelets are.
const LEASES: &str = "kube-node-lease";
/// How long a node may be silent.
const GRACE: SignedDuration = SignedDuration::from_secs(50);
const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";
const TTL: &str = "node.alpha.kubernetes.io/ttl";
/// The taint that a condition of a status means.
const TAINTS: [(&str, &str, &str); 6] = [
    ("Ready", "False", NOT_READY),
    ("Ready", "Unknown", UNREACHABLE),
    ("MemoryPressure", "True", "node.kubernetes.io/memory-pressure"),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure"),
    ("NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure"),
];
/// Labels that have an old name as well.
const OLD_LABELS: [(&str, &str); 2] = [
    ("kubernetes.io/os", "beta.kubernetes.io/os"),
    ("kubernetes.io/arch", "beta.kubernetes.io/arch"),
];
/// What a kubelet reports.
const REPORTED: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/// The controller.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// When each kubelet was last heard of. Nodes without heartbeats are not in it: nobody expects any.
    heard: FxHashMap<Arc<str>, Timestamp>,
    /// Nodes that have been greeted, with their uid.
    greeted: BTreeMap<Arc<str>, Box<str>>,
}

/// Whether pods may be driven off nodes that are not ready. When nearly all of them are not, the fault is more likely here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outlook {
    Local,
    Everywhere,
}

// === impl Nodes ===

impl Reconcile for Nodes {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        let name = &change.target.key.name;
        if change.is("coordination.k8s.io", "leases") && *change.target.key.namespace == *LEASES {
            if change.gone {
                self.heard.remove(name);
            } else {
                let first = self.heard.insert(Arc::clone(name), view.now).is_none();
                if first && view.index.node(name).is_some() {
                    look(node_ref(name));
                }
            }
            return;
        }
        if !change.is("", "nodes") {
            return;
        }
        let ready =
            |node: &Option<Arc<super::facts::Node>>| node.as_ref().map(|node| node.ready.clone());
        if change.gone {
            self.greeted.remove(name);
        } else {
            look(change.target.clone());
        }
        // Whether others are well decides what happens to those that are not.
        if ready(&change.node_before) != ready(&change.node) {
            let unwell =
                view.index.nodes().filter(|node| matches!(&*node.ready, "False" | "Unknown"));
            unwell.for_each(|node| look(node_ref(node.name())));
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let Some(seen) = view.get(&target.resource, &target.key) else { return Vec::new() };
        let name = &target.key.name;
        let mut actions = Vec::new();
        if self.greeted.get(name) != Some(&seen.object.uid) {
            self.greeted.insert(Arc::clone(name), seen.object.uid.clone());
            let message = format!("Node {name} event: Registered Node {name} in Controller");
            actions.push(Action::Say(Note::new(SOURCE, &seen.value, "RegisteredNode", message)));
        }
        if let Some(heard) = self.heard.get(name) {
            let silent = heard.checked_add(GRACE).unwrap_or(Timestamp::MAX);
            if silent > view.now {
                actions.push(Action::Again(silent));
            } else if let Some(lost) = lose(&seen.value, target, seen.object.revision, view.now) {
                actions.push(lost);
                let message = format!("Node {name} status is now: NodeNotReady");
                actions.push(Action::Say(Note::new(SOURCE, &seen.value, "NodeNotReady", message)));
                actions.extend(
                    view.index
                        .on_node(name)
                        .filter(|pod| pod.is_ready())
                        .map(|pod| unready(pod_ref(pod), &pod.object.value(), view.now)),
                );
                return actions;
            }
        }
        actions.extend(tidy(&seen.value, target, outlook(view), view.now));
        actions
    }
}

fn node_ref(name: &str) -> Ref {
    Ref { resource: Resource::new("", "nodes"), key: Key::new("", name) }
}

fn outlook(view: &View<'_>) -> Outlook {
    let (mut well, mut unwell) = (0_usize, 0_usize);
    for node in view.index.nodes() {
        match &*node.ready {
            "False" | "Unknown" => unwell += 1,
            _ => well += 1,
        }
    }
    // More than half of a small cluster, or all of any.
    let many = unwell > 2 && unwell * 100 >= (well + unwell) * 55 && well + unwell <= 50;
    if well == 0 || many { Outlook::Everywhere } else { Outlook::Local }
}

/// Taints, old labels and annotations as they should be.
fn tidy(node: &Value, target: &Ref, outlook: Outlook, now: Timestamp) -> Option<Action> {
    let mut patch = json!({});
    let taints = taints(node, outlook, now);
    let before: Vec<&Value> = items(node, "/spec/taints").collect();
    if taints.iter().ne(before) {
        let taints = if taints.is_empty() { Value::Null } else { Value::Array(taints) };
        patch["spec"] = json!({ "taints": taints });
    }
    let label = |name: &str| node.pointer("/metadata/labels").and_then(|labels| labels.get(name));
    for (new, old) in OLD_LABELS {
        if let Some(value) = label(new).filter(|value| label(old) != Some(value)) {
            patch["metadata"]["labels"][old] = value.clone();
        }
    }
    let annotations = node.pointer("/metadata/annotations");
    if annotations.and_then(|annotations| annotations.get(TTL)).is_none() {
        patch["metadata"]["annotations"][TTL] = json!("0");
    }
    let changes = patch.as_object().is_some_and(|patch| !patch.is_empty());
    changes.then(|| Action::Change {
        target: target.clone(),
        part: Part::Object,
        patch,
        note: None,
    })
}

/// The taints of a node: those that others gave it, and those that its conditions mean.
fn taints(node: &Value, outlook: Outlook, now: Timestamp) -> Vec<Value> {
    let status_of = |kind: &str| {
        let conditions = items(node, "/status/conditions");
        conditions
            .filter(|condition| text(condition, "/type") == kind)
            .map(|condition| text(condition, "/status"))
            .next()
    };
    let means = TAINTS.iter().filter(|(kind, status, _)| status_of(kind) == Some(status));
    let mut wanted: Vec<(&str, &str)> = means.map(|(_, _, key)| (*key, "NoSchedule")).collect();
    if is_true(node, "/spec/unschedulable") {
        wanted.push((UNSCHEDULABLE, "NoSchedule"));
    }
    if outlook == Outlook::Local {
        match status_of("Ready") {
            Some("False") => wanted.push((NOT_READY, "NoExecute")),
            Some("Unknown") => wanted.push((UNREACHABLE, "NoExecute")),
            _ => {}
        }
    }
    let ours = |taint: &Value| match text(taint, "/effect") {
        "NoSchedule" => {
            let key = text(taint, "/key");
            key == UNSCHEDULABLE || TAINTS.iter().any(|(_, _, ours)| *ours == key)
        }
        "NoExecute" => matches!(text(taint, "/key"), NOT_READY | UNREACHABLE),
        _ => false,
    };
    let is = |taint: &Value, wanted: &(&str, &str)| {
        (text(taint, "/key"), text(taint, "/effect")) == *wanted
    };
    let mut taints: Vec<Value> = items(node, "/spec/taints")
        .filter(|taint| !ours(taint) || wanted.iter().any(|wanted| is(taint, wanted)))
        .cloned()
        .collect();
    for (key, effect) in wanted {
        if !taints.iter().any(|taint| is(taint, &(key, effect))) {
            taints.push(json!({ "key": key, "effect": effect, "timeAdded": time(now) }));
        }
    }
    taints
}

/// What is said of a node whose kubelet is no longer heard of; nothing if it was said before.
fn lose(node: &Value, target: &Ref, seen: u64, now: Timestamp) -> Option<Action> {
    let mut conditions: Vec<Value> = items(node, "/status/conditions").cloned().collect();
    let before = conditions.clone();
    for kind in REPORTED {
        let old = before.iter().find(|condition| text(condition, "/type") == kind);
        if old.is_some_and(|old| text(old, "/status") == "Unknown") {
            continue;
        }
        let (heartbeat, reason, message) = match old {
            Some(old) => (
                old["lastHeartbeatTime"].clone(),
                "NodeStatusUnknown",
                "Kubelet stopped posting node status.",
            ),
            None => (
                node["metadata"]["creationTimestamp"].clone(),
                "NodeStatusNeverUpdated",
                "Kubelet never posted node status.",
            ),
        };
        let condition = json!({
            "type": kind,
            "status": "Unknown",
            "lastHeartbeatTime": heartbeat,
            "lastTransitionTime": time(now),
            "reason": reason,
            "message": message,
        });
        put_condition(&mut conditions, condition);
    }
    if conditions == before {
        return None;
    }
    let mut status = node.get("status").cloned().unwrap_or_else(|| json!({}));
    status["conditions"] = Value::Array(conditions);
    Some(Action::Status { target: target.clone(), seen, status, annotations: Vec::new() })
}

/// Says of a pod that it is not ready because its node is lost.
fn unready(target: Ref, pod: &Value, now: Timestamp) -> Action {
    let mut conditions: Vec<Value> = items(pod, "/status/conditions").cloned().collect();
    for condition in &mut conditions {
        if text(condition, "/type") == "Ready" {
            condition["status"] = json!("False");
            condition["lastTransitionTime"] = json!(time(now));
        }
    }
    let mut patch = json!({});
    make(&mut patch, &["status"]).insert("conditions".to_owned(), Value::Array(conditions));
    let message = "Node is not ready".to_owned();
    let note = Note::new(SOURCE, pod, "NodeNotReady", message).warning();
    Action::Change { target, part: Part::Status, patch, note: Some(note) }
}

#[cfg(test)]
mod tests;
