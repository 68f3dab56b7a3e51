//! Which node a pod gets.

use plimsoll_fit::{NodeId, ShapeId};
use plimsoll_model::{Pod, Symbol};
use rustc_hash::FxHashSet;

use super::mirror::{Family, Mirror};
use crate::object::Key;

/// Clusters up to this size are looked at as a whole, and in larger ones at least so many nodes that would do are compared.
const FEW_NODES: usize = 100;

/// What a pod that does not say how much cpu and memory it needs is taken to need, as kube-scheduler does it: a tenth of a core
/// and 200 MiB. Else all of them would go to the same node.
const UNSAID: [i64; 2] = [100, 200 << 20];

/// How good a node is, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    /// Pods of the same workload, or just like it, that are there already: they spread.
    crowd: u32,
    /// How full it would be, in thousandths.
    fullness: i64,
    pods: usize,
}

/// The node that a pod gets, if any takes it. `start` is where the search begins, and is moved on.
pub(super) fn choose(
    mirror: &mut Mirror,
    key: &Key,
    pod: &Pod,
    shape: ShapeId,
    start: &mut usize,
) -> Option<NodeId> {
    let reserved = reservations(mirror, key, pod.priority);
    let wanted = (shape, mirror.family(pod, shape));
    if reserved.is_empty() {
        return best(mirror, own_room(mirror, key), wanted, start, |_| true);
    }
    // Pods for which room was made count where they will go, and where they are not yet.
    let fitting = mirror.order.iter().filter(|node| mirror.snapshot.fits(shape, **node));
    let open: FxHashSet<NodeId> = fitting.copied().collect();
    let mark = mirror.snapshot.mark();
    for (shape, node) in reserved {
        mirror.snapshot.place(shape, node);
    }
    let chosen = best(mirror, own_room(mirror, key), wanted, start, |node| open.contains(&node));
    mirror.snapshot.undo(mark);
    chosen
}

/// Room that others with at least this priority wait for.
pub(super) fn reservations(
    mirror: &mut Mirror,
    key: &Key,
    priority: i32,
) -> Vec<(ShapeId, NodeId)> {
    let others: Vec<(Key, Symbol)> = mirror
        .nominated
        .iter()
        .filter(|(other, _)| *other != key)
        .map(|(other, node)| (other.clone(), *node))
        .collect();
    let mut reserved = Vec::new();
    for (other, node) in others {
        let Some(node) = mirror.nodes.get(&node).copied() else { continue };
        let Some(entry) = mirror.pods.get(&other) else { continue };
        if entry.pod.priority >= priority && entry.pod.deletion.is_none() {
            let shape = mirror.snapshot.shape(&entry.pod.shape);
            reserved.push((shape, node));
        }
    }
    reserved
}

/// The node where room was made for this pod.
fn own_room(mirror: &Mirror, key: &Key) -> Option<NodeId> {
    mirror.nominated.get(key).and_then(|name| mirror.nodes.get(name)).copied()
}

fn best(
    mirror: &Mirror,
    own: Option<NodeId>,
    (shape, family): (ShapeId, Family),
    start: &mut usize,
    allowed: impl Fn(NodeId) -> bool,
) -> Option<NodeId> {
    let takes = |node: NodeId| mirror.snapshot.fits(shape, node) && allowed(node);
    if let Some(own) = own.filter(|own| takes(*own)) {
        return Some(own);
    }
    let count = mirror.order.len();
    let enough = enough(count);
    let from = if count > FEW_NODES { *start % count } else { 0 };
    let (before, after) = mirror.order.split_at(from);
    let mut found = 0;
    let mut best: Option<(Score, NodeId)> = None;
    for node in after.iter().chain(before) {
        *start = start.wrapping_add(1);
        if !takes(*node) {
            continue;
        }
        let score = score(mirror, shape, family, *node);
        if best.is_none_or(|(least, _)| score < least) {
            best = Some((score, *node));
        }
        found += 1;
        if found >= enough {
            break;
        }
    }
    best.map(|(_, node)| node)
}

/// How many nodes that would do are compared: all of a small cluster, a falling share of a large one, as kube-scheduler does it.
fn enough(nodes: usize) -> usize {
    if nodes <= FEW_NODES {
        return nodes.max(1);
    }
    let percent = 50_usize.saturating_sub(nodes / 125).max(5);
    (nodes * percent / 100).max(FEW_NODES)
}

fn score(mirror: &Mirror, shape: ShapeId, family: Family, node: NodeId) -> Score {
    let snapshot = &mirror.snapshot;
    Score {
        crowd: mirror.crowd(family, node),
        fullness: fullness(mirror, shape, node),
        pods: snapshot.pods_on(node).len(),
    }
}

/// The mean of what cpu and memory would be taken, in thousandths.
fn fullness(mirror: &Mirror, shape: ShapeId, node: NodeId) -> i64 {
    let snapshot = &mirror.snapshot;
    let requests = &snapshot.pod_shape(shape).requests;
    let mut sum = 0;
    let silent = mirror.silent(node);
    for ((name, silent), unsaid) in mirror.measured.into_iter().zip(silent).zip(UNSAID) {
        let allocatable = snapshot.node(node).allocatable.get(name).max(1);
        let said = requests.get(name);
        let taken = i64::from(silent) * unsaid + if said == 0 { unsaid } else { said };
        let free = snapshot.free(node, name).saturating_sub(taken).max(0);
        let share = i128::from(free) * 1000 / i128::from(allocatable);
        sum += 1000 - i64::try_from(share).unwrap_or(0);
    }
    sum / 2
}
