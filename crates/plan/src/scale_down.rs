//! What to give back: nodes that nobody needs, and for every node that stays the reason.
//!
//! ```text
//! eligible ──▶ drain ──▶ candidates ──▶ timers, cooldown, allowances, budgets ──▶ simulate ──▶ leaves
//! cheap        rules     in order       may it go now?                            a place for
//! reasons      per pod                      └─ not now ──▶ simulate ──▶ unneeded   every pod
//! ```
//!
//! What may go now is decided first and in order, each node on top of those before it, so that all that leave can leave
//! together. Nodes that have to wait come after that, and only to learn whether their clocks run.

mod allowances;
mod budgets;
mod candidates;
mod consolidate;
mod cooldown;
mod drain;
mod eligible;
mod fates;
mod replace;
mod simulate;
mod timers;
mod unremovable;
mod utilization;

pub(crate) use self::consolidate::{Look, Proposal, consolidate};
use plimsoll_fit::NodeId;
use plimsoll_model::{Memory, SignedDuration, World};

use self::{
    allowances::Allowances,
    budgets::Budgets,
    candidates::Unit,
    cooldown::Cooldown,
    fates::{Fates, Hold},
    replace::Replacing,
    simulate::Moves,
};
use crate::{
    plan::{BlockReason, Blocked, PodBlockReason, Retirement, Unneeded},
    scale_up::Shop,
    scene::Scene,
};

/// How long an eviction is remembered: by then the pod's successor has been seen, or nobody makes one.
///
/// Nothing here needs it to keep room free: until an evicted pod is gone it counts as one that has to move, and after that
/// its successor is among the pods that wait.
const RECENT: SignedDuration = SignedDuration::from_mins(5);

/// What to give back, and why the rest stays. Every node of the World is either in `retirements` or in `blocked`.
#[derive(Debug, Default)]
pub(crate) struct GivenBack {
    pub retirements: Vec<Retirement>,
    /// Nodes that nobody needs, whether they go now or have to wait.
    pub unneeded: Vec<Unneeded>,
    pub blocked: Vec<Blocked>,
    /// A replacement could go on, and none of its nodes can leave, whoever leaves first.
    pub stuck: bool,
}

/// Decides which nodes to give back. Afterwards the scene shows the cluster without them, their pods elsewhere.
pub(crate) fn give_back(scene: &mut Scene<'_>, shop: &Shop) -> GivenBack {
    if !scene.state.healthy {
        return keep_all(scene, BlockReason::ClusterUnhealthy);
    }
    let mut fates = Fates::new(scene);
    let mut budgets = Budgets::new(scene);
    let units = candidates::find(scene, &budgets, &mut fates);
    let mut allowances = Allowances::new(scene);
    let cooldown = Cooldown::new(scene, shop);
    let replacing = Replacing::new(scene);
    // Nobody moves to where he would have to move away from.
    for node in replacing.iter().flat_map(|replacing| replacing.open(scene)).collect::<Vec<_>>() {
        scene.snapshot.close_node(node);
    }
    let mut moves = Moves::new(scene, &units);
    let mut waiting = Vec::new();
    let mut others_first = false;
    for unit in units {
        if let (None, Some(hold)) = (&replacing, unremovable::hold(scene, &unit)) {
            fates.stay(&unit, hold);
            continue;
        }
        let hold = match &replacing {
            Some(replacing) => replacing.hold(scene, &unit),
            None => timers::hold(scene, &unit)
                .or_else(|| cooldown.holds(unit.group).then(|| Hold::all(BlockReason::Cooldown))),
        };
        let hold = hold
            .or_else(|| allowances.floor(scene, &unit))
            .or_else(|| exhausted(&budgets, scene.state.world, &unit));
        let hold = hold.or_else(|| {
            let hold = allowances.pace(&unit);
            others_first |= hold.is_some();
            hold
        });
        if let Some(hold) = hold {
            waiting.push((unit, hold));
            continue;
        }
        if moves.is_spent() {
            others_first = true;
            fates.pass_over(&unit, BlockReason::SimulationTimeout);
            continue;
        }
        match moves.vacate(&mut scene.snapshot, &mut scene.pod_ids, &unit) {
            Ok(()) => {
                allowances.take(scene, &unit);
                budgets.take(scene.state.world, unit.pods());
                fates.leave(scene, &mut budgets, &unit, replacing.is_some());
            }
            Err(stuck) => fates.stay(&unit, Hold::one(stuck, BlockReason::NoPlaceToMovePods)),
        }
    }
    watch(scene, &mut moves, &mut fates, waiting);
    let ready = replacing.as_ref().is_some_and(Replacing::is_ready);
    let mut given = fates.settle(scene);
    given.stuck = ready && given.retirements.is_empty() && !others_first;
    given
}

