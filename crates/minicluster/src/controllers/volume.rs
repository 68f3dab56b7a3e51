//! Claims find volumes. Nobody provisions any here: a claim gets a volume that is there, or waits.

use plimsoll_model::Quantity;
use serde_json::{Value, json};

use super::{
    Reconcile, View,
    action::{Action, Part},
    index::{Change, Ref},
    recorder::Note,
    workload::is_leaving,
};
use crate::{
    object::Key,
    read::{items, text},
    store::{LabelSelector, Resource},
};

const SOURCE: &str = "persistentvolume-controller";
/// What the scheduler writes on a claim when it has chosen a node for the pod that uses it.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The controller.
pub(super) struct Volumes;

// === impl Volumes ===

impl Reconcile for Volumes {
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref)) {
        let claims = Resource::new("", "persistentvolumeclaims");
        if change.target.resource == claims && !change.gone {
            look(change.target.clone());
        }
        // A volume may be what somebody waits for; one whose claim is gone is released.
        if change.is("", "persistentvolumes") && !change.gone {
            look(change.target.clone());
            for claim in view.list(&claims, "") {
                look(Ref { resource: claims.clone(), key: claim.key.clone() });
            }
        }
        if change.target.resource == claims && change.gone {
            let name = text(&change.object.value(), "/spec/volumeName").to_owned();
            if !name.is_empty() {
                look(Ref { resource: volumes(), key: Key::new("", &name) });
            }
        }
    }

    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action> {
        let Some(seen) = view.get(&target.resource, &target.key) else { return Vec::new() };
        if target.resource == volumes() {
            return tend_volume(&seen.value, target, view);
        }
        let claim = &seen.value;
        if is_leaving(claim) {
            return Vec::new();
        }
        let named = text(claim, "/spec/volumeName");
        let candidates: Vec<Value> = if named.is_empty() {
            if must_wait(claim, view) {
                return Vec::new();
            }
            view.list(&volumes(), "").iter().map(|volume| volume.value()).collect()
        } else {
            view.get(&volumes(), &Key::new("", named)).map(|seen| seen.value).into_iter().collect()
        };
        choose(claim, &candidates).map(|volume| bind(claim, target, volume)).unwrap_or_default()
    }
}

fn volumes() -> Resource {
    Resource::new("", "persistentvolumes")
}

/// Whether a claim must wait until the scheduler has chosen a node.
fn must_wait(claim: &Value, view: &View<'_>) -> bool {
    let class = text(claim, "/spec/storageClassName");
    let class = view.get(&Resource::new("storage.k8s.io", "storageclasses"), &Key::new("", class));
    let waits =
        class.is_some_and(|seen| text(&seen.value, "/volumeBindingMode") == "WaitForFirstConsumer");
    let annotations = claim.pointer("/metadata/annotations");
    waits && annotations.and_then(|annotations| annotations.get(SELECTED_NODE)).is_none()
}

/// The smallest volume that does what a claim asks for.
fn choose<'v>(claim: &Value, volumes: &'v [Value]) -> Option<&'v Value> {
    let uid = text(claim, "/metadata/uid");
    let suits = |volume: &&Value| {
        let taken = text(volume, "/spec/claimRef/name");
        let ours = taken == text(claim, "/metadata/name")
            && text(volume, "/spec/claimRef/namespace") == text(claim, "/metadata/namespace")
            && [uid, ""].contains(&text(volume, "/spec/claimRef/uid"));
        let free =
            taken.is_empty() && !is_leaving(volume) && text(volume, "/status/phase") != "Released";
        let selector = claim.pointer("/spec/selector").and_then(LabelSelector::from_value);
        let labels = crate::object::Labels::of(volume);
        let mut modes = items(claim, "/spec/accessModes");
        (ours || free)
            && text(volume, "/spec/storageClassName") == text(claim, "/spec/storageClassName")
            && mode(volume) == mode(claim)
            && modes.all(|mode| items(volume, "/spec/accessModes").any(|other| other == mode))
            && selector.is_none_or(|selector| selector.matches(&labels))
            && size(volume, "/spec/capacity/storage")
                >= size(claim, "/spec/resources/requests/storage")
    };
    volumes.iter().filter(suits).min_by_key(|volume| {
        (size(volume, "/spec/capacity/storage"), text(volume, "/metadata/name").to_owned())
    })
}

fn mode(object: &Value) -> &str {
    match text(object, "/spec/volumeMode") {
        "" => "Filesystem",
        mode => mode,
    }
}

fn size(object: &Value, pointer: &str) -> Option<Quantity> {
    text(object, pointer).parse().ok()
}

/// Makes a volume and a claim each other's.
fn bind(claim: &Value, target: &Ref, volume: &Value) -> Vec<Action> {
    let name = text(volume, "/metadata/name");
    let at = Ref { resource: volumes(), key: Key::new("", name) };
    let change = |target: &Ref, part, patch| Action::Change {
        target: target.clone(),
        part,
        patch,
        note: None,
    };
    let mut actions = Vec::new();
    if text(volume, "/spec/claimRef/uid") != text(claim, "/metadata/uid") {
        let reference = json!({
            "kind": "PersistentVolumeClaim",
            "apiVersion": "v1",
            "namespace": text(claim, "/metadata/namespace"),
            "name": text(claim, "/metadata/name"),
            "uid": text(claim, "/metadata/uid"),
            "resourceVersion": text(claim, "/metadata/resourceVersion"),
        });
        actions.push(change(&at, Part::Object, json!({ "spec": { "claimRef": reference } })));
    }
    if text(volume, "/status/phase") != "Bound" {
        actions.push(change(&at, Part::Status, json!({ "status": { "phase": "Bound" } })));
    }
    if text(claim, "/spec/volumeName") != name {
        let annotations = json!({ "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" });
        let patch =
            json!({ "metadata": { "annotations": annotations }, "spec": { "volumeName": name } });
        actions.push(change(target, Part::Object, patch));
    }
    if text(claim, "/status/phase") != "Bound" {
        let capacity = volume.pointer("/spec/capacity").cloned().unwrap_or_default();
        let modes = volume.pointer("/spec/accessModes").cloned().unwrap_or_default();
        let status = json!({ "phase": "Bound", "accessModes": modes, "capacity": capacity });
        actions.push(change(target, Part::Status, json!({ "status": status })));
    }
    actions
}

/// A volume that is free is available; one whose claim is gone is released.
fn tend_volume(volume: &Value, target: &Ref, view: &View<'_>) -> Vec<Action> {
    let claim = text(volume, "/spec/claimRef/name");
    let uid = text(volume, "/spec/claimRef/uid");
    let phase = if claim.is_empty() || uid.is_empty() {
        "Available"
    } else {
        let key = Key::new(text(volume, "/spec/claimRef/namespace"), claim);
        let there = view.get(&Resource::new("", "persistentvolumeclaims"), &key);
        if there.is_some_and(|seen| *seen.object.uid == *uid) { "Bound" } else { "Released" }
    };
    if text(volume, "/status/phase") == phase {
        return Vec::new();
    }
    let note = (phase == "Released").then(|| {
        let message = format!("claim {claim} is gone; the volume is kept as it is");
        Note::new(SOURCE, volume, "VolumeReleased", message)
    });
    let patch = json!({ "status": { "phase": phase } });
    vec![Action::Change { target: target.clone(), part: Part::Status, patch, note }]
}
