//! Gangs: pods that get their places together or not at all.

use indexmap::IndexSet;
use plimsoll_model::Symbol;
use rustc_hash::FxBuildHasher;

use crate::{pending::Demand, scene::Scene};

/// A gang's namespace and name.
pub(crate) type Gang = (Symbol, Symbol);

/// Gangs of which some pod found no place.
pub(crate) fn failed<'a>(scene: &Scene<'_>, rest: impl Iterator<Item = &'a Demand>) -> Vec<Gang> {
    let mut failed: Vec<Gang> = rest.filter_map(|demand| gang(scene, demand)).collect();
    failed.sort_unstable();
    failed.dedup();
    failed
}

/// Of several that failed, those to be taken out first: each may have taken the room that another one lacked, so half of them, the last
/// to be served, make way for the others.
pub(crate) fn last_half(scene: &Scene<'_>, demands: &[Demand], failed: &[Gang]) -> Vec<Gang> {
    let mut gangs = in_order(scene, demands, failed);
    gangs.split_off(gangs.len() / 2)
}

/// Gangs in the order in which their first pods are served.
pub(crate) fn in_order(scene: &Scene<'_>, demands: &[Demand], gangs: &[Gang]) -> Vec<Gang> {
    let all = demands.iter().filter_map(|demand| gang(scene, demand));
    let found: IndexSet<Gang, FxBuildHasher> = all.filter(|gang| gangs.contains(gang)).collect();
    found.into_iter().collect()
}

pub(crate) fn is_of(scene: &Scene<'_>, demand: &Demand, gangs: &[Gang]) -> bool {
    gang(scene, demand).is_some_and(|gang| gangs.contains(&gang))
}

fn gang(scene: &Scene<'_>, demand: &Demand) -> Option<Gang> {
    let pod = &scene.state.world.pods[demand.pod];
    Some((pod.shape.namespace, pod.extras.as_ref()?.gang?))
}
