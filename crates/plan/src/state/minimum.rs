//! Groups below their minimum are raised to it.

use plimsoll_model::World;

use super::{GroupState, NodeState, Readiness, count};
use crate::{
    plan::{GroupHealth, Repair},
    quotas::Quotas,
};

/// Raises groups that are below their minimum once the other repairs are made.
///
/// A machine that lost its node does not count towards the minimum: `kubectl delete node` is how people ask for another one.
///
/// A group that rests or is unhealthy waits: what is bought there would not come. Nothing is raised above a group's maximum,
/// its provider's stock, the limit of nodes or a CapacityQuota, nor in an unhealthy cluster unless the user wants purchases
/// even then. The machines count as upcoming for the rest of the pass, and the next one finds them as an order.
pub(super) fn raise(
    world: &World,
    healthy: bool,
    nodes: &[NodeState],
    groups: &mut [GroupState],
    repairs: &mut Vec<Repair>,
) {
    let settings = &world.settings.scale_up;
    if !settings.enforce_min || !(healthy || settings.when_unhealthy) {
        return;
    }
    let mut room = room(world, nodes, groups);
    let mut quotas = Quotas::new(world);
    for (group, state) in world.groups.iter().zip(&*groups) {
        if let Some(template) = &group.template {
            quotas.change(template, -i64::from(state.upcoming));
        }
    }
    for (group, state) in world.groups.iter().zip(groups) {
        let counted = state.target.saturating_sub(state.astray);
        let missing = group.min.saturating_sub(counted).min(group.max.saturating_sub(state.target));
        let allowed = group.template.as_ref().map_or(u32::MAX, |node| quotas.room(node));
        let increase = missing.min(room).min(allowed).min(group.stock.unwrap_or(u32::MAX));
        if increase == 0 || state.health != GroupHealth::Healthy {
            continue;
        }
        room -= increase;
        if let Some(template) = &group.template {
            quotas.change(template, -i64::from(increase));
        }
        let from = state.target;
        state.target += increase;
        state.upcoming += increase;
        repairs.push(Repair::RaiseToMin { group: group.id, from, to: state.target });
    }
}

/// How many nodes `max-nodes-total` still allows.
fn room(world: &World, nodes: &[NodeState], groups: &[GroupState]) -> u32 {
    if world.settings.limits.nodes == 0 {
        return u32::MAX;
    }
    let staying = nodes.iter().filter(|node| node.readiness != Readiness::BeingDeleted).count();
    let upcoming = groups.iter().fold(0, |sum: u32, group| sum.saturating_add(group.upcoming));
    world.settings.limits.nodes.saturating_sub(count(staying)).saturating_sub(upcoming)
}
