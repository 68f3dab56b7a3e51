//! Consolidation by money: sets of nodes whose pods fit on the others and on fewer or cheaper new ones.
//!
//! Every node is worth what its pods would cost on nodes bought for them, at the cheapest group's price; what it costs beyond
//! that is waste. Sets of the most wasteful nodes, from one to all, are emptied on trial: their pods go to the nodes that
//! stay, and what is left is bought for like any pending pod. The best set is the one that saves most over the horizon, after
//! what every eviction and every node that comes or goes costs.

use plimsoll_model::{Consolidation, Money, SignedDuration, Timestamp};
use rustc_hash::FxHashMap;

use super::{budgets::Budgets, candidates, candidates::Unit, fates::Fates, replace};
use crate::{
    pending::Demand,
    scale_up::{self, Allowance, Market, Shop},
    scene::Scene,
};

/// The share of the largest gain for which a smaller set is taken.
const NEARLY: f64 = 0.9;

/// How often a set is tried again without the nodes that hold it up.
const RETRIES: usize = 3;

/// Nodes to replace, and what to buy for their pods first.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub shop: Shop,
    /// Places in the World's list.
    pub nodes: Vec<usize>,
}

/// What a look at the cluster brought.
#[derive(Debug)]
pub(crate) enum Look {
    /// It is not the time to look.
    NotNow,
    /// Nothing is worth the trouble.
    Nothing,
    /// These nodes are worth replacing.
    Found(Box<Proposal>),
}

/// A set of nodes tried out.
struct Trial {
    shop: Shop,
    /// The nodes of the set, by their places in the World's list.
    nodes: Vec<usize>,
    /// What they cost an hour.
    cost: Money,
    /// Saved an hour.
    saved: Money,
    /// What is gained over the horizon, in units of money.
    gain: f64,
}

/// Looks for nodes to replace, when the cluster is calm and the last look was some time ago.
pub(crate) fn consolidate(scene: &mut Scene<'_>, market: &Market, allowance: &Allowance) -> Look {
    if !is_time(scene) {
        return Look::NotNow;
    }
    let budgets = Budgets::new(scene);
    let units = candidates::find(scene, &budgets, &mut Fates::new(scene));
    let stays = |unit: &Unit| {
        unit.members.iter().any(|member| replace::has_stayed(scene.state.world, member.node))
    };
    let units = units.into_iter().filter(|unit| !unit.atomic && !stays(unit)).collect();
    let ranked = rank(scene, market, units);
    let ranked = above_minimum(scene, ranked);
    let mut trials: Vec<Trial> = Vec::new();
    let mut count = ranked.len();
    while count > 0 {
        let set: Vec<&Unit> = ranked[..count].iter().collect();
        let trial = attempt_most(scene, market, allowance, set);
        trials.extend(trial.filter(|trial| is_worth_it(scene, trial)));
        count /= 2;
    }
    let most = trials.iter().map(|trial| trial.gain).fold(0.0, f64::max);
    // A smaller set that gains nearly as much disturbs fewer.
    let best = trials.into_iter().rev().find(|trial| trial.gain >= most * NEARLY);
    best.map_or(Look::Nothing, |trial| {
        Look::Found(Box::new(Proposal { shop: trial.shop, nodes: trial.nodes }))
    })
}

/// Nothing has been bought or given back for a while, nothing is being replaced, and the last look was as long ago.
fn is_time(scene: &Scene<'_>) -> bool {
    let world = scene.state.world;
    let pause = world.settings.group.unneeded_time;
    let calm = |last: Option<Timestamp>| {
        last.is_none_or(|last| world.now.duration_since(last) >= pause.max(SignedDuration::ZERO))
    };
    let memory = &world.memory;
    world.settings.scale_down.enabled
        && world.settings.scale_down.consolidation == Consolidation::Cost
        && scene.state.healthy
        && memory.replacement.is_none()
        && calm(memory.last_scale_up)
        && calm(memory.last_scale_down)
        && calm(memory.last_scale_down_failure)
        && calm(memory.consolidated)
}

/// The units by how much more they cost than their pods are worth, the most wasteful first.
fn rank(scene: &mut Scene<'_>, market: &Market, units: Vec<Unit>) -> Vec<Unit> {
    let demands: Vec<Demand> =
        units.iter().flat_map(|unit| unit.pods().filter_map(|pod| demand(scene, pod))).collect();
    let worth: FxHashMap<_, _> = scale_up::worth(scene, market, &demands);
    let mut wasteful: Vec<(f64, Unit)> = units
        .into_iter()
        .map(|unit| {
            let cost = unit.cost().units();
            let pods = unit.pods().filter_map(|pod| demand(scene, pod));
            let value: f64 = pods.filter_map(|demand| worth.get(&demand.shape)).sum();
            ((cost - value) / cost.max(1e-9), unit)
        })
        .collect();
    wasteful.sort_by(|(one, unit), (other, other_unit)| {
        other.total_cmp(one).then_with(|| unit.first().cmp(&other_unit.first()))
    });
    wasteful.into_iter().map(|(_, unit)| unit).collect()
}

