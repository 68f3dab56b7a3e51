//! The cluster as the scheduler knows it, kept up to date by watches.
//!
//! Nodes and pods change the snapshot one by one. Namespaces and storage objects are few and change seldom: when they do, and some
//! pod looks at them, the snapshot is made anew.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use plimsoll_fit::{NodeId, PodId, ShapeId, Snapshot};
use plimsoll_manifest::{Objects, Reader};
use plimsoll_model::{Budget, Namespaces, Node, Pod, Symbol, resource};
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::warn;

use super::queue::Hope;
use crate::{Object, object::Key, store::Resource};

/// Rows of nodes that are gone, and shapes of pods that are gone, are thrown away when there are more than this and more than
/// are in use.
const MOST_WASTE: usize = 10_000;

/// Everything the scheduler decides by.
#[derive(Debug)]
pub(super) struct Mirror {
    pub(super) snapshot: Snapshot,
    pub(super) nodes: FxHashMap<Symbol, NodeId>,
    /// Nodes in the order they are looked at.
    pub(super) order: Vec<NodeId>,
    pub(super) pods: FxHashMap<Key, Entry>,
    /// Pods by the node they name, whether it is there or not.
    pub(super) by_node: FxHashMap<Symbol, FxHashSet<Key>>,
    /// Pods that wait for room that was made for them.
    pub(super) nominated: BTreeMap<Key, Symbol>,
    pub(super) budgets: BTreeMap<Key, Budget>,
    /// The resources by which nodes are compared.
    pub(super) measured: [Symbol; 2],
    /// How many pods of a family a node has.
    crowds: FxHashMap<(Family, NodeId), u32>,
    /// Numbers of workloads, by uid.
    workloads: FxHashMap<Box<str>, u32>,
    /// How many pods of a node do not say how much they need of each of the measured resources.
    silent: FxHashMap<NodeId, [u32; 2]>,
    reader: Reader,
    background: Background,
    /// Rows of the snapshot, those of nodes that are gone included.
    rows: usize,
    largest_shape: usize,
    /// How often anything changed, and how often something changed for the better.
    changes: u64,
    loosenings: u64,
    woken: Option<Hope>,
}

/// Pods that are spread over the nodes: those of a workload, or those that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    /// The number of the workload.
    Workload(u32),
    Alike(ShapeId),
}

/// A pod.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) pod: Pod,
    pub(super) uid: Box<str>,
    pub(super) revision: u64,
    /// `spec.preemptionPolicy: Never`.
    pub(super) peaceful: bool,
    place: Option<Place>,
}

/// Where a pod is in the snapshot, and with whom it was counted there.
#[derive(Clone, Copy, Debug)]
struct Place {
    slot: PodId,
    family: Family,
}

/// Objects that are read again from the beginning when one of them changes.
#[derive(Debug, Default)]
struct Background {
    objects: BTreeMap<(Resource, Key), Arc<Object>>,
    stale: bool,
    /// Whether any pod looks at namespaces by their labels, or has volumes.
    matters: bool,
}

// === impl Mirror ===

