//! Namespaces: what is in one goes with it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Reconcile, View,
    action::{Action, Part},
    facts::Meta,
    index::{Change, Ref},
    workload::is_leaving,
};
use crate::{
    Kind, Object,
    object::Key,
    read::{items, put_condition, text, time},
    store::Resource,
};

/// The finalizer that this controller is responsible for.
const FINALIZER: &str = "kubernetes";
/// What a namespace says of its end when all is well: type, reason and message.
const FINE: [(&str, &str, &str); 5] = [
    (
        "NamespaceDeletionDiscoveryFailure",
        "ResourcesDiscovered",
        "All resources successfully discovered",
    ),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    (
        "NamespaceFinalizersRemaining",
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
    ),
];

/// The controller.
pub(super) struct Namespaces;

/// Something in a namespace.
struct Content {
    target: Ref,
    uid: Box<str>,
    meta: Meta,
}

// === impl Namespaces ===

impl Reconcile for Namespaces {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        if change.is("", "namespaces") {
            if !change.gone && change.meta.deleting {
                look(change.target.clone());
            }
            return;
        }
        let namespace = &*change.target.key.namespace;
        if namespace.is_empty() {
            return;
        }
        let target =
            Ref { resource: Resource::new("", "namespaces"), key: Key::new("", namespace) };
        let terminating = || {
            let kind = view.kinds.get(&target.resource)?;
            let object = view.api.get(kind, "", namespace).ok()?;
            Some(Meta::of(&object).deleting)
        };
        // What goes may be the last, and what was made just before the end must go too.
        if (change.gone || !change.meta.deleting) && terminating() == Some(true) {
            look(target);
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let Some(seen) = view.get(&target.resource, &target.key) else { return Vec::new() };
        let held = items(&seen.value, "/spec/finalizers").any(|finalizer| finalizer == FINALIZER);
        if !is_leaving(&seen.value) || !held {
            return Vec::new();
        }
        let contents = contents(view, &target.key.name);
        plan(&seen.value, target, seen.object.revision, &contents, &time(view.now))
    }
}

/// Everything in a namespace.
fn contents(view: &View<'_>, namespace: &str) -> Vec<Content> {
    let mut resources: Vec<(Resource, std::sync::Arc<Kind>)> = Vec::new();
    for kind in view.api.kinds().into_iter().filter(|kind| kind.is_namespaced()) {
        let resource = kind.storage();
        if !resources.iter().any(|(known, _)| *known == resource) {
            resources.push((resource, kind));
        }
    }
    let mut contents = Vec::new();
    for (resource, kind) in resources {
        let query = crate::api::ListQuery::in_namespace(namespace);
        let items = view.api.list(&kind, &query).map(|listing| listing.items).unwrap_or_default();
        contents.extend(items.iter().map(|object| content(&resource, object)));
    }
    contents
}

fn content(resource: &Resource, object: &Object) -> Content {
    let target = Ref { resource: resource.clone(), key: object.key.clone() };
    Content { target, uid: object.uid.clone(), meta: Meta::of(object) }
}

/// Deletes what is not being deleted yet; says what is left; lets the namespace go when nothing is.
fn plan(
    namespace: &Value,
    target: &Ref,
    seen: u64,
    contents: &[Content],
    now: &str,
) -> Vec<Action> {
    let fresh: Vec<Action> = contents
        .iter()
        .filter(|content| !content.meta.deleting)
        .map(|content| Action::Delete {
            target: content.target.clone(),
            uid: content.uid.clone(),
            grace: None,
            propagation: Some(crate::api::Propagation::Background),
            note: None,
        })
        .collect();
    if !fresh.is_empty() {
        // Each that goes brings the namespace back; those that stay for a while are told of then.
        let again = now.parse().map(Action::Again);
        return fresh.into_iter().chain(again).collect();
    }
    if contents.is_empty() {
        let others = items(namespace, "/spec/finalizers").filter(|other| *other != FINALIZER);
        let mut object = namespace.clone();
        object["spec"] = json!({ "finalizers": others.collect::<Vec<_>>() });
        let part = Part::Finalizers;
        return vec![Action::Replace { target: target.clone(), seen, part, object }];
    }
    let status = status(namespace, contents, now);
    if namespace.get("status") == Some(&status) {
        return Vec::new();
    }
    vec![Action::Status { target: target.clone(), seen, status, annotations: Vec::new() }]
}

fn status(namespace: &Value, contents: &[Content], now: &str) -> Value {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut finalizers: BTreeMap<&str, usize> = BTreeMap::new();
    for content in contents {
        let resource = &content.target.resource;
        *kinds.entry(format!("{}.{}", resource.plural, resource.group)).or_default() += 1;
        for finalizer in &content.meta.finalizers {
            *finalizers.entry(finalizer).or_default() += 1;
        }
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{kind} has {count} resource instances"))
        .collect();
    let held: Vec<String> = finalizers
        .iter()
        .map(|(finalizer, count)| format!("{finalizer} in {count} resource instances"))
        .collect();
    let mut conditions: Vec<Value> = items(namespace, "/status/conditions").cloned().collect();
    for (kind, reason, message) in FINE {
        let (state, reason, message) = match kind {
            "NamespaceContentRemaining" => (
                "True",
                "SomeResourcesRemain",
                format!("Some resources are remaining: {}", kinds.join(", ")),
            ),
            "NamespaceFinalizersRemaining" if !held.is_empty() => (
                "True",
                "SomeFinalizersRemain",
                format!(
                    "Some content in the namespace has finalizers remaining: {}",
                    held.join(", ")
                ),
            ),
            _ => ("False", reason, message.to_owned()),
        };
        let condition = json!({
            "type": kind,
            "status": state,
            "lastTransitionTime": now,
            "reason": reason,
            "message": message,
        });
        put_condition(&mut conditions, condition);
    }
    let mut status = namespace.get("status").cloned().unwrap_or_else(|| json!({}));
    status["conditions"] = Value::Array(conditions);
    if text(&status, "/phase").is_empty() {
        status["phase"] = json!("Terminating");
    }
    status
}
