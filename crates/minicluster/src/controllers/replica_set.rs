//! Replica sets: so many pods of a template, whoever they are.

use std::{cmp::Reverse, sync::Arc};

use jiff::Timestamp;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{
    Reconcile, View,
    action::Action,
    facts::Pod,
    index::{Change, Ref},
    workload::{
        BURST, claim, create_pod, delete_pod, is_leaving, next_available, owners_affected,
        pod_of_template, replicas_of,
    },
};
use crate::{
    read::number,
    store::{LabelSelector, Resource},
};

const SOURCE: &str = "replicaset-controller";

/// The controller.
pub(super) struct ReplicaSets;

// === impl ReplicaSets ===

impl Reconcile for ReplicaSets {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        let resource = Resource::new("apps", "replicasets");
        if change.is_pod() || change.target.resource == resource {
            owners_affected(change, view, &resource, "ReplicaSet", look);
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let Some(set) = view.get(&target.resource, &target.key) else { return Vec::new() };
        let (pods, mut actions) = claim(view, &set.value);
        actions.extend(plan(&set.value, target, set.object.revision, &pods, view.now));
        actions
    }
}

/// What is to be done about a replica set, given its pods.
fn plan(set: &Value, target: &Ref, seen: u64, pods: &[Arc<Pod>], now: Timestamp) -> Vec<Action> {
    let mut actions = Vec::new();
    let active: Vec<&Arc<Pod>> = pods.iter().filter(|pod| pod.is_active()).collect();
    let wanted = usize::try_from(replicas_of(set)).unwrap_or_default();
    let mut unfinished = false;
    if !is_leaving(set) {
        if active.len() < wanted {
            let missing = wanted - active.len();
            unfinished = missing > BURST;
            let template = set.pointer("/spec/template").cloned().unwrap_or_default();
            let pod = pod_of_template(set, &template);
            actions.extend((0..missing.min(BURST)).map(|_| create_pod(SOURCE, set, pod.clone())));
        } else {
            let surplus = active.len() - wanted;
            unfinished = surplus > BURST;
            let victims = victims(active.clone(), now);
            actions.extend(
                victims
                    .into_iter()
                    .take(surplus.min(BURST))
                    .map(|pod| delete_pod(SOURCE, set, pod)),
            );
        }
    }
    let status = status(set, &active, pods, now);
    // Counting comes first: it is what others wait for, and it must not be skipped because something cannot be made.
    if Some(&status) != set.get("status") {
        let target = target.clone();
        actions.insert(0, Action::Status { target, seen, status, annotations: Vec::new() });
    }
    if unfinished {
        actions.push(Action::Again(now));
    }
    actions.extend(next_available(pods, number(set, "/spec/minReadySeconds"), now));
    actions
}

fn status(set: &Value, active: &[&Arc<Pod>], pods: &[Arc<Pod>], now: Timestamp) -> Value {
    let labels = set.pointer("/spec/template/metadata/labels").cloned().unwrap_or_default();
    let template = LabelSelector::from_labels(&labels);
    let least = number(set, "/spec/minReadySeconds");
    let count = |test: &dyn Fn(&Pod) -> bool| active.iter().filter(|pod| test(pod)).count();
    let terminating = pods.iter().filter(|pod| pod.meta.deleting && !pod.is_over()).count();
    let mut status = json!({
        "replicas": active.len(),
        "terminatingReplicas": terminating,
        "observedGeneration": number(set, "/metadata/generation"),
    });
    let counts = [
        ("fullyLabeledReplicas", count(&|pod| template.matches(&pod.object.labels))),
        ("readyReplicas", count(&|pod| pod.is_ready())),
        ("availableReplicas", count(&|pod| pod.is_available(least, now))),
    ];
    for (name, count) in counts {
        if count > 0 {
            status[name] = json!(count);
        }
    }
    if let Some(conditions) = set.pointer("/status/conditions") {
        status["conditions"] = conditions.clone();
    }
    status
}

/// The pods in the order in which they are given up: those that are the smallest loss first.
fn victims(mut pods: Vec<&Arc<Pod>>, now: Timestamp) -> Vec<&Arc<Pod>> {
    let mut crowd: FxHashMap<Arc<str>, usize> = FxHashMap::default();
    for pod in pods.iter().filter(|pod| pod.is_ready()) {
        *crowd.entry(Arc::clone(&pod.node)).or_default() += 1;
    }
    pods.sort_by_cached_key(|pod| {
        let neighbours = crowd.get(&pod.node).copied().unwrap_or_default();
        (
            !pod.node.is_empty(),
            pod.phase,
            pod.is_ready(),
            pod.deletion_cost,
            Reverse(neighbours),
            pod.ready_since.map(|since| scale(since, now)),
            Reverse(pod.restarts),
            scale(pod.created, now),
            pod.object.uid.clone(),
        )
    });
    pods
}

/// How long ago something was, by order of magnitude: among pods of about the same age any will do.
fn scale(moment: Timestamp, now: Timestamp) -> u32 {
    let seconds = u64::try_from(now.duration_since(moment).as_secs()).unwrap_or_default();
    seconds.checked_ilog2().map_or(0, |scale| scale + 1)
}

#[cfg(test)]
mod tests;
