//! Health: whether enough is ready to believe what is seen.
//!
//! The same two numbers judge a group and the whole: few faults are always fine, and so is a small share of faults.

use plimsoll_model::{HealthSettings, World};

use super::{GroupState, NodeState, Readiness, count};

/// Whether not too many nodes are unready. Nodes that have not started, sleep or leave are not at fault.
pub(super) fn is_cluster_healthy(nodes: &[NodeState], settings: &HealthSettings) -> bool {
    let unready = nodes.iter().filter(|node| matches!(node.readiness, Readiness::Unready { .. }));
    is_tolerable(count(unready.count()), count(nodes.len()), settings)
}

/// Whether not too many ready nodes are missing from a group.
///
/// `excused` machines are those of the target that nobody expects to be ready nodes: on their way, failed or overdue. What
/// is missing beyond them is unready, or was asked for and is given up in this pass.
pub(super) fn is_group_healthy(
    world: &World,
    target: u32,
    census: &GroupState,
    excused: u32,
) -> bool {
    let excused = excused
        .saturating_add(census.not_started)
        .saturating_add(census.suspended)
        .saturating_add(census.leaving);
    let missing = target.saturating_sub(excused).saturating_sub(census.ready);
    is_tolerable(missing, target, &world.settings.health)
}

fn is_tolerable(faults: u32, of: u32, settings: &HealthSettings) -> bool {
    faults <= settings.ok_unready
        || f64::from(faults) <= settings.max_unready_percent / 100.0 * f64::from(of)
}
