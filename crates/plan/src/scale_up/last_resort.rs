//! Pods that no packing helps, one at a time: a new node for each, the cheapest that takes it as things stand.
//!
//! It is needed where pods depend on each other in ways that the packing does not know, such as affinity by host.

use super::{lots, shop::Shop};
use crate::{pending::Demand, scene::Scene, state::marks};

/// Opens nodes for pods that are left. Returns those that no new node takes.
pub(crate) fn place(scene: &mut Scene<'_>, shop: &mut Shop, rest: Vec<Demand>) -> Vec<Demand> {
    if rest.is_empty() {
        return rest;
    }
    let mut unplaced = Vec::new();
    for mut lot in lots::lots(scene, &shop.offers, &rest) {
        let mut takers: Vec<usize> =
            lot.takers.ones().filter(|place| !shop.offers[*place].atomic).collect();
        let needs_gpu = marks::gpus(&scene.state.world.pods[lot.pods[0].pod].shape.requests) > 0;
        takers.sort_by_key(|place| shop.offers[*place].rank(needs_gpu, *place));
        lot.pods.reverse();
        while let Some(demand) = lot.pods.pop() {
            if let Some(node) = scene.snapshot.first_fit(demand.shape) {
                shop.place(scene, demand, node);
            } else if let Some(node) = open_for(scene, shop, &demand, &takers) {
                shop.place(scene, demand, node);
            } else {
                // The others of the lot are alike: what refused this one refuses them.
                unplaced.push(demand);
                unplaced.extend(lot.pods.drain(..).rev());
            }
        }
    }
    unplaced
}

/// The first of the offers whose new node takes the pod.
fn open_for(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    demand: &Demand,
    takers: &[usize],
) -> Option<plimsoll_fit::NodeId> {
    for offer in takers {
        let Some(id) = shop.open(scene, *offer) else { continue };
        if scene.snapshot.fits(demand.shape, id) {
            return Some(id);
        }
        if let Some(node) = shop.nodes.pop() {
            shop.give_back(scene, node);
        }
    }
    None
}
