//! Atomic groups: they grow to their maximum or not at all.

use super::{lots, shop::Shop};
use crate::{pending::Demand, scene::Scene};

/// For pods that nothing else helps: opens atomic groups as a whole, the cheapest whole first, if that helps anybody.
pub(crate) fn place(scene: &mut Scene<'_>, shop: &mut Shop, mut rest: Vec<Demand>) -> Vec<Demand> {
    let cost = |offer: &super::market::Offer| offer.cost.times(offer.room);
    let mut atomic: Vec<usize> =
        (0..shop.offers.len()).filter(|place| shop.offers[*place].atomic).collect();
    atomic.sort_by_key(|place| (cost(&shop.offers[*place]), *place));
    for offer in atomic {
        if rest.is_empty() {
            break;
        }
        let lots = lots::lots(scene, &shop.offers, &rest);
        if lots.iter().any(|lot| lot.takers.contains(offer)) {
            rest = open_whole(scene, shop, offer, rest);
        }
    }
    rest
}

fn open_whole(
    scene: &mut Scene<'_>,
    shop: &mut Shop,
    offer: usize,
    rest: Vec<Demand>,
) -> Vec<Demand> {
    let (first_node, first_placed) = (shop.nodes.len(), shop.placed.len());
    let size = shop.offers[offer].room;
    let opened = (0..size).take_while(|_| shop.open(scene, offer).is_some()).count();
    let mut unplaced = Vec::new();
    if opened == size as usize {
        for demand in &rest {
            match scene.snapshot.first_fit(demand.shape) {
                Some(node) => shop.place(scene, *demand, node),
                None => unplaced.push(*demand),
            }
        }
        if shop.placed.len() > first_placed {
            return unplaced;
        }
    }
    // Part of it, or the whole of it for nobody, is not bought.
    for node in shop.nodes.split_off(first_node) {
        shop.give_back(scene, node);
    }
    rest
}