/// Gives nothing back and judges no node. Clocks stand as they were.
pub(crate) fn keep_all(scene: &Scene<'_>, reason: BlockReason) -> GivenBack {
    let mut fates = Fates::new(scene);
    fates.freeze(scene, reason);
    fates.settle(scene)
}

/// Nodes that take pods and will not for long: the cheaper ones that were bought for their pods are there.
pub(crate) fn replaced(scene: &Scene<'_>) -> Vec<NodeId> {
    Replacing::new(scene).map(|replacing| replacing.open(scene)).unwrap_or_default()
}

/// Finds out which of the nodes that cannot go now are unneeded: all of those that could go together, were it their time.
fn watch(
    scene: &mut Scene<'_>,
    moves: &mut Moves<'_>,
    fates: &mut Fates,
    waiting: Vec<(Unit, Hold)>,
) {
    let mut pod_ids = scene.pod_ids.clone();
    let now = scene.state.world.now;
    let mut trial = scene.snapshot.fork();
    for (unit, hold) in waiting {
        if moves.is_spent() {
            fates.pass_over(&unit, BlockReason::SimulationTimeout);
            continue;
        }
        match moves.vacate(&mut trial, &mut pod_ids, &unit) {
            Ok(()) => {
                fates.stay(&unit, hold);
                fates.unneeded(&unit, now);
            }
            Err(stuck) => fates.stay(&unit, Hold::one(stuck, BlockReason::NoPlaceToMovePods)),
        }
    }
}

/// A pod whose disruption budget does not allow all that the unit needs, beside what this pass already takes from it.
///
/// A budget recovers when evicted pods run again, so such a node only waits, and its clock runs on meanwhile.
fn exhausted(budgets: &Budgets<'_>, world: &World, unit: &Unit) -> Option<Hold> {
    let pod = budgets.shortage(world, unit.pods())?;
    let member = unit.member_of(pod).unwrap_or(0);
    Some(Hold::by_pod(member, pod, PodBlockReason::NotEnoughPdb))
}

// === impl GivenBack ===

impl GivenBack {
    /// Writes down what the next pass has to know: the clocks of unneeded nodes, and that something leaves now.
    pub(crate) fn remember(&self, world: &World, memory: &mut Memory) {
        let now = world.now;
        memory.unneeded_since =
            self.unneeded.iter().map(|unneeded| (unneeded.node, unneeded.since)).collect();
        unremovable::remember(world, &self.blocked, memory);
        let leaves = |node| self.retirements.iter().any(|retirement| retirement.node == node);
        replace::remember(world, memory, leaves, self.stuck);
        memory.recent_evictions.retain(|_, at| now.duration_since(*at) < RECENT);
        for retirement in &self.retirements {
            memory.last_scale_down = Some(now);
            memory.group_activity.entry(retirement.group).or_default().scale_down = Some(now);
            memory.recent_evictions.extend(retirement.evict.iter().map(|pod| (pod.clone(), now)));
        }
    }
}

#[cfg(test)]
mod tests;
