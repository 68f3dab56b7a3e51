//! New nodes that turned out to be too many: their pods fit beside others after all.
//!
//! The packing counts on pods that the rules then refuse, and what is left of its nodes may fit on fewer. A node that would be
//! given back as soon as it is there is not bought.

use std::{cmp::Reverse, collections::VecDeque};

use plimsoll_fit::{NodeId, ShapeId};
use rustc_hash::FxHashMap;

use super::shop::{NewNode, Shop};
use crate::scene::Scene;

/// So many refusals are believed.
const FINAL: u32 = 8;

/// How often no other node took a pod of a shape from a node of an offer.
///
/// Rooms only get fewer while nodes go, so what is refused several times is refused for good: pods that refuse to share a host are
/// asked about a few times, not once for every pair of nodes.
#[derive(Default)]
struct Refusals(FxHashMap<(usize, ShapeId), u32>);

/// Gives back new nodes whose pods fit on other nodes, the dearest and emptiest first. Says whether there were any; then the
/// order of placements has to be settled again.
pub(crate) fn dissolve(scene: &mut Scene<'_>, shop: &mut Shop) -> bool {
    let mut by_node: FxHashMap<NodeId, Vec<usize>> = FxHashMap::default();
    for (place, placed) in shop.placed.iter().enumerate() {
        by_node.entry(placed.node).or_default().push(place);
    }
    let mut nodes: Vec<NewNode> =
        shop.nodes.iter().filter(|node| !shop.offers[node.offer].atomic).copied().collect();
    nodes.sort_by_key(|node| {
        let pods = by_node.get(&node.id).map_or(0, Vec::len);
        (Reverse(shop.offers[node.offer].cost), pods, node.id)
    });
    let mut dissolved = false;
    let mut refused = Refusals::default();
    for node in nodes {
        let pods = by_node.remove(&node.id).unwrap_or_default();
        let is_refused =
            |place: &usize| refused.is_final(node.offer, shop.placed[*place].demand.shape);
        let hopeless = pods.iter().any(is_refused);
        let moves = if hopeless { None } else { empty(scene, shop, node, &pods, &mut refused) };
        match moves {
            Some(moves) => {
                dissolved = true;
                for (place, to) in moves {
                    by_node.entry(to).or_default().push(place);
                }
                shop.nodes.retain(|other| other.id != node.id);
                shop.refund(scene, node);
            }
            None => {
                by_node.insert(node.id, pods);
            }
        }
    }
    dissolved
}

/// Moves all pods of a node to others, if they fit there, and removes it. Answers who went where.
fn empty(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    node: NewNode,
    pods: &[usize],
    refused: &mut Refusals,
) -> Option<Vec<(usize, NodeId)>> {
    let world = scene.state.world;
    let mut trial = scene.snapshot.fork();
    let is_twin = |other: &NewNode| other.offer == node.offer && other.id != node.id;
    let has_twin = shop.nodes.iter().any(is_twin);
    if has_twin {
        trial.remove_node(node.id);
    } else {
        // It stays as a ghost: without it a zone might vanish, and with the zone the rule that pods be spread over it.
        for place in pods {
            trial.evict(shop.placed[*place].pod);
        }
        trial.close_node(node.id);
    }
    let mut moves = Vec::with_capacity(pods.len());
    let mut waiting: VecDeque<usize> = pods.iter().copied().collect();
    let mut vain = 0;
    while let Some(place) = waiting.pop_front() {
        let demand = shop.placed[place].demand;
        if let Some(to) = trial.first_fit(demand.shape) {
            moves.push((place, to, trial.place(demand.shape, to)));
            vain = 0;
            continue;
        }
        // Only who follows others may find a place once they have theirs.
        waiting.push_back(place);
        vain += 1;
        if world.pods[demand.pod].shape.affinity.is_empty() || vain == waiting.len() {
            // Later ones may only have found their places taken by the first.
            if moves.is_empty() {
                refused.count(node.offer, demand.shape);
            }
            return None;
        }
    }
    if !has_twin {
        trial.remove_node(node.id);
    }
    trial.keep();
    for (place, to, pod) in &moves {
        shop.placed[*place].node = *to;
        shop.placed[*place].pod = *pod;
    }
    Some(moves.into_iter().map(|(place, to, _)| (place, to)).collect())
}

// === impl Refusals ===

impl Refusals {
    fn count(&mut self, offer: usize, shape: ShapeId) {
        *self.0.entry((offer, shape)).or_default() += 1;
    }

    fn is_final(&self, offer: usize, shape: ShapeId) -> bool {
        self.0.get(&(offer, shape)).is_some_and(|count| *count >= FINAL)
    }
}
