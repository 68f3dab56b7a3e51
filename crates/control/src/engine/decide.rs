//! The part of a pass that thinks: it has no I/O, takes a while, and runs aside.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use plimsoll_cluster::mirror::Mirror;
use plimsoll_model::{
    Advice, Group, Memory, PodName, Replacement, Resources, Settings, Symbol, World,
};
use plimsoll_plan::{Admission, Plan, admits, plan};
use plimsoll_provider::{Inventory, Order, OrderId};
use rustc_hash::FxHashMap;
use tokio::time::Instant;

use super::pass::Seen;
use crate::observe::{self, Ingredients, Owners, Staged};

/// What is seen of the cluster. It goes where the thinking is done, and comes back.
#[derive(Debug)]
pub(super) struct Sight {
    pub mirror: Mirror,
    pub owners: Owners,
}

/// What is to be decided on.
#[derive(Debug)]
pub(super) struct Matter {
    pub now: Timestamp,
    pub settings: Settings,
    pub cluster_uid: Option<Box<str>>,
    pub inventory: Inventory,
    pub memory: Memory,
    pub expected: FxHashMap<Symbol, u32>,
    /// The same without orders of which it is to be found out whether they are still allowed.
    pub decided: FxHashMap<Symbol, u32>,
    /// Those orders.
    pub undecided: Vec<Order>,
    pub leaving: BTreeSet<Symbol>,
    /// Nodes on their way out that can still stay without harm, with the moment since when nobody needed them.
    pub revocable: BTreeMap<Symbol, Timestamp>,
    /// New nodes that are closed and will be opened soon.
    pub awaited: BTreeSet<Symbol>,
    /// Nodes on their way out for whose pods cheaper ones were bought.
    pub replaced: BTreeSet<Symbol>,
    /// Nodes that stay after all, though they still look as if they left.
    pub releasing: BTreeSet<Symbol>,
    /// It is to be found out whether those that can still stay can go. Otherwise that is done only when somebody waits for a place.
    pub check: bool,
    pub advice: Vec<Advice>,
    pub whole_world: bool,
}

/// What was decided.
#[derive(Debug)]
pub(super) struct Decision {
    pub plan: Plan,
    pub seen: Seen,
    /// For nodes on their way out that can still stay: `Ok` when they can go, else why not.
    pub verdicts: BTreeMap<Symbol, Result<(), String>>,
    /// Whether an order that is to be placed again is still allowed: one at a time, for each counts for the next.
    pub admission: Option<(OrderId, Admission)>,
    pub world: Option<Arc<World>>,
    pub observing: Duration,
    pub planning: Duration,
}

/// How long it took.
#[derive(Debug, Default)]
struct Effort {
    observing: Duration,
    planning: Duration,
}

/// Decides. Answers with `None` when the planner failed, which is a defect; everything is as before then.
pub(super) fn decide(sight: &mut Sight, matter: &Matter) -> Option<Decision> {
    let mut effort = Effort::default();
    let admission = timed(&mut effort.observing, || admit(sight, matter));
    let in_doubt = !matter.revocable.is_empty();
    let mut verdicts = BTreeMap::new();
    let check_first = in_doubt && (matter.check || somebody_waits(sight));
    if check_first {
        verdicts = check(sight, matter, &mut effort)?;
    }
    let mut decided = settle(sight, matter, &verdicts, &mut effort)?;
    if in_doubt && !check_first && !decided.0.purchases.is_empty() {
        // It may be for their own pods that something would be bought: those that came after a mark was taken off.
        verdicts = check(sight, matter, &mut effort)?;
        decided = settle(sight, matter, &verdicts, &mut effort)?;
    }
    let (plan, groups, world) = decided;
    let seen = timed(&mut effort.observing, || look(&mut sight.mirror, &plan, groups));
    let Effort { observing, planning } = effort;
    Some(Decision { plan, seen, verdicts, admission, world, observing, planning })
}

/// Finds out whether the first order that is to be placed again is still allowed.
fn admit(sight: &mut Sight, matter: &Matter) -> Option<(OrderId, Admission)> {
    let order = matter.undecided.first()?;
    let Sight { mirror, owners } = sight;
    let mut ingredients = ingredients(owners, matter, matter.memory.clone(), BTreeSet::new());
    ingredients.expected.clone_from(&matter.decided);
    let staged = observe::stage(mirror, ingredients);
    let world = mirror.world();
    let target = world.groups.iter().find(|group| group.id == order.group);
    let wanted = order.from.saturating_add(order.count);
    let missing = target.map_or(order.count, |group| wanted.saturating_sub(group.target));
    let admission = admits(world, order.group, missing);
    staged.undo(mirror);
    Some((order.id.clone(), admission))
}

/// Finds out which of those that can still stay can go.
fn check(
    sight: &mut Sight,
    matter: &Matter,
    effort: &mut Effort,
) -> Option<BTreeMap<Symbol, Result<(), String>>> {
    let all = matter.revocable.keys().chain(&matter.releasing).copied().collect();
    let staged = timed(&mut effort.observing, || {
        let memory = doubting(matter);
        stage(sight, matter, memory, all)
    });
    let planned = timed(&mut effort.planning, || think(sight, matter));
    staged.undo(&mut sight.mirror);
    Some(judge(&planned?, &matter.revocable))
}

