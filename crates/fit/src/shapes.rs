//! Pod shapes as a snapshot knows them: everything that can be worked out once is worked out here.

use std::sync::Arc;

use indexmap::IndexMap;
use plimsoll_model::{PodShape, Symbol, Text};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{
    capacity::Ask,
    devices::{DeviceProblem, Wanted},
    ids::{CounterId, GateId, KeyId, PodId, ShapeId},
    search::Cursors,
};

/// All shapes seen so far.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    table: IndexMap<Arc<PodShape>, ShapeEntry, FxBuildHasher>,
    /// Shapes by each of their labels: a new counter looks here for pods to count.
    by_pair: FxHashMap<(Symbol, Text), Vec<ShapeId>>,
}

/// What the snapshot keeps for a shape.
#[derive(Debug)]
pub(crate) struct ShapeEntry {
    /// Labels, taints and cordon, in one verdict per class of nodes.
    pub gate: GateId,
    /// What a node has to have free, the slot for the pod included.
    pub asks: Box<[Ask]>,
    /// What a pod takes of a node: the same, and what the profile does not look at.
    pub uses: Box<[Ask]>,
    /// What its claims want of devices, or what is wrong with them; `None` for shapes without claims.
    pub claims: Option<Box<Result<Wanted, DeviceProblem>>>,
    /// Required topology spread.
    pub spread: Box<[SpreadCheck]>,
    /// Required pod affinity.
    pub affinity: AffinityCheck,
    /// Counters of pods that this shape's own anti-affinity keeps away from.
    pub avoids: Box<[CounterId]>,
    /// Counters of pods whose anti-affinity keeps this shape away.
    pub repelled_by: Vec<CounterId>,
    /// Counters that a pod of this shape is part of.
    pub counted_in: Vec<CounterId>,
    /// Pods of this shape in the snapshot, in no particular order.
    pub pods: Vec<PodId>,
    /// Where the last searches ended.
    pub cursors: Cursors,
}

/// One spread constraint.
#[derive(Debug)]
pub(crate) struct SpreadCheck {
    pub key: KeyId,
    /// `None` when nothing can ever be counted: then only the key has to be there.
    pub counter: Option<CounterId>,
    pub max_skew: u32,
    pub min_domains: u32,
    /// Whether the pod itself would be counted.
    pub counts_itself: bool,
}

/// Required pod affinity: all terms together.
#[derive(Debug, Default)]
pub(crate) struct AffinityCheck {
    /// One counter a term.
    pub needs: Box<[CounterId]>,
    /// Whether the pod satisfies its own terms, so that the first of its kind can go anywhere.
    pub satisfies_itself: bool,
    /// A term without a selector matches no pod, so nothing will ever do.
    pub impossible: bool,
}

// === impl Shapes ===

impl Shapes {
    pub(crate) fn find(&self, shape: &PodShape) -> Option<ShapeId> {
        self.table.get_index_of(shape).map(ShapeId::new)
    }

    pub(crate) fn add(
        &mut self,
        shape: Arc<PodShape>,
        gate: GateId,
        asks: Box<[Ask]>,
        uses: Box<[Ask]>,
    ) -> ShapeId {
        let id = ShapeId::new(self.table.len());
        for (key, value) in shape.labels.iter() {
            self.by_pair.entry((key, value.clone())).or_default().push(id);
        }
        let entry = ShapeEntry {
            gate,
            asks,
            uses,
            claims: None,
            spread: Box::default(),
            affinity: AffinityCheck::default(),
            avoids: Box::default(),
            repelled_by: Vec::new(),
            counted_in: Vec::new(),
            pods: Vec::new(),
            cursors: Cursors::default(),
        };
        self.table.insert(shape, entry);
        id
    }

    pub(crate) fn shape(&self, id: ShapeId) -> &Arc<PodShape> {
        self.pair(id).0
    }

    pub(crate) fn entry(&self, id: ShapeId) -> &ShapeEntry {
        self.pair(id).1
    }

    pub(crate) fn entry_mut(&mut self, id: ShapeId) -> &mut ShapeEntry {
        &mut self.table[id.index()]
    }

    /// Shapes that may have this label; all shapes when no label is known.
    pub(crate) fn candidates(&self, pair: Option<&(Symbol, Text)>) -> Vec<ShapeId> {
        match pair {
            Some(pair) => self.by_pair.get(pair).cloned().unwrap_or_default(),
            None => (0..self.table.len()).map(ShapeId::new).collect(),
        }
    }

    fn pair(&self, id: ShapeId) -> (&Arc<PodShape>, &ShapeEntry) {
        #[expect(clippy::expect_used, reason = "shape handles are made here and never removed")]
        self.table.get_index(id.index()).expect("a shape of this snapshot")
    }
}
