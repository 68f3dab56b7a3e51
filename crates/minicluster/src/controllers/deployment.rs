//! Deployments: replica sets, one for each template that there was, of which the newest grows while the others shrink.

use std::sync::Arc;

use serde_json::{Value, json};

use self::{
    rollout::{Sizes, recreating, rolling, scaling},
    set::{Set, make_set, renew},
    status::Report,
};
use super::{
    Reconcile, View,
    action::{Action, Part},
    facts::Meta,
    index::{Change, Ref},
    recorder::Note,
    workload::{
        Rounding, adopt, is_leaving, is_paused, owners_affected, replicas_of, selector_of, share,
    },
};
use crate::{
    object::Key,
    read::{number, text},
    store::Resource,
};

mod rollout;
mod set;
mod status;

const SOURCE: &str = "deployment-controller";
const REVISION: &str = "deployment.kubernetes.io/revision";
const REVISIONS_BEFORE: &str = "deployment.kubernetes.io/revision-history";
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MOST: &str = "deployment.kubernetes.io/max-replicas";

/// The controller.
pub(super) struct Deployments;

/// What a deployment is decided on.
pub(super) struct Scene<'s> {
    pub(super) deployment: &'s Value,
    /// Its replica sets, oldest first.
    pub(super) sets: Vec<Set>,
    /// Whether pods of old replica sets are still there.
    pub(super) old_pods: bool,
    /// Whether there is a replica set of this name that is not the deployment's.
    pub(super) is_taken: &'s dyn Fn(&str) -> bool,
    pub(super) now: jiff::Timestamp,
}

// === impl Deployments ===

impl Reconcile for Deployments {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        let resource = deployments();
        if change.is("apps", "replicasets") || change.target.resource == resource {
            owners_affected(change, view, &resource, "Deployment", look);
        }
        if change.is("apps", "replicasets") && !change.gone && change.meta.controller().is_none() {
            for object in view.list(&resource, &change.target.key.namespace) {
                let selector = selector_of(&object.value());
                if selector.is_some_and(|selector| selector.matches(&change.object.labels)) {
                    look(Ref { resource: resource.clone(), key: object.key.clone() });
                }
            }
        }
        // The last old pod is what a deployment waits for that recreates.
        if change.gone
            && let Some(pod) = &change.pod_before
            && let Some(owner) = pod.meta.controller()
            && &*owner.kind == "ReplicaSet"
        {
            let namespace = Arc::clone(&change.target.key.namespace);
            let set = Ref {
                resource: replica_sets(),
                key: Key { namespace: Arc::clone(&namespace), name: Arc::from(&*owner.name) },
            };
            for owner in view.index.owners(&set).iter().filter(|owner| owner.controller) {
                let name = Arc::from(&*owner.name);
                let key = Key { namespace: Arc::clone(&namespace), name };
                look(Ref { resource: resource.clone(), key });
            }
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let Some(seen) = view.get(&target.resource, &target.key) else { return Vec::new() };
        let (sets, mut actions) = claim_sets(view, &seen.value);
        let newest =
            newest(&seen.value, &sets).map(|set| text(&set.value, "/metadata/uid").to_owned());
        let old_pods = sets
            .iter()
            .map(|set| text(&set.value, "/metadata/uid"))
            .filter(|uid| Some(*uid) != newest.as_deref())
            .flat_map(|uid| view.index.pods_of(uid))
            .any(|pod| !pod.is_over());
        let namespace = &target.key.namespace;
        let is_taken = |name: &str| view.get(&replica_sets(), &Key::new(namespace, name)).is_some();
        let scene =
            Scene { deployment: &seen.value, sets, old_pods, is_taken: &is_taken, now: view.now };
        actions.extend(plan(&scene, target, seen.object.revision));
        actions
    }
}

fn deployments() -> Resource {
    Resource::new("apps", "deployments")
}

fn replica_sets() -> Resource {
    Resource::new("apps", "replicasets")
}

