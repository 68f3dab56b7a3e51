//! Garbage: what belongs to somebody goes when its last owner is gone.
//!
//! | deletion of the owner | what the garbage collector does                                              |
//! |-----------------------|------------------------------------------------------------------------------|
//! | background            | the owner is gone; its dependents are deleted                                |
//! | foreground            | dependents are deleted first; those that block it must be gone before it goes |
//! | orphan                | dependents forget the owner; then it goes                                    |

use serde_json::{Value, json};

use super::{
    Reconcile, View,
    action::{Action, Part},
    facts::{Meta, Owner},
    index::{Change, Ref},
    workload::{reference, set_owners},
};
use crate::{Object, api::Propagation, object::Key};

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// The controller.
pub(super) struct Garbage;

/// How an owner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is there.
    Solid,
    /// It waits for its dependents to go.
    Waiting,
    /// It is gone, or never was.
    Absent,
}

// === impl Garbage ===

impl Reconcile for Garbage {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        if change.gone {
            for dependent in view.index.dependents(&change.object.uid) {
                look(dependent.clone());
            }
            for owner in &change.owners_before {
                if let Some(target) = owner_ref(view, &change.target, owner) {
                    look(target);
                }
            }
            return;
        }
        let held = change.meta.deleting
            && (change.meta.is_held_by(FOREGROUND) || change.meta.is_held_by(ORPHAN));
        if held {
            look(change.target.clone());
            for dependent in view.index.dependents(&change.object.uid) {
                look(dependent.clone());
            }
        } else if !change.meta.owners.is_empty() && change.meta.owners != change.owners_before {
            look(change.target.clone());
        }
        // One that no longer depends or no longer blocks may be what its owner waited for.
        for owner in &change.owners_before {
            let still = change.meta.owners.iter().any(|other| other == owner);
            if let Some(target) = owner_ref(view, &change.target, owner).filter(|_| !still) {
                look(target);
            }
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let Some(kind) = view.kinds.get(&target.resource) else { return Vec::new() };
        let Ok(object) = view.api.get(kind, &target.key.namespace, &target.key.name) else {
            return Vec::new();
        };
        let meta = Meta::of(&object);
        if meta.deleting && meta.is_held_by(ORPHAN) {
            return orphan(view, target, &object, &meta);
        }
        if meta.deleting && meta.is_held_by(FOREGROUND) {
            return foreground(view, target, &object, &meta);
        }
        if meta.deleting || meta.owners.is_empty() {
            return Vec::new();
        }
        let owners: Vec<(&Owner, State)> =
            meta.owners.iter().map(|owner| (owner, state(view, target, owner))).collect();
        let has_dependents = view.index.dependents(&object.uid).next().is_some();
        judge(target, &object, &meta, &owners, has_dependents).into_iter().collect()
    }
}

/// What becomes of an object with these owners.
fn judge(
    target: &Ref,
    object: &Object,
    meta: &Meta,
    owners: &[(&Owner, State)],
    has_dependents: bool,
) -> Option<Action> {
    let solid: Vec<Value> = owners
        .iter()
        .filter(|(_, state)| *state == State::Solid)
        .map(|(owner, _)| reference(owner))
        .collect();
    if !solid.is_empty() {
        let all = solid.len() == owners.len();
        return (!all).then(|| set_owners(target.clone(), solid));
    }
    let waited_for = owners.iter().any(|(_, state)| *state == State::Waiting);
    let propagation = if waited_for && has_dependents || meta.is_held_by(FOREGROUND) {
        Propagation::Foreground
    } else if meta.is_held_by(ORPHAN) {
        Propagation::Orphan
    } else {
        Propagation::Background
    };
    Some(Action::Delete {
        target: target.clone(),
        uid: object.uid.clone(),
        grace: None,
        propagation: Some(propagation),
        note: None,
    })
}

fn state(view: &View<'_>, dependent: &Ref, owner: &Owner) -> State {
    let Some(target) = owner_ref(view, dependent, owner) else {
        // Nobody knows this kind, or it cannot own anything here: it is left alone, as the real one does.
        return State::Solid;
    };
    let Some(kind) = view.kinds.get(&target.resource) else { return State::Solid };
    match view.api.get(kind, &target.key.namespace, &target.key.name) {
        Ok(object) if *object.uid == *owner.uid => {
            let meta = Meta::of(&object);
            if meta.deleting && meta.is_held_by(FOREGROUND) { State::Waiting } else { State::Solid }
        }
        _ => State::Absent,
    }
}

/// Where an owner is. Owners of objects in a namespace are in the same, or in none; objects of the cluster cannot belong to one in a
/// namespace.
fn owner_ref(view: &View<'_>, dependent: &Ref, owner: &Owner) -> Option<Ref> {
    let kind = view.api.kind_named(&owner.api_version, &owner.kind)?;
    let namespace = if kind.is_namespaced() { &*dependent.key.namespace } else { "" };
    if kind.is_namespaced() && namespace.is_empty() {
        return None;
    }
    Some(Ref { resource: kind.storage(), key: Key::new(namespace, &owner.name) })
}

/// Lets the dependents of an object go their own way, and then lets it go.
fn orphan(view: &View<'_>, target: &Ref, object: &Object, meta: &Meta) -> Vec<Action> {
    let dependents = view.index.dependents(&object.uid).map(|dependent| {
        let others = view.index.owners(dependent).iter().filter(|owner| owner.uid != object.uid);
        set_owners(dependent.clone(), others.map(reference).collect())
    });
    let mut actions: Vec<Action> = dependents.collect();
    actions.push(without(target, meta, ORPHAN));
    actions
}

/// Lets an object go whose last blocking dependent is gone.
fn foreground(view: &View<'_>, target: &Ref, object: &Object, meta: &Meta) -> Vec<Action> {
    let blocked = view.index.dependents(&object.uid).any(|dependent| {
        let mut owners = view.index.owners(dependent).iter();
        owners.any(|owner| owner.uid == object.uid && owner.block_owner_deletion)
    });
    if blocked { Vec::new() } else { vec![without(target, meta, FOREGROUND)] }
}

/// Takes a finalizer off.
fn without(target: &Ref, meta: &Meta, finalizer: &str) -> Action {
    let rest: Vec<&str> =
        meta.finalizers.iter().map(|held| &**held).filter(|held| *held != finalizer).collect();
    let rest = if rest.is_empty() { Value::Null } else { json!(rest) };
    let patch = json!({ "metadata": { "finalizers": rest } });
    Action::Change { target: target.clone(), part: Part::Object, patch, note: None }
}

#[cfg(test)]
mod tests;
