//! The part of a pass that decides: it has no I/O, takes a while, and runs aside.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use plimsoll_cluster::{mirror::Mirror, source::Kinds};
use plimsoll_model::{
    Advice, Group, Memory, Order, OrderId, PodName, Replacement, Resources, ScaleUp, Settings,
    Symbol, World,
};
use plimsoll_plan::{Admission, Plan, admits, plan, words};
use plimsoll_provider::Inventory;
use rustc_hash::FxHashMap;
use tokio::time::Instant;

use super::pass::Seen;
use crate::observe::{self, Ingredients, Owners, Staged};

/// What is known of the cluster, beside the providers' inventories. It is lent to the planner, and comes back.
#[derive(Debug)]
pub(super) struct Observation {
    pub mirror: Mirror,
    pub owners: Owners,
}

/// What a plan goes by, beside the observation.
#[derive(Debug)]
pub(super) struct Inputs {
    pub now: Timestamp,
    pub settings: Settings,
    pub cluster_uid: Option<Box<str>>,
    pub inventory: Inventory,
    pub memory: Memory,
    /// Scale-ups that have not ended.
    pub orders: Vec<Order<ScaleUp>>,
    pub expected: FxHashMap<Symbol, u32>,
    /// The same without orders of which it is to be found out whether they are still allowed.
    pub decided: FxHashMap<Symbol, u32>,
    /// Those orders.
    pub undecided: Vec<Order<ScaleUp>>,
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

/// How long the parts of a decision took.
#[derive(Debug, Default)]
struct Effort {
    observing: Duration,
    planning: Duration,
}

// === impl Observation ===

impl Observation {
    /// Nothing is known yet. These kinds have to be seen before anything is decided.
    pub(super) fn new(now: Timestamp, kinds: Kinds) -> Self {
        Self { mirror: Mirror::new(now, kinds), owners: Owners::default() }
    }
}

/// Decides. Answers with `None` when the planner failed, which is a defect; everything is as before then.
pub(super) fn decide(observation: &mut Observation, inputs: &Inputs) -> Option<Decision> {
    let mut effort = Effort::default();
    let admission = timed(&mut effort.observing, || admit(observation, inputs));
    let in_doubt = !inputs.revocable.is_empty();
    let mut verdicts = BTreeMap::new();
    let check_first = in_doubt && (inputs.check || is_pod_pending(observation));
    if check_first {
        verdicts = check(observation, inputs, &mut effort)?;
    }
    let mut decided = settle(observation, inputs, &verdicts, &mut effort)?;
    if in_doubt && !check_first && !decided.0.purchases.is_empty() {
        // It may be for their own pods that something would be bought: those that came after a mark was taken off.
        verdicts = check(observation, inputs, &mut effort)?;
        decided = settle(observation, inputs, &verdicts, &mut effort)?;
    }
    let (plan, groups, world) = decided;
    let seen = timed(&mut effort.observing, || look(&mut observation.mirror, &plan, groups));
    let Effort { observing, planning } = effort;
    Some(Decision { plan, seen, verdicts, admission, world, observing, planning })
}

/// Finds out whether the first order that is to be placed again is still allowed.
fn admit(observation: &mut Observation, inputs: &Inputs) -> Option<(OrderId, Admission)> {
    let order = inputs.undecided.first()?;
    let Observation { mirror, owners } = observation;
    let mut ingredients = ingredients(owners, inputs, inputs.memory.clone(), BTreeSet::new());
    ingredients.expected.clone_from(&inputs.decided);
    let staged = observe::stage(mirror, ingredients);
    let world = mirror.world();
    let ScaleUp { group, count, .. } = order.intent;
    let found = world.groups.iter().find(|known| known.id == group);
    let missing = found.map_or(count, |found| order.target().saturating_sub(found.target));
    let admission = admits(world, group, missing);
    staged.undo(mirror);
    Some((order.id.clone(), admission))
}

/// Finds out which of those that can still stay can go.
fn check(
    observation: &mut Observation,
    inputs: &Inputs,
    effort: &mut Effort,
) -> Option<BTreeMap<Symbol, Result<(), String>>> {
    let all = inputs.revocable.keys().chain(&inputs.releasing).copied().collect();
    let staged = timed(&mut effort.observing, || {
        let memory = memory_in_doubt(inputs);
        stage(observation, inputs, memory, all)
    });
    let planned = timed(&mut effort.planning, || run_planner(observation, inputs));
    staged.undo(&mut observation.mirror);
    Some(judge(&planned?, &inputs.revocable))
}

/// Plans, with those that stay after all: nothing is bought that they have room for.
fn settle(
    observation: &mut Observation,
    inputs: &Inputs,
    verdicts: &BTreeMap<Symbol, Result<(), String>>,
    effort: &mut Effort,
) -> Option<(Plan, Vec<Group>, Option<Arc<World>>)> {
    let staying = verdicts.iter().filter(|(_, verdict)| verdict.is_err());
    let staying = staying.map(|(node, _)| *node).chain(inputs.releasing.iter().copied()).collect();
    let memory = inputs.memory.clone();
    let staged = timed(&mut effort.observing, || stage(observation, inputs, memory, staying));
    let planned = timed(&mut effort.planning, || run_planner(observation, inputs));
    let world = inputs.whole_world.then(|| Arc::new(observation.mirror.world().clone()));
    let groups = staged.undo(&mut observation.mirror);
    Some((planned?, groups, world))
}

fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    *sum += begun.elapsed();
    done
}

