//! The last look at a purchase: a node that ended up with less on it than planned may do with a cheaper kind.

use plimsoll_fit::{NodeId, PodId, ShapeId, Snapshot};

use super::shop::{NewNode, Shop};
use crate::scene::Scene;

/// Replaces new nodes by cheaper ones that take the same pods. Says whether there were any; then the order of placements has
/// to be settled again.
pub(crate) fn trim(scene: &mut Scene<'_>, shop: &mut Shop) -> bool {
    let mut trimmed = false;
    let mut by_cost: Vec<usize> =
        (0..shop.offers.len()).filter(|place| !shop.offers[*place].atomic).collect();
    by_cost.sort_by_key(|place| (shop.offers[*place].cost, *place));
    for place in 0..shop.nodes.len() {
        let node = shop.nodes[place];
        let cost = shop.offers[node.offer].cost;
        if shop.offers[node.offer].atomic {
            continue;
        }
        // A node with accelerators is not bought because it happens to be cheap.
        let spares = |offer: usize| !shop.offers[offer].gpu || shop.offers[node.offer].gpu;
        let cheaper = by_cost.iter().take_while(|offer| shop.offers[**offer].cost < cost);
        let cheaper = cheaper.filter(|offer| spares(**offer));
        let large_enough: Vec<usize> =
            cheaper.copied().filter(|offer| is_large_enough(scene, shop, node, *offer)).collect();
        for offer in large_enough {
            if replace(scene, shop, place, offer) {
                trimmed = true;
                break;
            }
        }
    }
    trimmed
}

/// A quick answer by amounts alone.
fn is_large_enough(scene: &Scene<'_>, shop: &Shop, node: NewNode, offer: usize) -> bool {
    let old = scene.snapshot.node(node.id);
    let Some(template) = &scene.templates[shop.offers[offer].group] else { return false };
    let new = &template.unnamed().allocatable;
    old.allocatable.iter().all(|(name, allocatable)| {
        let used = allocatable - scene.snapshot.free(node.id, name);
        used <= new.get(name)
    })
}

/// Moves the node's pods to a new node of the offer, if it takes them all.
fn replace(scene: &mut Scene<'_>, shop: &mut Shop, place: usize, offer: usize) -> bool {
    let old = shop.nodes[place];
    let moved: Vec<usize> =
        (0..shop.placed.len()).filter(|placed| shop.placed[*placed].node == old.id).collect();
    let shapes: Vec<ShapeId> =
        moved.iter().map(|placed| shop.placed[*placed].demand.shape).collect();
    let Some(template) = scene.templates[shop.offers[offer].group].as_ref() else { return false };
    let takes_all = {
        let mut trial = scene.snapshot.fork();
        // The old node stays as a ghost: without it a zone might vanish, and with the zone the rule that pods be spread
        // over it.
        evict_all(&mut trial, old.id);
        trial.close_node(old.id);
        let id = Scene::open(&mut trial, template, plimsoll_model::Symbol::new("a new node"));
        shapes.iter().all(|shape| {
            let fits = trial.fits(*shape, id);
            trial.place(*shape, id);
            fits
        })
    };
    if !takes_all {
        return false;
    }
    shop.give_back(scene, old);
    let Some(id) = shop.open(scene, offer) else {
        // The limits allow the smaller node if they allowed the larger one; if not, the old one comes back.
        reopen(scene, shop, place, old.offer, &moved);
        return false;
    };
    take_over(scene, shop, place, id, &moved);
    true
}

fn evict_all(trial: &mut Snapshot, node: NodeId) {
    let pods: Vec<PodId> = trial.pods_on(node).collect();
    for pod in pods {
        trial.evict(pod);
    }
}

fn reopen(scene: &mut Scene<'_>, shop: &mut Shop, place: usize, offer: usize, moved: &[usize]) {
    if let Some(id) = shop.open(scene, offer) {
        take_over(scene, shop, place, id, moved);
    }
}

fn take_over(scene: &mut Scene<'_>, shop: &mut Shop, place: usize, id: NodeId, moved: &[usize]) {
    if let Some(node) = shop.nodes.pop() {
        shop.nodes[place] = node;
    }
    for placed in moved {
        let shape = shop.placed[*placed].demand.shape;
        shop.placed[*placed].pod = scene.snapshot.place(shape, id);
        shop.placed[*placed].node = id;
    }
}
