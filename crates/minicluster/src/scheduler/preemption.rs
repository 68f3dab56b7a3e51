//! Preemption: pods of lower priority make room.
//!
//! On each node where pods that leave could help, all pods of lower priority are taken off, and then as many as possible put back:
//! first those whose budget would be violated, then the others, the most important first. What cannot be put back are the victims.
//! Among the nodes the one is taken that violates the fewest budgets, then the one whose most important victim is least important,
//! then the one with the smallest sum of priorities, then the one with the fewest victims, then the one whose victims are youngest.

use std::cmp::Reverse;

use jiff::Timestamp;
use plimsoll_fit::{NodeId, PodId, Rejection, ShapeId};
use plimsoll_model::Pod;

use super::{
    choice::reservations,
    mirror::Mirror,
    words::{Cure, Reasons},
};
use crate::object::Key;

/// In large clusters so many possibilities are compared, if that is more than a tenth of the nodes.
const FEW_CANDIDATES: usize = 100;

/// What came of looking for room.
#[derive(Debug)]
pub(super) enum Outcome {
    /// These pods have to leave that node.
    Victims(Candidate),
    /// No pods that leave would help; the sentence says why.
    Hopeless(String),
}

/// A node on which room can be made.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) node: NodeId,
    /// The most important first.
    pub(super) victims: Vec<Key>,
    price: Price,
}

/// What a candidate costs; the least is best.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Price {
    violations: usize,
    highest: i32,
    /// Each counted from the lowest priority there is, so that fewer victims are never dearer than more.
    sum: i64,
    count: usize,
    /// The youngest are the cheapest.
    oldest: Reverse<Timestamp>,
}

/// A pod that may have to go.
#[derive(Clone, Debug)]
struct Lesser {
    key: Key,
    slot: PodId,
    shape: ShapeId,
    priority: i32,
    created: Timestamp,
}

/// Why this pod may not make others leave, if it may not: it does not want to, or others are leaving for it already, on a node that
/// could still take it.
pub(super) fn forbidden(
    mirror: &Mirror,
    key: &Key,
    objections: &[(NodeId, Rejection, Cure)],
) -> Option<&'static str> {
    let entry = mirror.pods.get(key)?;
    if entry.peaceful {
        return Some("not eligible due to preemptionPolicy=Never.");
    }
    let node = mirror.nominated.get(key)?;
    let id = mirror.nodes.get(node)?;
    let objection = objections.iter().find(|(other, _, _)| other == id);
    if objection.is_some_and(|(_, _, cure)| *cure == Cure::Impossible) {
        return None;
    }
    let mut residents = mirror.by_node.get(node)?.iter().filter_map(|key| mirror.pods.get(key));
    let leaving = residents
        .any(|other| other.pod.priority < entry.pod.priority && other.pod.deletion.is_some());
    leaving.then_some("not eligible due to a terminating pod on the nominated node.")
}

/// Looks for the node where making room costs least.
pub(super) fn find(
    mirror: &mut Mirror,
    key: &Key,
    pod: &Pod,
    shape: ShapeId,
    objections: &[(NodeId, Rejection, Cure)],
) -> Outcome {
    let nodes = mirror.order.len();
    let most = FEW_CANDIDATES.max(nodes / 10);
    let mut reasons = Reasons::default();
    let curable: Vec<NodeId> = objections
        .iter()
        .filter(|(_, _, cure)| *cure == Cure::Possible)
        .map(|(node, _, _)| *node)
        .collect();
    reasons.add_not_helpful(nodes - curable.len());
    let reserved = reservations(mirror, key, pod.priority);
    let mut candidates: Vec<Candidate> = Vec::new();
    for node in curable {
        let mark = mirror.snapshot.mark();
        for (shape, node) in &reserved {
            mirror.snapshot.place(*shape, *node);
        }
        let candidate = victims_on(mirror, pod, shape, node, &mut reasons);
        mirror.snapshot.undo(mark);
        candidates.extend(candidate);
        let clean = candidates.iter().any(|candidate| candidate.price.violations == 0);
        if clean && candidates.len() >= most {
            break;
        }
    }
    match candidates.into_iter().min_by(|one, other| one.price.cmp(&other.price)) {
        Some(best) => Outcome::Victims(best),
        None => Outcome::Hopeless(reasons.sentence(nodes)),
    }
}

