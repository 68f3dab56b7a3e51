//! Kinds of pods that nodes refuse alike, whatever the labels of the pods are.

use std::hash::{Hash, Hasher};

use plimsoll_fit::ShapeId;
use plimsoll_model::{PodShape, World, resource};
use rustc_hash::FxHashMap;

/// Kinds by shape. Pods of a StatefulSet have a label each of their own, so there may be as many shapes as pods; what a node
/// looks at before it looks at other pods is much the same for all.
#[derive(Debug)]
pub(super) struct Kinds<'w> {
    world: &'w World,
    of_shape: FxHashMap<ShapeId, usize>,
    known: FxHashMap<Kind<'w>, usize>,
    /// By kind: a rough size.
    sizes: Vec<i64>,
}

/// A shape, compared by what a node looks at without regard to other pods. Volumes are left out: pods with volumes are
/// refused for reasons of their own, and what refuses a pod without them refuses one with them too.
#[derive(Clone, Copy, Debug)]
struct Kind<'w>(&'w PodShape);

// === impl Kinds ===

impl<'w> Kinds<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        Self {
            world,
            of_shape: FxHashMap::default(),
            known: FxHashMap::default(),
            sizes: Vec::new(),
        }
    }

    /// The kind of a pod of the World, whose shape is known to the snapshot by this handle. Kinds are numbered from 0 in the
    /// order in which they are first asked for.
    pub(super) fn of(&mut self, shape: ShapeId, pod: usize) -> usize {
        if let Some(kind) = self.of_shape.get(&shape) {
            return *kind;
        }
        let asked: &'w PodShape = &self.world.pods[pod].shape;
        let next = self.known.len();
        let kind = *self.known.entry(Kind(asked)).or_insert(next);
        if kind == next {
            self.sizes.push(size(asked));
        }
        self.of_shape.insert(shape, kind);
        kind
    }

    pub(super) fn size(&self, kind: usize) -> i64 {
        self.sizes[kind]
    }
}

// === impl Kind ===

impl Kind<'_> {
    fn parts(&self) -> impl PartialEq + Hash + '_ {
        let shape = self.0;
        (&shape.requests, &shape.node_affinity, &shape.tolerations, &shape.ports, shape.pinned_to)
    }
}

impl PartialEq for Kind<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.0, other.0);
        one.requests == other.requests
            && one.node_affinity == other.node_affinity
            && one.tolerations == other.tolerations
            && one.ports == other.ports
            && one.pinned_to == other.pinned_to
    }
}

impl Eq for Kind<'_> {}

impl Hash for Kind<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

/// Thousandths of a core, of four gibibytes or of a device, whichever is most.
fn size(shape: &PodShape) -> i64 {
    let weighed = shape.requests.iter().map(|(name, amount)| match name.as_str() {
        resource::CPU => amount,
        resource::MEMORY => amount >> 22,
        device if device.contains('/') => amount.min(1 << 20) * 1000,
        _ => 0,
    });
    weighed.max().unwrap_or(0)
}
