//! How long a node has to be unneeded, or unready, before it goes.

use plimsoll_model::{GroupOptions, Timestamp};

use super::{
    candidates::{Candidate, Unit},
    fates::Hold,
};
use crate::{plan::BlockReason, scene::Scene, state::Readiness};

/// A member of the unit whose time has not come.
pub(super) fn hold(scene: &Scene<'_>, unit: &Unit) -> Option<Hold> {
    let world = scene.state.world;
    let options = &world.groups[unit.group].options;
    (unit.members.iter().enumerate()).find_map(|(place, member)| {
        let readiness = scene.state.nodes[member.node].readiness;
        let reason = wait(member, readiness, options, world.now)?;
        Some(Hold::one(place, reason))
    })
}

/// A node that is not ready is judged by how long it has been so, a ready one by how long nobody has needed it. A node that
/// is first seen unneeded now starts its clock now.
fn wait(
    member: &Candidate,
    readiness: Readiness,
    options: &GroupOptions,
    now: Timestamp,
) -> Option<BlockReason> {
    let (since, time, reason) = if let Readiness::Unready { since } = readiness {
        (since, options.unready_time, BlockReason::NotUnreadyLongEnough)
    } else {
        let since = member.since.unwrap_or(now);
        (since, options.unneeded_time, BlockReason::NotUnneededLongEnough)
    };
    (now.duration_since(since) < time).then_some(reason)
}
