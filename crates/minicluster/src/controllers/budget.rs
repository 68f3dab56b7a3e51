//! Disruption budgets: how many of the pods that one selects may be evicted now.

use std::{collections::BTreeMap, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::{
    Reconcile, View,
    action::Action,
    facts::{Meta, Owner, Pod},
    index::{Change, Ref},
    workload::{Rounding, replicas_of, share},
};
use crate::{
    kind::Subresource,
    object::Key,
    read::{items, number, put_condition, text, time},
    store::{LabelSelector, Resource},
};

/// How long an eviction may take to delete its pod before the budget no longer believes in it.
const PATIENCE: SignedDuration = SignedDuration::from_mins(2);

/// The controller.
#[derive(Debug, Default)]
pub(super) struct Budgets {
    /// The selectors of all budgets by namespace and name, because every change of a pod is held against them.
    selectors: FxHashMap<Arc<str>, BTreeMap<Arc<str>, LabelSelector>>,
}

/// How large the workloads of some pods want to be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scale {
    Known(i64),
    /// The sentence that says why not.
    Unknown(String),
}

// === impl Budgets ===

impl Reconcile for Budgets {
    fn affected(&mut self, change: &Change, _: &View<'_>, look: &mut dyn FnMut(Ref)) {
        let namespace = &change.target.key.namespace;
        if change.is("policy", "poddisruptionbudgets") {
            let here = self.selectors.entry(Arc::clone(namespace)).or_default();
            here.remove(&change.target.key.name);
            if !change.gone {
                let selector = change
                    .object
                    .value()
                    .pointer("/spec/selector")
                    .and_then(LabelSelector::from_value);
                if let Some(selector) = selector {
                    here.insert(Arc::clone(&change.target.key.name), selector);
                }
                look(change.target.clone());
            }
            return;
        }
        let Some(here) = self.selectors.get(namespace).filter(|_| change.is_pod()) else { return };
        for (name, selector) in here {
            if change.pods().any(|pod| selector.matches(&pod.object.labels)) {
                let key = Key { namespace: Arc::clone(namespace), name: Arc::clone(name) };
                look(Ref { resource: Resource::new("policy", "poddisruptionbudgets"), key });
            }
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let Some(seen) = view.get(&target.resource, &target.key) else { return Vec::new() };
        let selector = seen.value.pointer("/spec/selector").and_then(LabelSelector::from_value);
        let pods: Vec<Arc<Pod>> = selector
            .iter()
            .flat_map(|selector| view.index.selected(&target.key.namespace, selector).cloned())
            .collect();
        let scale = || scale_of(view, &target.key.namespace, &pods);
        let (status, again) = status(&seen.value, &pods, scale, view.now);
        let mut actions = Vec::new();
        if seen.value.get("status") != Some(&status) {
            let (target, seen) = (target.clone(), seen.object.revision);
            actions.push(Action::Status { target, seen, status, annotations: Vec::new() });
        }
        actions.extend(again.map(Action::Again));
        actions
    }
}

/// The status of a budget, given the pods that it selects, and when it changes by itself.
fn status(
    budget: &Value,
    pods: &[Arc<Pod>],
    scale: impl Fn() -> Scale,
    now: Timestamp,
) -> (Value, Option<Timestamp>) {
    let spec = |name: &str| budget.get("spec").and_then(|spec| spec.get(name));
    let scaled = |bound: &Value| match scale() {
        Scale::Known(whole) => Ok((whole, share(Some(bound), whole, Rounding::Up))),
        Scale::Unknown(why) => Err(why),
    };
    let counted = i64::try_from(pods.len()).unwrap_or(i64::MAX);
    let bounds = match (spec("maxUnavailable"), spec("minAvailable")) {
        (Some(most), _) => scaled(most).map(|(whole, missing)| (whole, (whole - missing).max(0))),
        (None, Some(least @ Value::String(_))) => scaled(least),
        (None, Some(least)) => Ok((counted, least.as_i64().unwrap_or_default())),
        (None, None) => Ok((0, 0)),
    };
    let (expected, desired) = match bounds {
        Ok(bounds) => bounds,
        Err(why) => return (failed(budget, &why, now), None),
    };
    let (disrupted, again) = still_disrupted(budget, pods, now);
    let healthy = pods
        .iter()
        .filter(|pod| !pod.meta.deleting && !disrupted.contains_key(pod.name()) && pod.is_ready());
    let healthy = i64::try_from(healthy.count()).unwrap_or(i64::MAX);
    let allowed = if expected <= 0 { 0 } else { (healthy - desired).max(0) };
    let mut status = Map::new();
    let numbers = [
        ("observedGeneration", number(budget, "/metadata/generation")),
        ("disruptionsAllowed", allowed),
        ("currentHealthy", healthy),
        ("desiredHealthy", desired),
        ("expectedPods", expected),
    ];
    for (name, count) in numbers {
        status.insert(name.to_owned(), json!(count));
    }
    if !disrupted.is_empty() {
        status.insert("disruptedPods".to_owned(), Value::Object(disrupted));
    }
    let conditions: Vec<Value> = items(budget, "/status/conditions").cloned().collect();
    status.insert("conditions".to_owned(), Value::Array(conditions));
    set_condition(&mut status, now);
    (Value::Object(status), again)
}

/// The evictions that have not come to a deletion yet, and when the first of them is given up.
fn still_disrupted(
    budget: &Value,
    pods: &[Arc<Pod>],
    now: Timestamp,
) -> (Map<String, Value>, Option<Timestamp>) {
    let noted = budget.pointer("/status/disruptedPods").and_then(Value::as_object);
    let mut kept = Map::new();
    let mut again: Option<Timestamp> = None;
    for pod in pods.iter().filter(|pod| !pod.meta.deleting) {
        let Some(noted) = noted.and_then(|noted| noted.get(pod.name())) else { continue };
        let since: Option<Timestamp> = noted.as_str().and_then(|text| text.parse().ok());
        let Some(until) = since.and_then(|since| since.checked_add(PATIENCE).ok()) else {
            continue;
        };
        if until > now {
            kept.insert(pod.name().to_owned(), noted.clone());
            again = Some(again.map_or(until, |other| other.min(until)));
        }
    }
    (kept, again)
}

/// The status of a budget that cannot be worked out: it allows nothing.
fn failed(budget: &Value, why: &str, now: Timestamp) -> Value {
    let mut status = budget.get("status").cloned().unwrap_or_else(|| json!({}));
    status["disruptionsAllowed"] = json!(0);
    let mut conditions: Vec<Value> = items(budget, "/status/conditions").cloned().collect();
    let condition = json!({
        "type": "DisruptionAllowed",
        "status": "False",
        "observedGeneration": number(budget, "/status/observedGeneration"),
        "lastTransitionTime": time(now),
        "reason": "SyncFailed",
        "message": why,
    });
    put_condition(&mut conditions, condition);
    status["conditions"] = Value::Array(conditions);
    status
}

/// Says in the status of a budget whether it allows a disruption.
pub(crate) fn set_condition(status: &mut Map<String, Value>, now: Timestamp) {
    let number = |name: &str| status.get(name).and_then(Value::as_i64).unwrap_or_default();
    let (state, reason) = if number("disruptionsAllowed") > 0 {
        ("True", "SufficientPods")
    } else {
        ("False", "InsufficientPods")
    };
    let condition = json!({
        "type": "DisruptionAllowed",
        "status": state,
        "observedGeneration": number("observedGeneration"),
        "lastTransitionTime": time(now),
        "reason": reason,
        "message": "",
    });
    if let Value::Array(conditions) = status.entry("conditions").or_insert_with(|| json!([])) {
        put_condition(conditions, condition);
    }
}

/// How many pods the workloads of these pods want, all together. Pods without a workload count for nothing.
fn scale_of(view: &View<'_>, namespace: &str, pods: &[Arc<Pod>]) -> Scale {
    let mut found: BTreeMap<Box<str>, i64> = BTreeMap::new();
    let mut owners: BTreeMap<&str, &Owner> = BTreeMap::new();
    for pod in pods {
        if let Some(owner) = pod.meta.controller() {
            owners.entry(&owner.uid).or_insert(owner);
        }
    }
    for owner in owners.values() {
        match workload_scale(view, namespace, owner) {
            Ok(Some((uid, scale))) => {
                found.insert(uid, scale);
            }
            // A workload that is gone takes its pods with it.
            Ok(None) => {}
            Err(why) => return Scale::Unknown(why),
        }
    }
    Scale::Known(found.values().sum())
}

/// How many pods a workload wants, and which workload that is: a replica set speaks for its deployment.
fn workload_scale(
    view: &View<'_>,
    namespace: &str,
    owner: &Owner,
) -> Result<Option<(Box<str>, i64)>, String> {
    let Some(kind) = view.api.kind_named(&owner.api_version, &owner.kind) else {
        return Ok(None);
    };
    let Some(seen) = view.get(&kind.storage(), &Key::new(namespace, &owner.name)) else {
        return Ok(None);
    };
    if *seen.object.uid != *owner.uid {
        return Ok(None);
    }
    if &*owner.kind == "ReplicaSet"
        && let Some(above) = Meta::of(&seen.object).controller()
        && &*above.kind == "Deployment"
    {
        return workload_scale(view, namespace, above);
    }
    if !kind.has(Subresource::Scale) {
        let group = if kind.group.is_empty() { String::new() } else { format!(".{}", kind.group) };
        return Err(format!("{}{group} does not implement the scale subresource", kind.plural));
    }
    let paths = kind.custom.as_ref().and_then(|custom| custom.scale.as_ref());
    let replicas = match paths {
        Some(paths) => number(&seen.value, &paths.spec_replicas.replace('.', "/")),
        None => replicas_of(&seen.value),
    };
    Ok(Some((text(&seen.value, "/metadata/uid").into(), replicas)))
}

#[cfg(test)]
mod tests;
