//! Where pods can be moved to, and how far the search for each kind of pod has come.
//!
//! While nodes are emptied one after the other, the nodes that stay only ever fill up. So for each kind of pod the nodes that
//! refuse it for good are passed over once, and whole clusters are gone through in one sweep instead of one for every pod.

use plimsoll_fit::{NodeId, ShapeId, Snapshot};
use plimsoll_model::{PodShape, World};
use rustc_hash::FxHashMap;

use super::kinds::Kinds;
use crate::{scale_down::candidates::Unit, scene::Scene, state::Readiness};

/// Nodes that may take pods, in the order in which they are filled.
#[derive(Debug)]
pub(super) struct Destinations<'w> {
    world: &'w World,
    nodes: Vec<NodeId>,
    kinds: Kinds<'w>,
    /// By kind: how many of the first nodes refuse it whatever other pods are there.
    refused: Vec<usize>,
    /// What `refused` was before the trial that is under way, last change last.
    changes: Vec<(usize, usize)>,
    /// Where a pod of a shape that looks at others was placed last. The next one is tried from there on: it will hardly be
    /// wanted where the ones before it are.
    last: FxHashMap<ShapeId, usize>,
}

// === impl Destinations ===

impl<'w> Destinations<'w> {
    /// Ready nodes that are going to stay, then those that could go, the likeliest to go last.
    ///
    /// Nodes that are on their way or bought in this pass are left out: they are for pods that wait, and nobody is evicted
    /// in the hope of a node that is not there yet.
    pub(super) fn new(scene: &Scene<'w>, units: &[Unit]) -> Self {
        let mut is_candidate = vec![false; scene.node_ids.len()];
        for member in units.iter().flat_map(|unit| &unit.members) {
            is_candidate[member.node] = true;
        }
        let ready = |node: &usize| scene.state.nodes[*node].readiness == Readiness::Ready;
        let staying = (0..scene.node_ids.len()).filter(|node| !is_candidate[*node]);
        let candidates =
            units.iter().rev().flat_map(|unit| &unit.members).map(|member| member.node);
        let nodes = staying.chain(candidates).filter(ready).map(|node| scene.node_ids[node]);
        Self {
            world: scene.state.world,
            nodes: nodes.collect(),
            kinds: Kinds::new(scene.state.world),
            refused: Vec::new(),
            changes: Vec::new(),
            last: FxHashMap::default(),
        }
    }

    pub(super) fn world(&self) -> &'w World {
        self.world
    }

    /// All of them, in the order in which they are filled.
    pub(super) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// A trial begins.
    pub(super) fn begin(&mut self) {
        self.changes.clear();
    }

    /// The trial is dropped, and all nodes have again what they had.
    pub(super) fn revert(&mut self) {
        while let Some((kind, refused)) = self.changes.pop() {
            self.refused[kind] = refused;
        }
    }

    /// A rough size, for serving large pods first.
    pub(super) fn size(&mut self, shape: ShapeId, pod: usize) -> i64 {
        let kind = self.kinds.of(shape, pod);
        self.kinds.size(kind)
    }

    /// Whether placing other pods may make a place for this one.
    pub(super) fn may_wait(&self, pod: usize) -> bool {
        let shape = &self.world.pods[pod].shape;
        !shape.affinity.is_empty() || !shape.spread.is_empty()
    }

    /// The node that takes the pod.
    pub(super) fn find(&mut self, trial: &Snapshot, shape: ShapeId, pod: usize) -> Option<NodeId> {
        let asked = &self.world.pods[pod].shape;
        let kind = self.kinds.of(shape, pod);
        let start = self.pass_over(trial, shape, kind, asked);
        if !looks_at_others(asked) {
            let nodes = self.nodes.get(start..)?;
            return nodes.iter().copied().find(|node| trial.fits(shape, *node));
        }
        let last = self.last.get(&shape).copied().unwrap_or(start).clamp(start, self.nodes.len());
        let mut places = (last..self.nodes.len()).chain(start..last);
        let found = places.find(|place| trial.fits(shape, self.nodes[*place]))?;
        self.last.insert(shape, found);
        Some(self.nodes[found])
    }

    /// Passes over the first nodes as long as they refuse the pod for good. A pod with volumes or claims for devices may be
    /// refused for their sake, so it uses what others have found out and adds nothing to it.
    fn pass_over(
        &mut self,
        trial: &Snapshot,
        shape: ShapeId,
        kind: usize,
        asked: &PodShape,
    ) -> usize {
        if self.refused.len() <= kind {
            self.refused.resize(kind + 1, 0);
        }
        let before = self.refused[kind];
        if !asked.volumes.is_empty() || !asked.device_claims.is_empty() {
            return before;
        }
        let refusing =
            self.nodes[before..].iter().take_while(|node| !trial.fits_alone(shape, **node)).count();
        if refusing > 0 {
            self.changes.push((kind, before));
            self.refused[kind] = before + refusing;
        }
        before + refusing
    }
}

fn looks_at_others(shape: &PodShape) -> bool {
    !shape.affinity.is_empty() || !shape.anti_affinity.is_empty() || !shape.spread.is_empty()
}