/// The replica sets of a deployment, oldest first: those it owns, and those that it adopts.
fn claim_sets(view: &View<'_>, deployment: &Value) -> (Vec<Set>, Vec<Action>) {
    let uid = text(deployment, "/metadata/uid");
    let selector = selector_of(deployment);
    let mut sets = Vec::new();
    let mut actions = Vec::new();
    for object in view.list(&replica_sets(), text(deployment, "/metadata/namespace")) {
        if !selector.as_ref().is_some_and(|selector| selector.matches(&object.labels)) {
            continue;
        }
        let target = Ref { resource: replica_sets(), key: object.key.clone() };
        match Meta::of(&object) {
            meta if meta.controller().is_some_and(|owner| *owner.uid == *uid) => {}
            meta if meta.controller().is_none() && !meta.deleting && !is_leaving(deployment) => {
                actions.push(adopt(target, &meta.owners, deployment));
            }
            _ => continue,
        }
        sets.push(Set::new(object.value()));
    }
    sets.sort_by(|a, b| {
        let key = |set: &Set| {
            (text(&set.value, "/metadata/creationTimestamp").to_owned(), set.name().to_owned())
        };
        key(a).cmp(&key(b))
    });
    (sets, actions)
}

/// The replica set of the deployment's template, if it has been made: the oldest one.
fn newest<'s>(deployment: &Value, sets: &'s [Set]) -> Option<&'s Set> {
    let wanted = without_hash(&deployment["spec"]["template"]);
    sets.iter().find(|set| without_hash(&set.value["spec"]["template"]) == wanted)
}

fn without_hash(template: &Value) -> Value {
    let mut template = template.clone();
    if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.remove(set::HASH_LABEL);
    }
    template
}

/// How many pods more, and how many fewer, there may be during an update.
pub(super) fn fences(deployment: &Value) -> (i64, i64) {
    let wanted = replicas_of(deployment);
    if text(deployment, "/spec/strategy/type") != "RollingUpdate" {
        return (0, 0);
    }
    let at = |name: &str| deployment.pointer(&format!("/spec/strategy/rollingUpdate/{name}"));
    let surge = share(at("maxSurge"), wanted, Rounding::Up);
    let unavailable = share(at("maxUnavailable"), wanted, Rounding::Down);
    // Rounding may leave no room at all; then something has to give.
    if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable.min(wanted)) }
}

/// What is to be done about a deployment.
fn plan(scene: &Scene<'_>, target: &Ref, seen: u64) -> Vec<Action> {
    let deployment = scene.deployment;
    let mut actions = Vec::new();
    let mut sets = scene.sets.clone();
    let mut report = Report::new(deployment, scene.now);
    let leaving = is_leaving(deployment);
    let mut newest_name = newest(deployment, &sets).map(|set| set.name().to_owned());
    if !leaving {
        report.note_pause();
    }
    if !leaving && !is_paused(deployment) {
        let oldest = newest_name.clone();
        let others = sets.iter().filter(|set| Some(set.name()) != oldest.as_deref());
        let revision = others.map(Set::revision).max().unwrap_or_default() + 1;
        if let Some(set) = sets.iter_mut().find(|set| Some(set.name()) == oldest.as_deref()) {
            actions.extend(renew(deployment, set, revision));
            report.found(set.name(), set.revision().max(revision));
        } else {
            let set = make_set(deployment, &sets, revision);
            if (scene.is_taken)(set.name()) {
                // Another template has the same hash: another salt is tried next time.
                return vec![report.collided(target, seen)];
            }
            actions.push(Action::Create {
                resource: replica_sets(),
                namespace: Arc::clone(&target.key.namespace),
                object: set.value.clone(),
                note: None,
            });
            if set.replicas > 0 {
                let message =
                    format!("Scaled up replica set {} from 0 to {}", set.name(), set.replicas);
                actions.push(Action::Say(note(deployment, message)));
            }
            report.created(set.name(), revision);
            newest_name = Some(set.name().to_owned());
            sets.push(set);
        }
    }
    let newest_at = sets.iter().position(|set| Some(set.name()) == newest_name.as_deref());
    let mut sizes = Sizes::new(&sets, newest_at);
    if !leaving {
        let resized = sets.iter().any(|set| {
            let desired = set.annotation(DESIRED).and_then(|text| text.parse::<i64>().ok());
            set.replicas > 0 && desired.is_some_and(|desired| desired != replicas_of(deployment))
        });
        if is_paused(deployment) || resized {
            scaling(deployment, &mut sizes);
        } else if text(deployment, "/spec/strategy/type") == "Recreate" {
            recreating(deployment, &mut sizes, scene.old_pods);
        } else {
            rolling(deployment, &mut sizes);
        }
        actions.extend(resize(deployment, &sizes));
        if report.is_complete(&sets, newest_at) {
            actions.extend(clean_up(deployment, &sets, newest_at));
        }
    }
    let mut rest = report.finish(&sets, newest_at, target, seen);
    // What has been made must be counted even if a later step fails.
    let at = usize::from(matches!(actions.first(), Some(Action::Create { .. })));
    let status = rest.iter().position(|action| matches!(action, Action::Status { .. }));
    if let Some(status) = status {
        let status = rest.remove(status);
        actions.insert(at, status);
    }
    actions.extend(rest);
    actions
}