impl Mirror {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            snapshot: Snapshot::new(Namespaces::default(), plimsoll_model::Storage::default()),
            nodes: FxHashMap::default(),
            order: Vec::new(),
            pods: FxHashMap::default(),
            by_node: FxHashMap::default(),
            nominated: BTreeMap::new(),
            budgets: BTreeMap::new(),
            measured: [Symbol::new(resource::CPU), Symbol::new(resource::MEMORY)],
            crowds: FxHashMap::default(),
            workloads: FxHashMap::default(),
            silent: FxHashMap::default(),
            reader: Reader::new(now),
            background: Background::default(),
            rows: 0,
            largest_shape: 0,
            changes: 0,
            loosenings: 0,
            woken: None,
        }
    }

    /// A number that is the same as long as a pod of this kind that did not fit still does not fit.
    pub(super) fn stamp(&self, hope: Hope) -> u64 {
        match hope {
            Hope::Room => self.loosenings,
            Hope::Neighbours => self.changes,
        }
    }

    /// Whom the changes since the last call may help.
    pub(super) fn take_woken(&mut self) -> Option<Hope> {
        self.woken.take()
    }

    /// How many pods of this family a node has.
    pub(super) fn crowd(&self, family: Family, node: NodeId) -> u32 {
        self.crowds.get(&(family, node)).copied().unwrap_or_default()
    }

    /// How many pods of a node do not say how much they need of each of the measured resources.
    pub(super) fn silent(&self, node: NodeId) -> [u32; 2] {
        self.silent.get(&node).copied().unwrap_or_default()
    }

    /// Which family a pod belongs to.
    pub(super) fn family(&mut self, pod: &Pod, shape: ShapeId) -> Family {
        let Some(owner) = &pod.owner else { return Family::Alike(shape) };
        if let Some(number) = self.workloads.get(&owner.uid) {
            return Family::Workload(*number);
        }
        let number = u32::try_from(self.workloads.len()).unwrap_or(u32::MAX);
        self.workloads.insert(owner.uid.clone(), number);
        Family::Workload(number)
    }

    /// The handle of a pod's shape.
    pub(super) fn shape(&mut self, pod: &Pod) -> ShapeId {
        let shape = self.snapshot.shape(&pod.shape);
        self.largest_shape = self.largest_shape.max(shape.index());
        shape
    }

    // --- nodes ---

    /// A node is there, or has changed.
    pub(super) fn put_node(&mut self, object: &Object) {
        let Some(node) = self.read(object).and_then(|objects| objects.nodes.into_iter().next())
        else {
            return self.remove_node(&object.key);
        };
        let name = node.name;
        if let Some(id) = self.nodes.get(&name) {
            if looks_alike(self.snapshot.node(*id), &node) {
                return;
            }
            self.take_node(name);
        }
        self.insert_node(node);
        self.loosened(Hope::Room);
    }

    pub(super) fn remove_node(&mut self, key: &Key) {
        self.take_node(Symbol::new(&key.name));
        // A domain less may be what a spread waits for.
        self.loosened(Hope::Room);
    }

    fn insert_node(&mut self, node: Arc<Node>) {
        let name = node.name;
        let id = self.snapshot.add_node(node);
        self.rows += 1;
        self.nodes.insert(name, id);
        self.order.push(id);
        let mut pods: Vec<Key> = self.by_node.get(&name).into_iter().flatten().cloned().collect();
        pods.sort();
        for key in &pods {
            self.occupy(key);
        }
    }

    fn take_node(&mut self, name: Symbol) {
        let Some(id) = self.nodes.remove(&name) else { return };
        for key in self.by_node.get(&name).into_iter().flatten() {
            if let Some(entry) = self.pods.get_mut(key)
                && let Some(place) = entry.place.take()
            {
                self.crowds.remove(&(place.family, id));
            }
        }
        self.silent.remove(&id);
        self.snapshot.remove_node(id);
        self.order.retain(|other| *other != id);
    }

    // --- pods ---

    /// A pod is there, or has changed.
    pub(super) fn put_pod(&mut self, object: &Object) -> Option<&Entry> {
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

    pub(super) fn remove_pod(&mut self, key: &Key) {
        self.nominated.remove(key);
        if let Some(old) = self.pods.remove(key) {
            self.vacate(key, &old);
        }
    }

    /// The scheduler gave a pod its node; the watch will say the same later.
    pub(super) fn assume(&mut self, key: &Key, node: NodeId) {
        let name = self.snapshot.node(node).name;
        self.nominated.remove(key);
        if let Some(entry) = self.pods.get_mut(key) {
            entry.pod.node = Some(name);
            self.occupy(key);
        }
    }

    /// Puts a pod that has a node into the snapshot.
    fn occupy(&mut self, key: &Key) {
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
    pub(super) fn slot(&self, key: &Key) -> Option<PodId> {
        self.pods.get(key)?.place.map(|place| place.slot)
    }

    // --- the rest ---

    pub(super) fn put_budget(&mut self, object: &Object) {
        let budget = self.read(object).and_then(|objects| objects.budgets.into_iter().next());
        match budget {
            Some(budget) => self.budgets.insert(object.key.clone(), budget),
            None => self.budgets.remove(&object.key),
        };
    }

    /// A namespace or a storage object has changed, or is gone.
    pub(super) fn put_background(
        &mut self,
        resource: &Resource,
        object: Option<&Arc<Object>>,
        key: &Key,
    ) {
        let place = (resource.clone(), key.clone());
        match object {
            Some(object) => self.background.objects.insert(place, Arc::clone(object)),
            None => self.background.objects.remove(&place),
        };
        self.background.stale = true;
        if self.background.matters {
            self.loosened(Hope::Room);
        }
    }

    /// Makes the snapshot anew where that is needed; to be called before decisions.
    pub(super) fn settle(&mut self) {
        let wasteful = |all: usize, used: usize| all > used.saturating_mul(2) + MOST_WASTE;
        let behind = self.background.stale && self.background.matters;
        if behind
            || wasteful(self.rows, self.order.len())
            || wasteful(self.largest_shape, self.pods.len())
        {
            self.rebuild();
        }
    }

    fn rebuild(&mut self) {
        let mut reader = Reader::new(Timestamp::UNIX_EPOCH);
        for ((resource, key), object) in &self.background.objects {
            if let Err(error) = reader.add_json(&String::from_utf8_lossy(&object.json)) {
                warn!(%error, plural = %resource.plural, name = %key.name, "the scheduler cannot read an object");
            }
        }
        let Objects { namespaces, storage, .. } = reader.drain().unwrap_or_default();
        let nodes: Vec<Arc<Node>> =
            self.order.iter().map(|id| Arc::clone(self.snapshot.node(*id))).collect();
        self.snapshot = Snapshot::new(namespaces, storage);
        self.nodes.clear();
        self.order.clear();
        self.crowds.clear();
        self.workloads.clear();
        self.silent.clear();
        self.rows = 0;
        self.largest_shape = 0;
        for entry in self.pods.values_mut() {
            entry.place = None;
        }
        self.reader.sweep();
        for node in nodes {
            self.insert_node(node);
        }
        self.background.stale = false;
        self.loosened(Hope::Room);
    }

    fn loosened(&mut self, hope: Hope) {
        self.changes += 1;
        self.loosenings += 1;
        self.woken = Some(hope);
    }

    fn read(&mut self, object: &Object) -> Option<Objects> {
        let read = self.reader.add_json(&String::from_utf8_lossy(&object.json));
        // Whatever came of it, the reader has to forget it.
        let drained = self.reader.drain();
        match read.and(drained) {
            Ok(objects) => Some(objects),
            Err(error) => {
                warn!(%error, "the scheduler cannot read an object");
                None
            }
        }
    }
}

// === impl Entry ===

impl Entry {
    /// Whether the scheduler has to find a node for it.
    pub(super) fn is_pending(&self, scheduler: Symbol) -> bool {
        let pod = &self.pod;
        pod.node.is_none()
            && !pod.has_ended()
            && !pod.gated
            && pod.deletion.is_none()
            && pod.scheduler == scheduler
    }

    /// Which changes may help it.
    pub(super) fn hope(&self) -> Hope {
        let shape = &self.pod.shape;
        let social = !shape.spread.is_empty() || !shape.affinity.is_empty();
        if social || !shape.volumes.is_empty() { Hope::Neighbours } else { Hope::Room }
    }
}

/// Whether the scheduler sees a difference between two states of a node.
fn looks_alike(old: &Node, new: &Node) -> bool {
    old.labels == new.labels
        && old.taints == new.taints
        && old.unschedulable == new.unschedulable
        && old.allocatable == new.allocatable
}

/// Whether it matters to a pod what namespaces and storage objects there are.
fn looks_behind(pod: &Pod) -> bool {
    let shape = &pod.shape;
    let mut terms = shape.affinity.iter().chain(&shape.anti_affinity);
    !shape.volumes.is_empty() || terms.any(|term| term.namespaces.selected.is_some())
}

fn find(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}
