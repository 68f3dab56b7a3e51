//! From what a pass found and did to the Plan.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_fit::NodeId;
use plimsoll_model::{Contested, Memory, OrderId, PodName, Replacement, StandIn, Symbol, World};
use rustc_hash::FxHashMap;

use crate::{
    exemplar,
    plan::{
        Cost, GroupReport, Kept, Outcome, Place, Placement, Plan, PodReport, Purchase, Repair,
        Retirement,
    },
    quotas,
    requests::Requests,
    scale_down::{GivenBack, Look, Proposal},
    scale_up::Bought,
    scene::Scene,
    serve::Served,
    template::listed_price,
};

/// What the parts of a pass have found.
#[derive(Debug)]
pub(crate) struct Findings {
    /// Pods that need nothing, by place, with the reason and the node in view.
    pub settled: Vec<(usize, Outcome, Option<Symbol>)>,
    pub served: Served,
    /// Nodes that are worth replacing, looked for only when nothing else is bought or given back.
    pub look: Look,
    /// What is given back, and why the rest stays.
    pub given: GivenBack,
    pub requests: Requests,
}

/// Puts the Plan together.
pub(crate) fn report(scene: Scene<'_>, mut findings: Findings) -> Plan {
    let replaced = adopt(&mut findings);
    let places = places(&scene, &findings.served.bought);
    let purchases = purchases(&scene, &findings.served.bought);
    let mut plan = Plan {
        groups: groups(&scene),
        quotas: quotas::reports(scene.state.world),
        open_orders: open_orders(&scene),
        contradiction: scene.state.contradiction,
        healthy: scene.state.healthy,
        cost: cost(&scene, &purchases, &findings.given.retirements),
        placements: placements(&scene, &findings, &places),
        kept: kept(&scene, &findings, &places),
        buffers: Vec::new(),
        pods: pods(&scene, &findings, &places),
        requests: findings.requests.reports(scene.state.world),
        memory: remember(&scene, &purchases, &findings, replaced),
        questions: findings.served.bought.shop.questions.clone(),
        purchases,
        retirements: findings.given.retirements,
        repairs: scene.state.repairs,
        removals: scene.state.removals,
        contested: contested(scene.state.world),
        unneeded: findings.given.unneeded,
        blocked: findings.given.blocked,
    };
    plan.repairs.sort_unstable();
    plan
}

/// The nodes that do not exist yet: upcoming ones in their order, new ones in the order in which they were chosen.
fn places(scene: &Scene<'_>, bought: &Bought) -> FxHashMap<NodeId, Place> {
    let mut places = FxHashMap::default();
    let mut upcoming: BTreeMap<usize, u32> = BTreeMap::new();
    for (place, node) in &scene.upcoming {
        let number = upcoming.entry(*place).or_default();
        *number += 1;
        let group = scene.state.world.groups[*place].id;
        places.insert(*node, Place::Upcoming { group, number: *number });
    }
    let mut new: BTreeMap<usize, u32> = BTreeMap::new();
    for node in &bought.shop.nodes {
        let number = new.entry(node.group).or_default();
        *number += 1;
        let group = scene.state.world.groups[node.group].id;
        places.insert(node.id, Place::New { group, number: *number });
    }
    places
}

fn purchases(scene: &Scene<'_>, bought: &Bought) -> Vec<Purchase> {
    let world = scene.state.world;
    let group_of: FxHashMap<NodeId, usize> =
        bought.shop.nodes.iter().map(|node| (node.id, node.group)).collect();
    let mut grown: BTreeMap<usize, (u32, Vec<PodName>)> = BTreeMap::new();
    for node in &bought.shop.nodes {
        grown.entry(node.group).or_default().0 += 1;
    }
    for placed in bought.shop.placed.iter().filter(|placed| !placed.demand.silent) {
        if let Some(group) = group_of.get(&placed.node) {
            grown.entry(*group).or_default().1.push(world.pods[placed.demand.pod].id());
        }
    }
    let mut purchases: Vec<Purchase> = grown
        .into_iter()
        .map(|(group, (count, mut pods))| {
            pods.sort_unstable();
            let from = scene.state.groups[group].target;
            Purchase { group: world.groups[group].id, from, to: from + count, pods }
        })
        .collect();
    purchases.sort_unstable();
    purchases
}

