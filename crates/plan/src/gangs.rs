//! Gangs: pods that get their places together or not at all.

use plimsoll_model::Symbol;

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

pub(crate) fn is_of(scene: &Scene<'_>, demand: &Demand, gangs: &[Gang]) -> bool {
    gang(scene, demand).is_some_and(|gang| gangs.contains(&gang))
}

fn gang(scene: &Scene<'_>, demand: &Demand) -> Option<Gang> {
    let pod = &scene.state.world.pods[demand.pod];
    Some((pod.shape.namespace, pod.extras.as_ref()?.gang?))
}
