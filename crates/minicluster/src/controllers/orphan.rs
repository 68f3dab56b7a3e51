//! Pods of nodes that are gone: nobody will ever end them but this controller.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;
use serde_json::json;

use super::{
    Reconcile, View,
    action::{Action, Part},
    eviction::disrupted,
    index::{Change, Ref},
    workload::pod_ref,
};
use crate::{object::Key, store::Resource};

/// How long a node may be missing before its pods are given up: it may not have registered yet.
const QUARANTINE: SignedDuration = SignedDuration::from_secs(40);

/// The controller.
#[derive(Debug, Default)]
pub(super) struct Orphans {
    /// Since when nodes are missing that pods are bound to.
    missing: FxHashMap<Arc<str>, Timestamp>,
}

// === impl Orphans ===

impl Reconcile for Orphans {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        if change.is("", "nodes") && change.gone {
            look(change.target.clone());
        } else if let Some(pod) = &change.pod
            && !pod.node.is_empty()
            && view.index.node(&pod.node).is_none()
        {
            let key = Key { namespace: Arc::from(""), name: Arc::clone(&pod.node) };
            look(Ref { resource: Resource::new("", "nodes"), key });
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let name = &target.key.name;
        if view.index.node(name).is_some() || view.index.on_node(name).next().is_none() {
            self.missing.remove(name);
            return Vec::new();
        }
        let since = *self.missing.entry(Arc::clone(name)).or_insert(view.now);
        let due = since.checked_add(QUARANTINE).unwrap_or(Timestamp::MAX);
        if due > view.now {
            return vec![Action::Again(due)];
        }
        let mut actions = Vec::new();
        for pod in view.index.on_node(name) {
            if !pod.is_over() {
                let (reason, why) = ("DeletionByPodGC", "PodGC: node no longer exists");
                let mut patch = disrupted(&pod.object.value(), reason, why, view.now);
                patch["status"]["phase"] = json!("Failed");
                let target = pod_ref(pod);
                actions.push(Action::Change { target, part: Part::Status, patch, note: None });
            }
            actions.push(Action::Delete {
                target: pod_ref(pod),
                uid: pod.object.uid.clone(),
                grace: Some(0),
                propagation: None,
                note: None,
            });
        }
        actions
    }
}