/// Plans, with those that stay after all: nothing is bought that they have room for.
fn settle(
    sight: &mut Sight,
    matter: &Matter,
    verdicts: &BTreeMap<Symbol, Result<(), String>>,
    effort: &mut Effort,
) -> Option<(Plan, Vec<Group>, Option<Arc<World>>)> {
    let staying = verdicts.iter().filter(|(_, verdict)| verdict.is_err());
    let staying = staying.map(|(node, _)| *node).chain(matter.releasing.iter().copied()).collect();
    let memory = matter.memory.clone();
    let staged = timed(&mut effort.observing, || stage(sight, matter, memory, staying));
    let planned = timed(&mut effort.planning, || think(sight, matter));
    let world = matter.whole_world.then(|| Arc::new(sight.mirror.world().clone()));
    let groups = staged.undo(&mut sight.mirror);
    Some((planned?, groups, world))
}

fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    *sum += begun.elapsed();
    done
}

/// Whether a pod waits for a place.
fn somebody_waits(sight: &mut Sight) -> bool {
    let mut pods = sight.mirror.world().pods.iter();
    pods.any(|pod| pod.node.is_none() && pod.deletion.is_none() && !pod.has_ended())
}

/// The memory of one who has not decided yet that nodes leave.
fn doubting(matter: &Matter) -> Memory {
    let mut memory = matter.memory.clone();
    memory.unneeded_since.extend(matter.revocable.iter().map(|(node, since)| (*node, *since)));
    let replaced = matter.replaced.iter().filter(|node| matter.revocable.contains_key(node));
    let mut replaced = replaced.copied().peekable();
    if replaced.peek().is_some() {
        // Their successors are there: it is they who go, and not the new ones for being empty.
        let replacement = memory.replacement.get_or_insert_with(|| Replacement {
            nodes: BTreeSet::new(),
            groups: BTreeMap::new(),
            at: matter.now,
        });
        replacement.nodes.extend(replaced);
    }
    memory
}

/// Puts everything together. Nodes on their way out that are `doubted` are shown as if they were not.
fn stage(sight: &mut Sight, matter: &Matter, memory: Memory, doubted: BTreeSet<Symbol>) -> Staged {
    let Sight { mirror, owners } = sight;
    observe::stage(mirror, ingredients(owners, matter, memory, doubted))
}

fn ingredients<'m>(
    owners: &'m Owners,
    matter: &'m Matter,
    memory: Memory,
    doubted: BTreeSet<Symbol>,
) -> Ingredients<'m> {
    Ingredients {
        now: matter.now,
        settings: &matter.settings,
        cluster_uid: matter.cluster_uid.clone(),
        inventory: matter.inventory.clone(),
        owners,
        memory,
        expected: matter.expected.clone(),
        leaving: matter.leaving.clone(),
        awaited: matter.awaited.clone(),
        doubted,
    }
}

fn think(sight: &mut Sight, matter: &Matter) -> Option<Plan> {
    let world = sight.mirror.world();
    world.advice.clone_from(&matter.advice);
    // The World is only looked at, so nothing is left half-done in it.
    let planned = catch_unwind(AssertUnwindSafe(|| plan(world)));
    if planned.is_err() {
        tracing::error!("the planner failed on what it saw; nothing is done in this pass");
    }
    planned.ok()
}

/// A node still can go when nobody needs it, whether or not its turn would be now.
fn judge(
    plan: &Plan,
    doubted: &BTreeMap<Symbol, Timestamp>,
) -> BTreeMap<Symbol, Result<(), String>> {
    let verdict = |node: &Symbol| {
        let blocked = plan.blocked.iter().find(|blocked| blocked.node == *node);
        let unneeded = plan.unneeded.iter().any(|unneeded| unneeded.node == *node);
        let leaves = plan.retirements.iter().any(|retirement| retirement.node == *node);
        let judged = blocked.is_none_or(|blocked| blocked.reason.is_judgement());
        if leaves || (unneeded && judged) {
            return Ok(());
        }
        Err(match blocked {
            Some(blocked) => match (&blocked.pod, blocked.pod_reason) {
                (Some(pod), Some(reason)) => format!("{:?} by {pod}: {reason:?}", blocked.reason),
                (Some(pod), None) => format!("{:?} by {pod}", blocked.reason),
                (None, _) => format!("{:?}", blocked.reason),
            },
            None => "the node is gone".to_owned(),
        })
    };
    doubted.keys().map(|node| (*node, verdict(node))).collect()
}

fn look(mirror: &mut Mirror, plan: &Plan, groups: Vec<Group>) -> Seen {
    let world = mirror.world();
    let nodes = world.nodes.clone();
    let pending = world.pods.iter().filter(|pod| pod.node.is_none() && !pod.has_ended());
    let pending: Vec<_> = pending.cloned().collect();
    let mut requested: BTreeMap<Symbol, Resources> = BTreeMap::new();
    for pod in world.pods.iter().filter(|pod| !pod.has_ended()) {
        if let Some(node) = pod.node {
            requested.entry(node).or_default().add_all(&pod.shape.requests);
        }
    }
    let pods = world.pods.len();
    let spoken: BTreeSet<&PodName> = (plan.pods.iter().map(|report| &report.pod))
        .chain(plan.retirements.iter().flat_map(|retirement| &retirement.evict))
        .chain(plan.blocked.iter().filter_map(|blocked| blocked.pod.as_ref()))
        .collect();
    let pod_uids = spoken.into_iter().filter_map(|pod| {
        let uid = mirror.pod_uid(pod)?;
        Some((pod.clone(), uid.into()))
    });
    let node_uids = nodes.iter().filter_map(|node| {
        let uid = mirror.node_uid(node.name)?;
        Some((node.name, uid.into()))
    });
    Seen {
        pod_uids: pod_uids.collect(),
        node_uids: node_uids.collect(),
        unreadable: mirror.unreadable().collect(),
        nodes,
        groups,
        pending,
        requested,
        pods,
    }
}

#[cfg(test)]
mod tests;
