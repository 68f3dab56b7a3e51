//! The cluster as the scheduler knows it, kept up to date by watches.
//!
//! Nodes and pods change the snapshot one by one. Namespaces and storage objects are few and change seldom: when they do, and some
//! pod looks at them, the snapshot is made anew.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use plimsoll_fit::{NodeId, PodId, ShapeId, Snapshot};
use plimsoll_manifest::{Objects, Reader};
use plimsoll_model::{Budget, Namespaces, Pod, Symbol, resource};
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::warn;

use super::queue::Hope;
use crate::{Object, object::Key, store::Resource};

mod background;
mod nodes;
mod pods;

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
