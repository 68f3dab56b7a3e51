//! Nodes for whose pods no other place was found: for a while none is looked for (`unremovable-node-recheck-timeout`).

use plimsoll_model::{Memory, World};

use super::{candidates::Unit, fates::Hold};
use crate::{
    plan::{BlockReason, Blocked},
    scene::Scene,
};

/// A member of the unit for whose pods no place was found a short time ago.
pub(super) fn hold(scene: &Scene<'_>, unit: &Unit) -> Option<Hold> {
    let world = scene.state.world;
    if world.settings.scale_down.recheck.is_zero() {
        return None;
    }
    let rests = |node: usize| {
        let until = world.memory.unremovable_until.get(&world.nodes[node].name);
        until.is_some_and(|until| world.now < *until)
    };
    let member = unit.members.iter().position(|member| rests(member.node))?;
    Some(Hold::one(member, BlockReason::RecentlyUnremovable))
}

/// Writes down until when no place is looked for. Who is found to have none while nodes are replaced is tried again with the
/// next pass: more nodes may be there by then.
pub(super) fn remember(world: &World, blocked: &[Blocked], memory: &mut Memory) {
    let time = world.settings.scale_down.recheck;
    let until = |one: &Blocked| match one.reason {
        _ if time.is_zero() => None,
        BlockReason::RecentlyUnremovable => world.memory.unremovable_until.get(&one.node).copied(),
        BlockReason::NoPlaceToMovePods if world.memory.replacement.is_none() => {
            world.now.checked_add(time).ok()
        }
        _ => None,
    };
    memory.unremovable_until =
        blocked.iter().filter_map(|one| Some((one.node, until(one)?))).collect();
}
