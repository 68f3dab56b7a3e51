//! How many volumes a new node takes (`enable-csi-node-aware-scheduling`).

use std::sync::Arc;

use plimsoll_fit::VolumeLimits;
use plimsoll_model::{Exemplar, Symbol, World};

use crate::state::State;

/// Drivers that attach only so many volumes to some node, sorted; none if new nodes are to have no limits.
pub(super) fn limited_drivers(world: &World) -> Vec<Symbol> {
    if !world.settings.models.volume_limits {
        return Vec::new();
    }
    let mut drivers: Vec<Symbol> = world.storage.limits.keys().map(|(_, driver)| *driver).collect();
    drivers.sort_unstable();
    drivers.dedup();
    drivers
}

/// The limits of a new node: those of the first member, by name, that has some, else those that are remembered.
pub(super) fn limits(
    state: &State<'_>,
    group: usize,
    drivers: &[Symbol],
    recalled: Option<&Arc<Exemplar>>,
) -> VolumeLimits {
    let limits = &state.world.storage.limits;
    let has_limits =
        |node: &Symbol| drivers.iter().any(|driver| limits.contains_key(&(*node, *driver)));
    let members = state.groups[group].nodes.iter().map(|place| state.world.nodes[*place].name);
    let model = members.filter(has_limits).min();
    if let (None, Some(exemplar), true) =
        (model, recalled, state.world.settings.models.volume_limits)
    {
        return VolumeLimits::Like(Arc::clone(&exemplar.volume_limits));
    }
    let of_model = model.into_iter().flat_map(|node| {
        drivers.iter().filter_map(move |driver| Some((*driver, *limits.get(&(node, *driver))?)))
    });
    VolumeLimits::Like(of_model.collect())
}
