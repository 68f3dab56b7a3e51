//! Replacement under way: nodes that leave once the cheaper ones bought for their pods are ready.
//!
//! The purchase comes first and is remembered with the nodes it replaces. Until the new nodes are there nothing else is given
//! back, so that they are not taken for idle ones; then the old nodes go by the rules and at the pace of any other.

use plimsoll_fit::NodeId;
use plimsoll_model::{Memory, Replacement, SignedDuration, Symbol, World};

use super::{candidates::Unit, fates::Hold};
use crate::{plan::BlockReason, scene::Scene, state::Readiness};

/// A replacement that takes longer than this is given up: what was bought stays, and what it was for is judged anew.
const PATIENCE: SignedDuration = SignedDuration::from_hours(6);

/// What an earlier pass has begun.
#[derive(Debug)]
pub(super) struct Replacing<'w> {
    replacement: &'w Replacement,
    /// All that was bought is there.
    ready: bool,
}

// === impl Replacing ===

impl<'w> Replacing<'w> {
    /// The replacement under way, if there is one and it still makes sense.
    pub(super) fn new(scene: &Scene<'w>) -> Option<Self> {
        let world = scene.state.world;
        let replacement = world.memory.replacement.as_ref()?;
        let here = replacement.nodes.iter().any(|node| scene.state.node_places.contains_key(node));
        if !here || is_stale(replacement, world) {
            return None;
        }
        let is_here = |group: &Symbol| {
            let place = world.groups.iter().position(|other| other.id == *group);
            place.is_none_or(|place| {
                let found = &scene.state.groups[place];
                found.upcoming == 0 && found.not_started == 0
            })
        };
        Some(Self { replacement, ready: replacement.groups.keys().all(is_here) })
    }

    /// Whether the nodes could go.
    pub(super) fn is_ready(&self) -> bool {
        self.ready
    }

    /// The nodes that leave and take pods until they do; none before they could go.
    pub(super) fn open(&self, scene: &Scene<'_>) -> Vec<NodeId> {
        let state = &scene.state;
        let nodes = self.replacement.nodes.iter().filter(|_| self.ready);
        let places = nodes.filter_map(|node| state.node_places.get(node).copied());
        let open = places.filter(|place| state.nodes[*place].readiness == Readiness::Ready);
        open.map(|place| scene.node_ids[place]).collect()
    }

    /// Why a unit waits.
    pub(super) fn hold(&self, scene: &Scene<'_>, unit: &Unit) -> Option<Hold> {
        let leaves =
            |node: usize| self.replacement.nodes.contains(&scene.state.world.nodes[node].name);
        let goes = self.ready && unit.members.iter().all(|member| leaves(member.node));
        (!goes).then(|| Hold::all(BlockReason::Cooldown))
    }
}

fn is_stale(replacement: &Replacement, world: &World) -> bool {
    world.now.duration_since(replacement.at) > PATIENCE
}

/// Whether a node had to stay when it was to be replaced, not long ago. Together with it others would be replaced by their like, and
/// the next look would find the same again.
pub(super) fn has_stayed(world: &World, node: usize) -> bool {
    let stayed = world.memory.stayed.get(&world.nodes[node].name);
    stayed.is_some_and(|at| world.now.duration_since(*at) <= PATIENCE)
}

/// Forgets nodes that are gone or go now, and a replacement that is done, stale or stuck: what is left of it is judged anew.
pub(super) fn remember(
    world: &World,
    memory: &mut Memory,
    leaves: impl Fn(Symbol) -> bool,
    stuck: bool,
) {
    let here = |name: &Symbol| world.nodes.iter().any(|node| node.name == *name);
    memory.stayed.retain(|node, at| here(node) && world.now.duration_since(*at) <= PATIENCE);
    let Some(replacement) = &mut memory.replacement else { return };
    replacement.nodes.retain(|node| here(node) && !leaves(*node));
    if stuck {
        memory.stayed.extend(replacement.nodes.iter().map(|node| (*node, world.now)));
    }
    if stuck || replacement.nodes.is_empty() || is_stale(replacement, world) {
        memory.replacement = None;
    }
}
