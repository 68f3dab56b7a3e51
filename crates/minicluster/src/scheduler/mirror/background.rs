//! What changes seldom: budgets, namespaces and storage objects. The last two may call for a new snapshot.

use std::sync::Arc;

use jiff::Timestamp;
use plimsoll_fit::Snapshot;
use plimsoll_manifest::{Objects, Reader};
use plimsoll_model::Node;
use tracing::warn;

use super::Mirror;
use crate::{Object, object::Key, scheduler::queue::Hope, store::Resource};

/// Rows of nodes that are gone, and shapes of pods that are gone, are thrown away when there are more than this and more than
/// are in use.
const MOST_WASTE: usize = 10_000;

// === impl Mirror ===

impl Mirror {
    pub(in crate::scheduler) fn put_budget(&mut self, object: &Object) {
        let budget = self.read(object).and_then(|objects| objects.budgets.into_iter().next());
        match budget {
            Some(budget) => self.budgets.insert(object.key.clone(), budget),
            None => self.budgets.remove(&object.key),
        };
    }

    /// A namespace or a storage object has changed, or is gone.
    pub(in crate::scheduler) fn put_background(
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
    pub(in crate::scheduler) fn settle(&mut self) {
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
        let Objects { namespaces, storage, devices, .. } = reader.drain().unwrap_or_default();
        let nodes: Vec<Arc<Node>> =
            self.order.iter().map(|id| Arc::clone(self.snapshot.node(*id))).collect();
        self.snapshot = Snapshot::new(namespaces, storage).with_devices(&devices);
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
}
