//! Pods of the mirror, and the rows that they have in the snapshot.

use std::sync::Arc;

use plimsoll_fit::{NodeId, PodId};
use plimsoll_model::Pod;

use super::{Entry, Mirror, Place};
use crate::{Object, object::Key, scheduler::queue::Hope};

// === impl Mirror ===

impl Mirror {
    /// A pod is there, or has changed.
    pub(in crate::scheduler) fn put_pod(&mut self, object: &Object) -> Option<&Entry> {
        let Some(pod) = self.read(object).and_then(|objects| objects.pods.into_iter().next())
        else {
            self.remove_pod(&object.key);
            return None;
        };
        let key = &object.key;
        self.background.matters |= looks_behind(&pod);
        match pod.nominated.filter(|_| pod.node.is_none() && !pod.has_ended()) {
            Some(node) => self.nominated.insert(key.clone(), node),
            None => self.nominated.remove(key),
        };
        let before = self.pods.remove(key);
        let same = before.as_ref().is_some_and(|old| {
            old.pod.node == pod.node
                && Arc::ptr_eq(&old.pod.shape, &pod.shape)
                && old.pod.owner == pod.owner
                && old.pod.has_ended() == pod.has_ended()
        });
        let place = match before {
            Some(old) if same => old.place,
            Some(old) => {
                self.vacate(key, &old);
                None
            }
            None => None,
        };
        let peaceful = find(&object.json, br#""preemptionPolicy":"Never""#);
        let (uid, revision) = (object.uid.clone(), object.revision);
        self.pods.insert(key.clone(), Entry { pod, uid, revision, peaceful, place });
        if place.is_none() {
            self.occupy(key);
        }
        self.pods.get(key)
    }

    pub(in crate::scheduler) fn remove_pod(&mut self, key: &Key) {
        self.nominated.remove(key);
        if let Some(old) = self.pods.remove(key) {
            self.vacate(key, &old);
        }
    }

    /// The scheduler gave a pod its node; the watch will say the same later.
    pub(in crate::scheduler) fn assume(&mut self, key: &Key, node: NodeId) {
        let name = self.snapshot.node(node).name;
        self.nominated.remove(key);
        if let Some(entry) = self.pods.get_mut(key) {
            entry.pod.node = Some(name);
            self.occupy(key);
        }
    }

    /// Puts a pod that has a node into the snapshot.
    pub(super) fn occupy(&mut self, key: &Key) {
        let Some(pod) = self.pods.get(key).map(|entry| entry.pod.clone()) else { return };
        let Some(name) = pod.node.filter(|_| !pod.has_ended()) else { return };
        self.by_node.entry(name).or_default().insert(key.clone());
        let Some(node) = self.nodes.get(&name).copied() else { return };
        let shape = self.shape(&pod);
        let family = self.family(&pod, shape);
        let slot = self.snapshot.place(shape, node);
        if let Some(entry) = self.pods.get_mut(key) {
            entry.place = Some(Place { slot, family });
        }
        *self.crowds.entry((family, node)).or_default() += 1;
        let silent = self.silent.entry(node).or_default();
        for (count, name) in silent.iter_mut().zip(self.measured) {
            *count += u32::from(pod.shape.requests.get(name) == 0);
        }
        self.changes += 1;
        self.woken = self.woken.or(Some(Hope::Neighbours));
    }

    fn vacate(&mut self, key: &Key, old: &Entry) {
        let Some(name) = old.pod.node else { return };
        if let Some(keys) = self.by_node.get_mut(&name) {
            keys.remove(key);
            if keys.is_empty() {
                self.by_node.remove(&name);
            }
        }
        let Some(Place { slot, family }) = old.place else { return };
        let node = self.snapshot.node_of(slot);
        if let Some(crowd) = self.crowds.get_mut(&(family, node)) {
            *crowd -= 1;
            if *crowd == 0 {
                self.crowds.remove(&(family, node));
            }
        }
        let silent = self.silent.entry(node).or_default();
        for (count, name) in silent.iter_mut().zip(self.measured) {
            *count -= u32::from(old.pod.shape.requests.get(name) == 0);
        }
        self.snapshot.evict(slot);
        self.loosened(Hope::Room);
    }

    /// The slot of a pod that is in the snapshot.
    pub(in crate::scheduler) fn slot(&self, key: &Key) -> Option<PodId> {
        self.pods.get(key)?.place.map(|place| place.slot)
    }
}

/// Whether it matters to a pod what namespaces, storage objects and devices there are.
fn looks_behind(pod: &Pod) -> bool {
    let shape = &pod.shape;
    let mut terms = shape.affinity.iter().chain(&shape.anti_affinity);
    !shape.volumes.is_empty()
        || !shape.device_claims.is_empty()
        || terms.any(|term| term.namespaces.selected.is_some())
}

fn find(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}