/// The pods that have to leave a node. The snapshot is left in disorder; the caller takes it back.
fn victims_on(
    mirror: &mut Mirror,
    pod: &Pod,
    shape: ShapeId,
    node: NodeId,
    reasons: &mut Reasons,
) -> Option<Candidate> {
    let mut lesser = lesser_pods(mirror, node, pod.priority);
    if lesser.is_empty() {
        reasons.add_without_victims();
        return None;
    }
    for one in &lesser {
        mirror.snapshot.evict(one.slot);
    }
    if !mirror.snapshot.fits(shape, node) {
        if let Some(first) = mirror.snapshot.judge(shape, node).first() {
            reasons.add(first);
        }
        return None;
    }
    lesser.sort_by(|one, other| importance(one).cmp(&importance(other)));
    let protected = protected(mirror, &lesser);
    let (violating, others): (Vec<_>, Vec<_>) =
        lesser.into_iter().zip(protected).partition(|(_, protected)| *protected);
    let mut victims: Vec<(Lesser, bool)> = Vec::new();
    for (one, protected) in violating.into_iter().chain(others) {
        let back = mirror.snapshot.place(one.shape, node);
        if !mirror.snapshot.fits(shape, node) {
            mirror.snapshot.evict(back);
            victims.push((one, protected));
        }
    }
    victims.sort_by(|(one, _), (other, _)| importance(one).cmp(&importance(other)));
    let price = Price {
        violations: victims.iter().filter(|(_, protected)| *protected).count(),
        highest: victims.first()?.0.priority,
        sum: victims.iter().map(|(one, _)| i64::from(one.priority) - i64::from(i32::MIN)).sum(),
        count: victims.len(),
        oldest: Reverse(oldest(&victims)?),
    };
    let victims = victims.into_iter().map(|(one, _)| one.key).collect();
    Some(Candidate { node, victims, price })
}

/// The age of the oldest among the most important victims.
fn oldest(victims: &[(Lesser, bool)]) -> Option<Timestamp> {
    let highest = victims.first()?.0.priority;
    let important = victims.iter().filter(|(one, _)| one.priority == highest);
    important.map(|(one, _)| one.created).min()
}

fn lesser_pods(mirror: &Mirror, node: NodeId, priority: i32) -> Vec<Lesser> {
    let name = mirror.snapshot.node(node).name;
    let residents = mirror.by_node.get(&name).into_iter().flatten();
    residents
        .filter_map(|key| {
            let entry = mirror.pods.get(key).filter(|entry| entry.pod.priority < priority)?;
            let slot = mirror.slot(key)?;
            Some(Lesser {
                key: key.clone(),
                slot,
                shape: mirror.snapshot.shape_of(slot),
                priority: entry.pod.priority,
                created: entry.pod.created,
            })
        })
        .collect()
}

/// The most important first; the name only makes the order certain.
fn importance(one: &Lesser) -> (Reverse<i32>, Timestamp, &Key) {
    (Reverse(one.priority), one.created, &one.key)
}

/// Which of these pods a budget would not let go, if those before them went.
fn protected(mirror: &Mirror, pods: &[Lesser]) -> Vec<bool> {
    let mut left: Vec<i32> =
        mirror.budgets.values().map(|budget| budget.allowed.unwrap_or_default()).collect();
    let mut violates = |one: &Lesser| {
        let shape = mirror.snapshot.pod_shape(one.shape);
        if shape.labels.is_empty() {
            return false;
        }
        for (budget, left) in mirror.budgets.values().zip(&mut left) {
            let selector = budget.selector.as_ref().filter(|selector| !selector.is_empty());
            let matches = budget.namespace == shape.namespace
                && selector.is_some_and(|selector| selector.matches(&shape.labels));
            if matches {
                *left -= 1;
                if *left < 0 {
                    return true;
                }
            }
        }
        false
    };
    pods.iter().map(&mut violates).collect()
}