/// No more of a group than it has above its minimum: the others would stay whatever is bought for them.
fn above_minimum(scene: &Scene<'_>, units: Vec<Unit>) -> Vec<Unit> {
    let groups = scene.state.groups.iter().zip(&scene.state.world.groups);
    let mut above: Vec<u32> = groups
        .map(|(found, group)| found.target.saturating_sub(found.leaving).saturating_sub(group.min))
        .collect();
    let mut may_leave = |unit: &Unit| {
        let left = &mut above[unit.group];
        let may = *left > 0;
        *left = left.saturating_sub(1);
        may
    };
    units.into_iter().filter(|unit| may_leave(unit)).collect()
}

/// Empties the units on trial, without those that have pods for which there is no other place.
fn attempt_most(
    scene: &mut Scene<'_>,
    market: &Market,
    allowance: &Allowance,
    mut units: Vec<&Unit>,
) -> Option<Trial> {
    for _ in 0..RETRIES {
        match attempt(scene, market, allowance, &units) {
            Ok(trial) => return Some(trial),
            Err(stuck) => {
                units.retain(|unit| {
                    !stuck.iter().any(|demand| unit.member_of(demand.pod).is_some())
                });
            }
        }
    }
    None
}

/// Empties the units on trial; the error is the pods that have no place anywhere.
fn attempt(
    scene: &mut Scene<'_>,
    market: &Market,
    allowance: &Allowance,
    units: &[&Unit],
) -> Result<Trial, Vec<Demand>> {
    let mark = scene.snapshot.mark();
    let members = || units.iter().flat_map(|unit| &unit.members);
    let mut demands = Vec::new();
    for member in members() {
        scene.snapshot.close_node(member.id);
        for pod in &member.load.moving {
            demands.extend(demand(scene, *pod));
            if let Some(id) = scene.pod_ids[*pod] {
                scene.snapshot.evict(id);
            }
        }
    }
    let evictions = demands.iter().map(|demand| eviction_cost(scene, demand)).sum::<f64>();
    let (shop, rest) = scale_up::rehouse(scene, market, allowance, demands);
    scene.snapshot.undo(mark);
    if !rest.is_empty() {
        return Err(rest);
    }
    let bought: Money = shop.nodes.iter().map(|node| shop.offers[node.offer].cost).sum();
    let cost: Money = units.iter().map(|unit| unit.cost()).sum();
    let saved = cost - bought;
    let settings = &scene.state.world.settings.scale_down;
    let hours = settings.horizon.as_secs_f64() / 3600.0;
    let churn = u32::try_from(units.len() + shop.nodes.len()).map_or(f64::INFINITY, f64::from);
    let gain = saved.units() * hours - evictions - churn * settings.eviction_cost.units();
    Ok(Trial { shop, nodes: members().map(|member| member.node).collect(), cost, saved, gain })
}

/// Above the threshold, and a gain at all.
fn is_worth_it(scene: &Scene<'_>, trial: &Trial) -> bool {
    let percent = f64::from(scene.state.world.settings.scale_down.threshold_percent);
    trial.gain > 0.0
        && !trial.shop.nodes.is_empty()
        && trial.saved.units() * 100.0 >= trial.cost.units() * percent
}

/// Evicting a pod costs more the more important it is, and what its deletion cost says.
fn eviction_cost(scene: &Scene<'_>, demand: &Demand) -> f64 {
    let world = scene.state.world;
    let pod = &world.pods[demand.pod];
    let importance = 1.0 + f64::from(pod.priority.clamp(0, 1_000_000)) / 100_000.0;
    let own = pod.extras.as_ref().map_or(0, |extras| extras.deletion_cost);
    let own = 1.0 + f64::from(own.clamp(0, 1_000_000)) / 1_000.0;
    world.settings.scale_down.eviction_cost.units() * importance * own
}

fn demand(scene: &Scene<'_>, pod: usize) -> Option<Demand> {
    let shape = scene.snapshot.shape_of(scene.pod_ids[pod]?);
    let priority = scene.state.world.pods[pod].priority;
    Some(Demand { pod, shape, priority, silent: true, held: None })
}
