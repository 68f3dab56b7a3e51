//! Company: pods that have to share one host need a node that holds them all.
//!
//! The first of them may go anywhere and the others only where it is, so the choice of its node is a choice for all.

use indexmap::IndexMap;
use plimsoll_model::{PodTerm, label};
use rustc_hash::FxBuildHasher;

use super::shop::Shop;
use crate::{pending::Demand, scene::Scene, state::marks};

/// Opens a node for each company that finds one to hold it. Returns the other pods.
pub(crate) fn place(scene: &mut Scene<'_>, shop: &mut Shop, demands: Vec<Demand>) -> Vec<Demand> {
    let mut companies: IndexMap<Vec<PodTerm>, Vec<Demand>, FxBuildHasher> = IndexMap::default();
    let mut rest = Vec::new();
    for demand in demands {
        match bonds(scene, &demand) {
            bonds if bonds.is_empty() => rest.push(demand),
            bonds => companies.entry(bonds).or_default().push(demand),
        }
    }
    if companies.is_empty() {
        return rest;
    }
    let mut by_cost: Vec<usize> =
        (0..shop.offers.len()).filter(|place| !shop.offers[*place].atomic).collect();
    for company in companies.into_values() {
        let asks =
            |demand: &Demand| marks::gpus(&scene.state.world.pods[demand.pod].shape.requests);
        let needs_gpu = company.iter().any(|demand| asks(demand) > 0);
        by_cost.sort_by_key(|place| shop.offers[*place].rank(needs_gpu, *place));
        let holds = by_cost.iter().copied().find(|offer| holds_all(scene, shop, *offer, &company));
        match holds.and_then(|offer| shop.open(scene, offer)) {
            Some(node) => company.into_iter().for_each(|demand| shop.place(scene, demand, node)),
            None => rest.extend(company),
        }
    }
    // The order is that in which pods are served.
    rest.sort_by_key(|demand| std::cmp::Reverse(demand.priority));
    rest
}

/// The terms by which a pod wants its own kind on its host.
fn bonds(scene: &Scene<'_>, demand: &Demand) -> Vec<PodTerm> {
    let shape = &scene.state.world.pods[demand.pod].shape;
    let binds = |term: &&PodTerm| {
        term.topology_key.as_str() == label::HOSTNAME && term.selects(&shape.labels)
    };
    shape.affinity.iter().filter(binds).cloned().collect()
}

/// Whether a new node of the offer takes one pod after the other.
fn holds_all(scene: &mut Scene<'_>, shop: &Shop, offer: usize, company: &[Demand]) -> bool {
    let Some(template) = scene.templates[shop.offers[offer].group].as_ref() else { return false };
    let mut trial = scene.snapshot.fork();
    let node = super::lots::probe(&mut trial, template);
    company.iter().all(|demand| {
        let fits = trial.fits(demand.shape, node);
        trial.place(demand.shape, node);
        fits
    })
}
