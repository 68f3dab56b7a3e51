//! What workload controllers have in common: pods of a template, who owns whom, shares of a whole.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    View,
    action::{Action, Part},
    facts::{Owner, Pod},
    index::{Change, Ref},
    recorder::Note,
};
use crate::{
    object::Key,
    read::{is_true, number, text},
    store::{LabelSelector, Resource},
};

/// How many pods a controller makes or deletes before it lets others have a turn.
pub(super) const BURST: usize = 500;

/// The resource of pods.
pub(super) fn pods() -> Resource {
    Resource::new("", "pods")
}

/// A pod as a target.
pub(super) fn pod_ref(pod: &Pod) -> Ref {
    Ref { resource: pods(), key: pod.object.key.clone() }
}

/// A reference by which an object says that `owner` looks after it.
pub(super) fn controller_reference(owner: &Value) -> Value {
    json!({
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": text(owner, "/metadata/name"),
        "uid": text(owner, "/metadata/uid"),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// A pod made of a template for an owner. It has no name yet.
pub(super) fn pod_of_template(owner: &Value, template: &Value) -> Value {
    let mut metadata = json!({
        "generateName": format!("{}-", text(owner, "/metadata/name")),
        "ownerReferences": [controller_reference(owner)],
    });
    for field in ["labels", "annotations", "finalizers"] {
        if let Some(value) = template.pointer(&format!("/metadata/{field}")) {
            metadata[field] = value.clone();
        }
    }
    json!({ "metadata": metadata, "spec": template["spec"] })
}

/// Makes a pod and says so.
pub(super) fn create_pod(source: &'static str, owner: &Value, pod: Value) -> Action {
    let note = Note::new(source, owner, "SuccessfulCreate", "Created pod: {name}".to_owned());
    let namespace = Arc::from(text(owner, "/metadata/namespace"));
    Action::Create { resource: pods(), namespace, object: pod, note: Some(note) }
}

/// Deletes a pod and says so.
pub(super) fn delete_pod(source: &'static str, owner: &Value, pod: &Pod) -> Action {
    let message = format!("Deleted pod: {}", pod.name());
    Action::Delete {
        target: pod_ref(pod),
        uid: pod.object.uid.clone(),
        grace: None,
        propagation: None,
        note: Some(Note::new(source, owner, "SuccessfulDelete", message)),
    }
}

/// The selector of a workload. One that selects everything or nothing selects nothing here: a workload that adopts every pod of
/// its namespace is a mistake.
pub(super) fn selector_of(owner: &Value) -> Option<LabelSelector> {
    let selector = owner.pointer("/spec/selector").and_then(LabelSelector::from_value)?;
    (!selector.is_empty()).then_some(selector)
}

/// The pods of a workload, by name: those it owns and selects, and those that it adopts because nobody owns them. Pods that it
/// owns and no longer selects are let go.
pub(super) fn claim(view: &View<'_>, owner: &Value) -> (Vec<Arc<Pod>>, Vec<Action>) {
    let uid = text(owner, "/metadata/uid");
    let namespace = text(owner, "/metadata/namespace");
    let Some(selector) = selector_of(owner) else { return (Vec::new(), Vec::new()) };
    let leaving = is_leaving(owner);
    let mut mine = Vec::new();
    let mut actions = Vec::new();
    for pod in view.index.selected(namespace, &selector) {
        match pod.meta.controller() {
            Some(controller) if *controller.uid == *uid => mine.push(Arc::clone(pod)),
            Some(_) => {}
            None if leaving || !pod.is_active() => {}
            None => {
                actions.push(adopt(pod_ref(pod), &pod.meta.owners, owner));
                mine.push(Arc::clone(pod));
            }
        }
    }
    for pod in view.index.pods_of(uid) {
        if !leaving && pod.belongs_to(uid) && !selector.matches(&pod.object.labels) {
            actions.push(release(pod_ref(pod), &pod.meta.owners, uid));
        }
    }
    mine.sort_by(|a, b| a.object.key.cmp(&b.object.key));
    (mine, actions)
}

/// Makes an object one of `owner`'s.
pub(super) fn adopt(target: Ref, owners: &[Owner], owner: &Value) -> Action {
    let mut references: Vec<Value> = owners.iter().map(reference).collect();
    references.push(controller_reference(owner));
    set_owners(target, references)
}

fn release(target: Ref, owners: &[Owner], uid: &str) -> Action {
    let others = owners.iter().filter(|owner| *owner.uid != *uid);
    set_owners(target, others.map(reference).collect())
}

/// Puts these owners in the place of those that an object has.
pub(super) fn set_owners(target: Ref, references: Vec<Value>) -> Action {
    let references = if references.is_empty() { Value::Null } else { Value::Array(references) };
    let patch = json!({ "metadata": { "ownerReferences": references } });
    Action::Change { target, part: Part::Object, patch, note: None }
}

/// A reference as it is written.
pub(super) fn reference(owner: &Owner) -> Value {
    let mut reference = json!({
        "apiVersion": owner.api_version,
        "kind": owner.kind,
        "name": owner.name,
        "uid": owner.uid,
    });
    if owner.controller {
        reference["controller"] = json!(true);
    }
    if owner.block_owner_deletion {
        reference["blockOwnerDeletion"] = json!(true);
    }
    reference
}

/// Whether an object is on its way out.
pub(super) fn is_leaving(object: &Value) -> bool {
    !text(object, "/metadata/deletionTimestamp").is_empty()
}

/// How a share is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    Up,
    Down,
}

/// A number, or a percentage of a whole.
pub(super) fn share(value: Option<&Value>, whole: i64, rounding: Rounding) -> i64 {
    match value {
        Some(Value::String(text)) => {
            let percent: i64 = text.trim_end_matches('%').parse().unwrap_or_default();
            let parts = percent.saturating_mul(whole);
            match rounding {
                Rounding::Up => parts.saturating_add(99).div_euclid(100),
                Rounding::Down => parts.div_euclid(100),
            }
        }
        Some(other) => other.as_i64().unwrap_or_default(),
        None => 0,
    }
}

/// How many replicas a workload wants; one if it does not say.
pub(super) fn replicas_of(owner: &Value) -> i64 {
    owner.pointer("/spec/replicas").map_or(1, |replicas| replicas.as_i64().unwrap_or_default())
}

/// Calls for a look at the workloads of a kind that a change may matter to: the workload itself, the one that owns the pod, and
/// all that would adopt a pod that nobody owns.
pub(super) fn owners_affected(
    change: &Change,
    view: &View<'_>,
    resource: &Resource,
    kind: &str,
    look: &mut dyn FnMut(Ref),
) {
    if change.target.resource == *resource {
        if !change.gone {
            look(change.target.clone());
        }
        return;
    }
    let namespace = &change.target.key.namespace;
    let mut owned = false;
    for owner in change.controllers(kind) {
        owned = true;
        let key = Key { namespace: Arc::clone(namespace), name: Arc::from(&*owner.name) };
        look(Ref { resource: resource.clone(), key });
    }
    let Some(pod) = &change.pod else { return };
    if owned || pod.meta.controller().is_some() || !pod.is_active() {
        return;
    }
    for object in view.list(resource, namespace) {
        let selector = selector_of(&object.value());
        if selector.is_some_and(|selector| selector.matches(&pod.object.labels)) {
            look(Ref { resource: resource.clone(), key: object.key.clone() });
        }
    }
}

/// When the next of these pods becomes available, so that somebody looks again.
pub(super) fn next_available(
    pods: &[Arc<Pod>],
    min_ready_seconds: i64,
    now: jiff::Timestamp,
) -> Option<Action> {
    let moments = pods.iter().filter_map(|pod| pod.available_from(min_ready_seconds));
    moments.filter(|from| *from > now).min().map(Action::Again)
}

/// Whether a set of pods is counted up to the newest wish.
pub(super) fn is_observed(object: &Value) -> bool {
    number(object, "/status/observedGeneration") >= number(object, "/metadata/generation")
}

/// Whether a workload is to rest.
pub(super) fn is_paused(object: &Value) -> bool {
    is_true(object, "/spec/paused")
}
