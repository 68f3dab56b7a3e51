//! Lots: pods that are alike, and which offers could hold them.

use fixedbitset::FixedBitSet;
use plimsoll_fit::{NodeId, ShapeId, Snapshot};
use plimsoll_model::Symbol;

use super::market::Offer;
use crate::{pending::Demand, scene::Scene, template::Template};

/// Pods of one shape that need a place.
#[derive(Clone, Debug)]
pub(crate) struct Lot {
    pub shape: ShapeId,
    pub pods: Vec<Demand>,
    /// Offers whose empty node would take one, were it not for other pods.
    pub takers: FixedBitSet,
}

/// Puts pods of one shape together, in the order of their first pod, and asks every offer about every shape.
pub(crate) fn lots(scene: &mut Scene<'_>, offers: &[Offer], demands: &[Demand]) -> Vec<Lot> {
    let mut places: rustc_hash::FxHashMap<ShapeId, usize> = rustc_hash::FxHashMap::default();
    let mut lots: Vec<Lot> = Vec::new();
    for demand in demands {
        let place = *places.entry(demand.shape).or_insert_with(|| {
            let takers = FixedBitSet::with_capacity(offers.len());
            lots.push(Lot { shape: demand.shape, pods: Vec::new(), takers });
            lots.len() - 1
        });
        lots[place].pods.push(*demand);
    }
    let templates = &scene.templates;
    let mut trial = scene.snapshot.fork();
    for (place, offer) in offers.iter().enumerate() {
        let Some(template) = &templates[offer.group] else { continue };
        let node = probe(&mut trial, template);
        for lot in &mut lots {
            lot.takers.set(place, trial.fits_alone(lot.shape, node));
        }
        trial.remove_node(node);
    }
    drop(trial);
    lots
}

/// An empty node of a template, only to ask about.
pub(crate) fn probe(snapshot: &mut Snapshot, template: &Template) -> NodeId {
    Scene::open(snapshot, template, Symbol::new("a new node"))
}
