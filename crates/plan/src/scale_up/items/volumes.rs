//! Volumes that drivers attach only so many of to a node, by driver: dimensions of the packing beside resources and devices.
//!
//! Only volumes that one pod alone brings along are counted. What pods share may stand on a node once for all of them, and is
//! settled by the full rules when the nodes are filled.

use plimsoll_model::Symbol;

use super::super::{
    lots::{Lot, probe},
    market::Offer,
};
use crate::scene::Scene;

/// How many volumes pods bring along, and how many a new node takes.
#[derive(Debug, Default)]
pub(super) struct AttachedVolumes {
    /// By lot, by driver.
    demands: Vec<Vec<i64>>,
    /// By offer, by driver.
    supplies: Vec<Vec<i64>>,
}

// === impl AttachedVolumes ===

impl AttachedVolumes {
    pub(super) fn new(scene: &mut Scene<'_>, offers: &[Offer], lots: &[Lot]) -> Self {
        let world = scene.state.world;
        let has_volumes = |lot: &Lot| !world.pods[lot.pods[0].pod].shape.volumes.is_empty();
        if world.storage.limits.is_empty() || !lots.iter().any(has_volumes) {
            return Self::default();
        }
        let shapes: Vec<_> = lots.iter().map(|lot| (lot.shape, lot.pods.len())).collect();
        let demand = scene.snapshot.volume_demand(&shapes);
        let mut drivers: Vec<Symbol> = demand.iter().flatten().map(|(driver, _)| *driver).collect();
        drivers.sort_unstable();
        drivers.dedup();
        let templates = &scene.templates;
        let mut trial = scene.snapshot.fork();
        let mut supplies: Vec<Vec<Option<i64>>> = Vec::with_capacity(offers.len());
        for offer in offers {
            let Some(template) = &templates[offer.group] else {
                supplies.push(vec![None; drivers.len()]);
                continue;
            };
            let node = probe(&mut trial, template);
            supplies.push(drivers.iter().map(|one| trial.volume_supply(node, *one)).collect());
            trial.remove_node(node);
        }
        drop(trial);
        // A driver that no new node limits is nothing to pack by.
        let limited: Vec<usize> = (0..drivers.len())
            .filter(|driver| supplies.iter().any(|supply| supply[*driver].is_some()))
            .collect();
        let asked = |of_lot: &[(Symbol, i64)], driver: usize| {
            let found = of_lot.iter().find(|(other, _)| *other == drivers[driver]);
            found.map_or(0, |(_, count)| *count)
        };
        let demands = demand.iter().map(|of_lot| limited.iter().map(|one| asked(of_lot, *one)));
        let demands: Vec<Vec<i64>> = demands.map(Iterator::collect).collect();
        let all: Vec<i64> = (0..limited.len())
            .map(|place| demands.iter().map(|of_lot| of_lot[place]).sum())
            .collect();
        let supplies = supplies.iter().map(|supply| {
            let drivers = limited.iter().enumerate();
            // Where nothing limits them, a node takes all of them.
            drivers.map(|(place, driver)| supply[*driver].unwrap_or(all[place])).collect()
        });
        let supplies = supplies.collect();
        Self { demands, supplies }
    }

    /// By driver: what a pod of the lot brings along.
    pub(super) fn demand(&self, lot: usize) -> impl Iterator<Item = i64> + '_ {
        self.demands.get(lot).into_iter().flatten().copied()
    }

    /// By driver: what a new node of the offer takes.
    pub(super) fn supply(&self, offer: usize) -> impl Iterator<Item = i64> + '_ {
        self.supplies.get(offer).into_iter().flatten().copied()
    }
}