/// Whether a pod is pending.
fn is_pod_pending(observation: &mut Observation) -> bool {
    let mut pods = observation.mirror.world().pods.iter();
    pods.any(|pod| pod.node.is_none() && pod.deletion.is_none() && !pod.has_ended())
}

/// The memory of one who has not decided yet that nodes leave.
fn memory_in_doubt(inputs: &Inputs) -> Memory {
    let mut memory = inputs.memory.clone();
    memory.unneeded_since.extend(inputs.revocable.iter().map(|(node, since)| (*node, *since)));
    let replaced = inputs.replaced.iter().filter(|node| inputs.revocable.contains_key(node));
    let mut replaced = replaced.copied().peekable();
    if replaced.peek().is_some() {
        // Their successors are there: it is they who go, and not the new ones for being empty.
        let replacement = memory.replacement.get_or_insert_with(|| Replacement {
            nodes: BTreeSet::new(),
            groups: BTreeMap::new(),
            at: inputs.now,
        });
        replacement.nodes.extend(replaced);
    }
    memory
}

/// Puts everything together. Nodes on their way out that are `doubted` are shown as if they were not.
fn stage(
    observation: &mut Observation,
    inputs: &Inputs,
    memory: Memory,
    doubted: BTreeSet<Symbol>,
) -> Staged {
    let Observation { mirror, owners } = observation;
    observe::stage(mirror, ingredients(owners, inputs, memory, doubted))
}

fn ingredients<'m>(
    owners: &'m Owners,
    inputs: &'m Inputs,
    memory: Memory,
    doubted: BTreeSet<Symbol>,
) -> Ingredients<'m> {
    Ingredients {
        now: inputs.now,
        settings: &inputs.settings,
        cluster_uid: inputs.cluster_uid.clone(),
        inventory: inputs.inventory.clone(),
        owners,
        memory,
        orders: inputs.orders.clone(),
        expected: inputs.expected.clone(),
        leaving: inputs.leaving.clone(),
        awaited: inputs.awaited.clone(),
        doubted,
    }
}

fn run_planner(observation: &mut Observation, inputs: &Inputs) -> Option<Plan> {
    let world = observation.mirror.world();
    world.advice.clone_from(&inputs.advice);
    // The World is only looked at, so nothing is left half-done in it.
    let planned = catch_unwind(AssertUnwindSafe(|| plan(world)));
    if planned.is_err() {
        tracing::error!("the planner failed, which is a defect; nothing is done in this pass");
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
            Some(blocked) => words::block(blocked),
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
    // By hash first: there are many pods, and symbols are ordered by their text.
    let mut requested: FxHashMap<Symbol, Resources> = FxHashMap::default();
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
        requested: requested.into_iter().collect(),
        pods,
    }
}

#[cfg(test)]
mod tests;