fn contested(world: &World) -> Vec<Contested> {
    let mut contested = world.contested.clone();
    contested.sort_unstable();
    contested
}

fn groups(scene: &Scene<'_>) -> Vec<GroupReport> {
    let mut reports: Vec<GroupReport> = scene
        .state
        .world
        .groups
        .iter()
        .zip(&scene.state.groups)
        .map(|(group, found)| GroupReport {
            id: group.id,
            health: found.health.clone(),
            target: group.target,
            ready: found.ready,
            upcoming: found.found_upcoming,
            held: found.held,
        })
        .collect();
    reports.sort_by_key(|report| report.id);
    reports
}

/// Money by the providers' word, for the targets as found and as they will be.
fn cost(scene: &Scene<'_>, purchases: &[Purchase], retirements: &[Retirement]) -> Cost {
    let world = scene.state.world;
    let mut retired: FxHashMap<Symbol, u32> = FxHashMap::default();
    for retirement in retirements {
        *retired.entry(retirement.group).or_default() += 1;
    }
    let mut cost = Cost::default();
    for (group, found) in world.groups.iter().zip(&scene.state.groups) {
        let price = listed_price(group);
        let purchase = purchases.iter().find(|purchase| purchase.group == group.id);
        cost.before = cost.before + price.times(group.target);
        let retired = retired.get(&group.id).copied().unwrap_or(0);
        let target = purchase.map_or(found.target, |purchase| purchase.to);
        cost.after = cost.after + price.times(target.saturating_sub(retired));
    }
    cost
}

fn placements(
    scene: &Scene<'_>,
    findings: &Findings,
    places: &FxHashMap<NodeId, Place>,
) -> Vec<Placement> {
    let world = scene.state.world;
    let nominated = findings.settled.iter().filter_map(|(pod, _, node)| {
        node.map(|node| Placement { pod: world.pods[*pod].id(), node: Place::Existing(node) })
    });
    let served = &findings.served;
    let placed = served.fitted.iter().chain(&served.bought.shop.placed);
    let placed = placed.filter(|placed| !placed.demand.silent).map(|placed| Placement {
        pod: world.pods[placed.demand.pod].id(),
        node: place_of(scene, places, placed.node),
    });
    nominated.chain(placed).collect()
}

/// Pods that do not exist, by node and by what they stand for.
fn kept(scene: &Scene<'_>, findings: &Findings, places: &FxHashMap<NodeId, Place>) -> Vec<Kept> {
    let world = scene.state.world;
    let served = &findings.served;
    let placed = served.fitted.iter().chain(&served.bought.shop.placed);
    let mut kept: BTreeMap<(Place, StandIn), u32> = BTreeMap::new();
    for placed in placed.filter(|placed| placed.demand.silent) {
        if let Some(stands_for) = world.pods[placed.demand.pod].stands_for() {
            *kept.entry((place_of(scene, places, placed.node), stands_for)).or_default() += 1;
        }
    }
    let kept = kept.into_iter();
    kept.map(|((node, stands_for), pods)| Kept { node, stands_for, pods }).collect()
}

fn place_of(scene: &Scene<'_>, places: &FxHashMap<NodeId, Place>, node: NodeId) -> Place {
    let existing = || Place::Existing(scene.snapshot.node(node).name);
    places.get(&node).copied().unwrap_or_else(existing)
}

