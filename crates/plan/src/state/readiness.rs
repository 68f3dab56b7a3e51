//! Readiness: how far a node can be relied on.

use std::sync::Arc;

use plimsoll_model::{Exemplar, Group, Node, TaintSettings, Timestamp, World};
use rustc_hash::FxHashSet;

use super::{
    Readiness, marks,
    membership::{Machine, Member},
};

/// How far the node can be relied on.
///
/// What keeps a young node from taking pods is expected to pass, and the node is [`Readiness::NotStarted`]. The same in a
/// node that is past its group's startup time is a fault, and the node is [`Readiness::Unready`].
pub(super) fn readiness(
    world: &World,
    node: &Node,
    member: Option<Member>,
    recalled: &[Option<&Arc<Exemplar>>],
    equipped: &FxHashSet<usize>,
) -> Readiness {
    let group = member.map(|member| &world.groups[member.group]);
    let exemplar = member.and_then(|member| recalled[member.group]);
    let options = group.map_or(&world.settings.group, |group| &group.options);
    let young = world.now.duration_since(node.created) < options.startup_time;
    if is_being_deleted(node, member) {
        Readiness::BeingDeleted
    } else if node.conditions.suspended {
        Readiness::Suspended
    } else if is_usable(node, &world.settings.taints) {
        // Only a young node is held to its group's template, and to what others of its group had: a template that is changed
        // later says nothing about the nodes that were there before, and must not turn a working group unready.
        let awaits_devices = || {
            member.is_some_and(|member| equipped.contains(&member.group))
                && world.devices.local_slices(node.name).next().is_none()
        };
        if young
            && (lacks_promised_device(node, group, exemplar)
                || marks::is_closed_to_begin_with(node)
                || awaits_devices())
        {
            Readiness::NotStarted
        } else {
            Readiness::Ready
        }
    } else if young {
        Readiness::NotStarted
    } else {
        Readiness::Unready { since: unready_since(world, node) }
    }
}

/// Groups with a member, here or remembered, whose drivers publish devices: those of the other members will.
pub(super) fn equipped_groups(
    world: &World,
    members: &[Option<Member>],
    recalled: &[Option<&Arc<Exemplar>>],
) -> FxHashSet<usize> {
    let remembered = recalled.iter().enumerate().filter_map(|(group, exemplar)| {
        exemplar.filter(|exemplar| !exemplar.slices.is_empty()).map(|_| group)
    });
    if world.devices.slices.is_empty() {
        return remembered.collect();
    }
    let has_devices = |node: &Node| world.devices.local_slices(node.name).next().is_some();
    let members = world.nodes.iter().zip(members);
    members
        .filter(|(node, _)| has_devices(node))
        .filter_map(|(_, member)| Some((*member)?.group))
        .chain(remembered)
        .collect()
}

fn is_being_deleted(node: &Node, member: Option<Member>) -> bool {
    node.deleting
        || member.is_some_and(|member| member.machine == Machine::Deleting)
        || node.taints.iter().any(|taint| taint.key.as_str() == marks::TO_BE_DELETED)
}

/// Whether the node itself shows no reason to keep pods away.
fn is_usable(node: &Node, taints: &TaintSettings) -> bool {
    let awaits_gpu =
        marks::accelerator_label(node).is_some() && marks::gpus(&node.allocatable) <= 0;
    node.conditions.ready
        && !node.conditions.network_unavailable
        && !node.taints.iter().any(|taint| marks::is_startup_taint(taint, taints))
        && !awaits_gpu
}

/// Whether the group's template, or what its nodes looked like, has an extended resource that the node does not show.
fn lacks_promised_device(
    node: &Node,
    group: Option<&Group>,
    exemplar: Option<&Arc<Exemplar>>,
) -> bool {
    let template = group.and_then(|group| group.template.as_deref());
    let promises = template.into_iter().chain(exemplar.map(|exemplar| &exemplar.node));
    let mut devices = promises
        .flat_map(|model| model.allocatable.iter())
        .filter(|(name, _)| name.as_str().contains('/'));
    devices.any(|(name, promised)| promised > 0 && node.allocatable.get(name) <= 0)
}

/// The time of the Ready condition is of use only if that condition is what makes the node unready: a node that has been
/// Ready for days and got a startup taint now has been unready since now.
fn unready_since(world: &World, node: &Node) -> Timestamp {
    let turned = node.conditions.ready_since.filter(|_| !node.conditions.ready);
    world.memory.unready_since.get(&node.name).copied().or(turned).unwrap_or(world.now)
}
