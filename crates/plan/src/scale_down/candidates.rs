//! Nodes that could go, put together with those they have to go with, and in the order in which they are tried.

use std::cmp::{Ordering, Reverse};

use plimsoll_fit::NodeId;
use plimsoll_model::{Consolidation, Money, Symbol, Timestamp};

use super::{
    budgets::Budgets,
    drain::{Drain, Load},
    eligible::Judge,
    fates::{Fates, Hold},
};
use crate::{plan::BlockReason, scene::Scene, state::Readiness};

/// Nodes of a group that go together or not at all: one, or all of an atomic group.
#[derive(Debug)]
pub(super) struct Unit {
    pub group: usize,
    pub atomic: bool,
    /// What one of its nodes costs an hour.
    cost: Money,
    pub members: Vec<Candidate>,
}

/// A node that could go.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Its place in the World's list.
    pub node: usize,
    pub id: NodeId,
    name: Symbol,
    pub load: Load,
    used: f64,
    /// Since when nobody has needed it, if an earlier pass found that.
    pub since: Option<Timestamp>,
}

/// Finds the nodes that could go, and settles the fate of all others.
pub(super) fn find(scene: &Scene<'_>, budgets: &Budgets<'_>, fates: &mut Fates) -> Vec<Unit> {
    let world = scene.state.world;
    let judge = Judge::new(scene);
    let drain = Drain::new(scene, budgets);
    let only_empty = world.settings.scale_down.consolidation < Consolidation::Underutilized;
    let mut by_group: Vec<Vec<Candidate>> = world.groups.iter().map(|_| Vec::new()).collect();
    for (place, node) in world.nodes.iter().enumerate() {
        let judged = judge.judge(place).map_err(Hold::all).and_then(|eligible| {
            let load = drain.load(place)?;
            if only_empty && !load.is_empty() {
                return Err(Hold::all(BlockReason::NotUnderutilized));
            }
            Ok((eligible, load))
        });
        match judged {
            Ok((eligible, load)) => by_group[eligible.group].push(Candidate {
                node: place,
                id: scene.node_ids[place],
                name: node.name,
                load,
                used: eligible.used,
                since: world.memory.unneeded_since.get(&node.name).copied(),
            }),
            Err(hold) => fates.stay_alone(place, hold),
        }
    }
    let mut units = Vec::new();
    for (group, candidates) in by_group.into_iter().enumerate() {
        let cost = scene.templates[group].as_ref().map_or(Money::ZERO, |template| template.cost);
        if !world.groups[group].options.atomic {
            let alone = |one| Unit { group, atomic: false, cost, members: vec![one] };
            units.extend(candidates.into_iter().map(alone));
        } else if is_whole(scene, group, candidates.len()) {
            units.push(Unit { group, atomic: true, cost, members: candidates });
        } else {
            let failed = Hold::all(BlockReason::AtomicScaleDownFailed);
            for one in candidates {
                fates.stay_alone(one.node, failed);
            }
        }
    }
    units.sort_by(Unit::order);
    units
}

/// Whether so many nodes are all that there is of a group, and will be: nothing stays and nothing is on its way.
fn is_whole(scene: &Scene<'_>, group: usize, count: usize) -> bool {
    let found = &scene.state.groups[group];
    let stays = |node: &&usize| scene.state.nodes[**node].readiness != Readiness::BeingDeleted;
    count > 0 && found.nodes.iter().filter(stays).count() == count && found.upcoming == 0
}

// === impl Unit ===

impl Unit {
    /// Pods that have to be moved.
    pub(super) fn pods(&self) -> impl Iterator<Item = usize> + '_ {
        self.members.iter().flat_map(|member| member.load.moving.iter().copied())
    }

    /// The member that has this pod.
    pub(super) fn member_of(&self, pod: usize) -> Option<usize> {
        self.members.iter().position(|member| member.load.moving.contains(&pod))
    }

    /// What its nodes cost an hour.
    pub(super) fn cost(&self) -> Money {
        self.cost.times(u32::try_from(self.members.len()).unwrap_or(u32::MAX))
    }

    /// The name of its first node.
    pub(super) fn first(&self) -> Option<Symbol> {
        self.name()
    }

    /// How many of its nodes have to be drained.
    pub(super) fn drains(&self) -> usize {
        self.members.iter().filter(|member| !member.load.is_empty()).count()
    }

    /// Atomic groups first, since single nodes would always find the last bit of what may leave at once. Then empty nodes,
    /// which cost nobody anything. Then those that have been unneeded longest, so that the choice does not change from
    /// pass to pass and clocks run to their end. Then the dearest, since of two nodes that fit into each other the cheaper
    /// one should stay. Then those with the least to move.
    fn order(&self, other: &Self) -> Ordering {
        let key = |unit: &Self| {
            let pods = unit.pods().count();
            (!unit.atomic, unit.drains() > 0, unit.since(), Reverse(unit.cost), pods)
        };
        key(self)
            .cmp(&key(other))
            .then_with(|| self.used().total_cmp(&other.used()))
            .then_with(|| self.name().cmp(&other.name()))
    }

    /// Since when nobody has needed any of it; later than any time for one that was needed until now.
    fn since(&self) -> Timestamp {
        let since = self.members.iter().map(|member| member.since.unwrap_or(Timestamp::MAX));
        since.max().unwrap_or(Timestamp::MAX)
    }

    fn used(&self) -> f64 {
        self.members.iter().map(|member| member.used).fold(0.0, f64::max)
    }

    fn name(&self) -> Option<Symbol> {
        self.members.iter().map(|member| member.name).min()
    }
}