fn pods(
    scene: &Scene<'_>,
    findings: &Findings,
    places: &FxHashMap<NodeId, Place>,
) -> Vec<PodReport> {
    let world = scene.state.world;
    let none: Arc<[_]> = Arc::from([]);
    let entry = |pod: usize, outcome, group: Option<usize>, node| PodReport {
        pod: world.pods[pod].id(),
        outcome,
        group: group.map(|group| world.groups[group].id),
        node,
        rejections: Arc::clone(&none),
    };
    let mut reports: Vec<PodReport> = findings
        .settled
        .iter()
        .map(|(pod, outcome, node)| entry(*pod, *outcome, None, node.map(Place::Existing)))
        .collect();
    for placed in findings.served.fitted.iter().filter(|placed| !placed.demand.silent) {
        let node = Some(place_of(scene, places, placed.node));
        reports.push(entry(placed.demand.pod, Outcome::FitsExisting, None, node));
    }
    for demand in findings.served.held.iter().filter(|demand| !demand.silent) {
        let outcome = demand.held.unwrap_or(Outcome::AwaitsNextPass);
        reports.push(entry(demand.pod, outcome, None, None));
    }
    let group_of: FxHashMap<NodeId, usize> =
        findings.served.bought.shop.nodes.iter().map(|node| (node.id, node.group)).collect();
    for placed in findings.served.bought.shop.placed.iter().filter(|placed| !placed.demand.silent) {
        let group = group_of.get(&placed.node).copied();
        // Without a group it is a node that was here: a purchase for others made room there.
        let (outcome, node) = match group {
            Some(_) => (Outcome::TriggeredScaleUp, None),
            None => (Outcome::FitsExisting, Some(place_of(scene, places, placed.node))),
        };
        reports.push(entry(placed.demand.pod, outcome, group, node));
    }
    for demand in findings.served.bought.rest.iter().filter(|demand| !demand.silent) {
        let (outcome, rejections) = match findings.served.explained.get(&demand.shape) {
            Some((outcome, rejections)) => (*outcome, Arc::clone(rejections)),
            None => (Outcome::NoGroupFits, Arc::clone(&none)),
        };
        reports.push(PodReport { rejections, ..entry(demand.pod, outcome, None, None) });
    }
    reports.sort_by(|one, other| one.pod.cmp(&other.pod));
    reports
}

/// Makes the purchase of a replacement that of the pass. Answers with the nodes that it replaces.
fn adopt(findings: &mut Findings) -> Option<Vec<usize>> {
    match std::mem::replace(&mut findings.look, Look::Nothing) {
        Look::Found(found) => {
            let Proposal { shop, nodes } = *found;
            findings.served.bought.shop = shop;
            Some(nodes)
        }
        look => {
            findings.look = look;
            None
        }
    }
}

/// Scale-ups of the World whose machines are still expected.
fn open_orders(scene: &Scene<'_>) -> Vec<OrderId> {
    let groups = scene.state.groups.iter();
    let mut open: Vec<_> = groups.flat_map(|group| &group.open_orders).cloned().collect();
    open.sort();
    open
}

/// What the next pass has to remember of what this one buys and gives back.
fn remember(
    scene: &Scene<'_>,
    purchases: &[Purchase],
    findings: &Findings,
    replaced: Option<Vec<usize>>,
) -> Memory {
    let now = scene.state.world.now;
    let mut memory = scene.state.memory.clone();
    let raised = scene.state.repairs.iter().filter_map(|repair| match repair {
        Repair::RaiseToMin { group, .. } => Some(*group),
        _ => None,
    });
    for group in purchases.iter().map(|purchase| purchase.group).chain(raised) {
        memory.group_activity.entry(group).or_default().scale_up = Some(now);
        memory.last_scale_up = Some(now);
    }
    let world = scene.state.world;
    memory.requests = findings.requests.memory(world);
    memory.exemplars = exemplar::remember(scene);
    findings.given.remember(world, &mut memory);
    if let Look::Nothing = findings.look {
        memory.consolidated = Some(now);
    }
    if let Some(nodes) = replaced {
        let nodes = nodes.into_iter().map(|node| world.nodes[node].name).collect();
        let groups = purchases.iter().map(|one| (one.group, one.to - one.from)).collect();
        memory.replacement = Some(Replacement { nodes, groups, at: now });
    }
    memory
}
