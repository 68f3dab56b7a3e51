//! How much may leave: down to the minimums of groups and cluster, and at what pace.
//!
//! What is chosen is taken off at once, so that the bounds hold for all that a pass gives back together.

use plimsoll_model::{Node, Symbol, Text, resource};

use super::{candidates::Unit, fates::Hold};
use crate::{
    plan::BlockReason,
    scene::Scene,
    state::{Readiness, marks},
};

/// What may still leave.
#[derive(Debug)]
pub(super) struct Allowances {
    /// By group.
    groups: Vec<GroupAllowance>,
    /// What the cluster has above its minimums.
    surplus: Surplus,
    /// `max-scale-down-parallelism`, less the deletions under way.
    nodes: usize,
    /// `max-drain-parallelism`, less the drains under way.
    drains: usize,
    /// An atomic group that is larger than the pace allows may leave all the same, but only one of them.
    may_overflow: bool,
}

#[derive(Clone, Copy, Debug)]
struct GroupAllowance {
    /// Nodes above the minimum, deletions under way left out.
    above_min: usize,
    /// `max-group-share-per-pass`, less the deletions under way.
    share: usize,
}

/// Resources above the least amounts that the cluster has to keep.
#[derive(Clone, Debug)]
struct Surplus {
    cores: i64,
    memory: i64,
    gpus: Vec<(Text, i64)>,
}

// === impl Allowances ===

impl Allowances {
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let settings = &scene.state.world.settings.scale_down;
        let leaving: Vec<usize> = (scene.state.nodes.iter().enumerate())
            .filter(|(_, found)| {
                found.group.is_some() && found.readiness == Readiness::BeingDeleted
            })
            .map(|(node, _)| node)
            .collect();
        let draining = leaving.iter().filter(|node| is_occupied(scene, **node)).count();
        Self {
            groups: (0..scene.state.groups.len())
                .map(|group| GroupAllowance::new(scene, group))
                .collect(),
            surplus: Surplus::new(scene),
            nodes: wide(settings.parallelism).saturating_sub(leaving.len()),
            drains: wide(settings.drain_parallelism).saturating_sub(draining),
            may_overflow: true,
        }
    }

    /// What the cluster or the group has to keep in any case.
    pub(super) fn floor(&self, scene: &Scene<'_>, unit: &Unit) -> Option<Hold> {
        if unit.members.len() > self.groups[unit.group].above_min {
            return Some(Hold::all(BlockReason::NodeGroupMinSizeReached));
        }
        let mut surplus = self.surplus.clone();
        unit.members
            .iter()
            .for_each(|member| surplus.change(&scene.state.world.nodes[member.node], -1));
        surplus.is_short().then(|| Hold::all(BlockReason::MinimalResourceLimitExceeded))
    }

    /// What may not leave in this pass, but may in another.
    ///
    /// An atomic group waits for as many free places as it has nodes; a large one would wait for ever, so one of them may go
    /// as soon as there is any.
    pub(super) fn pace(&self, unit: &Unit) -> Option<Hold> {
        let (nodes, drains) = (unit.members.len(), unit.drains());
        let fits = nodes <= self.nodes && drains <= self.drains;
        let squeezes_in =
            unit.atomic && self.may_overflow && self.nodes > 0 && (drains == 0 || self.drains > 0);
        let in_share = nodes <= self.groups[unit.group].share;
        let allowed = in_share && (fits || squeezes_in);
        (!allowed).then(|| Hold::all(BlockReason::Budget))
    }

    /// The unit leaves.
    pub(super) fn take(&mut self, scene: &Scene<'_>, unit: &Unit) {
        let (nodes, drains) = (unit.members.len(), unit.drains());
        self.may_overflow &= nodes <= self.nodes && drains <= self.drains;
        self.nodes = self.nodes.saturating_sub(nodes);
        self.drains = self.drains.saturating_sub(drains);
        let group = &mut self.groups[unit.group];
        group.above_min = group.above_min.saturating_sub(nodes);
        group.share = group.share.saturating_sub(nodes);
        for member in &unit.members {
            self.surplus.change(&scene.state.world.nodes[member.node], -1);
        }
    }
}

/// Whether a node that is leaving still has pods that matter.
fn is_occupied(scene: &Scene<'_>, node: usize) -> bool {
    let pods = scene.residents.of(node).iter().map(|pod| &scene.state.world.pods[*pod]);
    pods.into_iter().any(|pod| !pod.is_daemon() && !pod.is_mirror())
}

// === impl GroupAllowance ===

impl GroupAllowance {
    fn new(scene: &Scene<'_>, place: usize) -> Self {
        let (group, found) = (&scene.state.world.groups[place], &scene.state.groups[place]);
        let percent = scene.state.world.settings.scale_down.group_share_percent;
        let size = found.nodes.len();
        let share = (size.saturating_mul(wide(percent)) / 100).max(1);
        // By the provider's word and by what is here, whichever is less: what is on its way may never come.
        let by_target = wide(found.target.saturating_sub(found.leaving));
        let here = size.saturating_sub(wide(found.being_deleted));
        Self {
            above_min: by_target.min(here).saturating_sub(wide(group.min)),
            share: share.saturating_sub(wide(found.being_deleted)),
        }
    }
}

// === impl Surplus ===

impl Surplus {
    /// What is there and not leaving, less the minimums. What is on its way may never come.
    fn new(scene: &Scene<'_>) -> Self {
        let world = scene.state.world;
        let limits = &world.settings.limits;
        let mut surplus = Self {
            cores: limits.cores.min.saturating_mul(-1000),
            memory: limits.memory_gib.min.saturating_mul(-(1 << 30)),
            gpus: limits
                .gpus
                .iter()
                .map(|(kind, range)| (Text::from(*kind), range.min.saturating_neg()))
                .collect(),
        };
        for (node, found) in world.nodes.iter().zip(&scene.state.nodes) {
            if found.readiness != Readiness::BeingDeleted {
                surplus.change(node, 1);
            }
        }
        surplus
    }

    fn change(&mut self, node: &Node, nodes: i64) {
        let change = |left: &mut i64, amount: i64| {
            *left = left.saturating_add(amount.saturating_mul(nodes));
        };
        change(&mut self.cores, node.capacity.get(Symbol::new(resource::CPU)));
        change(&mut self.memory, node.capacity.get(Symbol::new(resource::MEMORY)));
        let kind = marks::accelerator_label(node);
        if let Some((_, left)) = self.gpus.iter_mut().find(|(limited, _)| Some(limited) == kind) {
            change(left, marks::gpus(&node.capacity));
        }
    }

    fn is_short(&self) -> bool {
        self.cores < 0 || self.memory < 0 || self.gpus.iter().any(|(_, left)| *left < 0)
    }
}

fn wide(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