fn note(deployment: &Value, message: String) -> Note {
    Note::new(SOURCE, deployment, "ScalingReplicaSet", message)
}

fn set_ref(deployment: &Value, name: &str) -> Ref {
    let key = Key::new(text(deployment, "/metadata/namespace"), name);
    Ref { resource: replica_sets(), key }
}

/// Makes replica sets as large as decided.
fn resize(deployment: &Value, sizes: &Sizes) -> Vec<Action> {
    let wanted = replicas_of(deployment);
    let (surge, _) = fences(deployment);
    let (desired, most) = (wanted.to_string(), (wanted + surge).to_string());
    let mut actions = Vec::new();
    for size in sizes.all.iter().filter(|size| !size.is_new_born) {
        let told =
            size.desired.as_deref() == Some(&*desired) && size.most.as_deref() == Some(&*most);
        if size.before == size.after && (told || size.after == 0) {
            continue;
        }
        let patch = json!({
            "metadata": { "annotations": { (DESIRED): desired, (MOST): most } },
            "spec": { "replicas": size.after },
        });
        let (before, after) = (size.before, size.after);
        let way = if after > before { "up" } else { "down" };
        let message = format!("Scaled {way} replica set {} from {before} to {after}", size.name);
        let note = (before != after).then(|| note(deployment, message));
        let target = set_ref(deployment, &size.name);
        actions.push(Action::Change { target, part: Part::Object, patch, note });
    }
    actions
}

/// Old replica sets beyond the history that is kept.
fn clean_up(deployment: &Value, sets: &[Set], newest: Option<usize>) -> Vec<Action> {
    let limit = deployment.pointer("/spec/revisionHistoryLimit").and_then(Value::as_i64);
    let Some(limit) = limit.and_then(|limit| usize::try_from(limit).ok()) else {
        return Vec::new();
    };
    let mut old: Vec<&Set> = sets
        .iter()
        .enumerate()
        .filter(|(at, set)| Some(*at) != newest && !is_leaving(&set.value))
        .map(|(_, set)| set)
        .collect();
    old.sort_by_key(|set| set.revision());
    let surplus = old.len().saturating_sub(limit);
    let empty = |set: &&Set| set.replicas == 0 && number(&set.value, "/status/replicas") == 0;
    old.into_iter()
        .take(surplus)
        .filter(empty)
        .filter(|set| super::workload::is_observed(&set.value))
        .map(|set| {
            Action::delete(set_ref(deployment, set.name()), text(&set.value, "/metadata/uid"))
        })
        .collect()
}

#[cfg(test)]
mod tests;
