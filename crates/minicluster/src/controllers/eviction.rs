//! Pods leave nodes whose `NoExecute` taints they do not tolerate, at once or when their patience ends.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{
    Reconcile, View,
    action::{Action, Part},
    facts::{Pod, Taint},
    index::{Change, Ref},
    placement::tolerates,
    recorder::Note,
    workload::pod_ref,
};
use crate::{
    object::Key,
    read::{items, put_condition, text, time},
    store::Resource,
};

const SOURCE: &str = "taint-eviction-controller";

/// The controller.
#[derive(Debug, Default)]
pub(super) struct Evictions {
    /// When taints were first seen that do not say since when they are there: by node, key and value.
    first_seen: FxHashMap<Mark, Timestamp>,
}

/// A taint on a node: the node, the key and the value.
type Mark = (Arc<str>, Box<str>, Box<str>);

// === impl Evictions ===

impl Reconcile for Evictions {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        if let Some(node) = &change.node {
            let before = change.node_before.as_ref().map_or(&[][..], |before| &before.taints);
            if driving(before).ne(driving(&node.taints)) {
                look(change.target.clone());
            }
        } else if let Some(pod) = &change.pod
            && let Some(node) = view.index.node(&pod.node)
            && driving(&node.taints).next().is_some()
        {
            look(Ref { resource: Resource::new("", "nodes"), key: Key::new("", node.name()) });
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let name = &target.key.name;
        let node = view.index.node(name);
        let taints: Vec<Taint> =
            node.iter().flat_map(|node| driving(&node.taints)).cloned().collect();
        self.first_seen.retain(|(node, key, value), _| {
            node != name || taints.iter().any(|taint| taint.key == *key && taint.value == *value)
        });
        if taints.is_empty() {
            return Vec::new();
        }
        let mut dated: Vec<(Taint, Timestamp)> = Vec::new();
        for taint in taints {
            let key = (Arc::clone(name), taint.key.clone(), taint.value.clone());
            let since =
                taint.time_added.unwrap_or_else(|| *self.first_seen.entry(key).or_insert(view.now));
            dated.push((taint, since));
        }
        let pods = view.index.on_node(name).filter(|pod| pod.is_active());
        pods.flat_map(|pod| plan(pod, &dated, view.now)).collect()
    }
}

/// The taints that drive pods off.
fn driving(taints: &[Taint]) -> impl Iterator<Item = &Taint> {
    taints.iter().filter(|taint| &*taint.effect == "NoExecute")
}

/// What happens to a pod on a node with these taints.
fn plan(pod: &Pod, taints: &[(Taint, Timestamp)], now: Timestamp) -> Vec<Action> {
    let value = pod.object.value();
    match leaves(&value, taints) {
        None => Vec::new(),
        Some(moment) if moment > now => vec![Action::Again(moment)],
        Some(_) => {
            let message = format!(
                "Marking for deletion Pod {}/{}",
                pod.object.key.namespace, pod.object.key.name
            );
            let note = Note::new(SOURCE, &value, "TaintManagerEviction", message);
            let reason = "DeletionByTaintManager";
            let why = "Taint manager: deleting due to NoExecute taint";
            vec![
                Action::Change {
                    target: pod_ref(pod),
                    part: Part::Status,
                    patch: disrupted(&value, reason, why, now),
                    note: Some(note),
                },
                Action::delete(pod_ref(pod), &pod.object.uid),
            ]
        }
    }
}

/// When a pod must leave; never if it tolerates everything for good.
fn leaves(pod: &Value, taints: &[(Taint, Timestamp)]) -> Option<Timestamp> {
    let mut first: Option<Timestamp> = None;
    for (taint, since) in taints {
        let patience = items(pod, "/spec/tolerations").filter(|one| tolerates(one, taint));
        let mut patience =
            patience.map(|one| one.get("tolerationSeconds").and_then(Value::as_i64)).peekable();
        if patience.peek().is_none() {
            return Some(Timestamp::MIN);
        }
        // The shortest that is said counts; those that say nothing last for ever.
        if let Some(shortest) = patience.flatten().min() {
            let seconds = SignedDuration::from_secs(shortest.max(0));
            let moment = since.checked_add(seconds).unwrap_or(Timestamp::MAX);
            first = Some(first.map_or(moment, |first| first.min(moment)));
        }
    }
    first
}

/// A patch that says on a pod why it goes.
pub(super) fn disrupted(pod: &Value, reason: &str, message: &str, now: Timestamp) -> Value {
    let mut conditions: Vec<Value> = items(pod, "/status/conditions").cloned().collect();
    let condition = json!({
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": null,
        "lastTransitionTime": time(now),
        "reason": reason,
        "message": message,
    });
    put_condition(&mut conditions, condition);
    let phase = text(pod, "/status/phase");
    json!({ "status": { "conditions": conditions, "phase": phase } })
}

#[cfg(test)]
mod tests;
