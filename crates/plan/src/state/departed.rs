//! Nodes whose machines are gone: when they count for nothing any more, and when their Nodes are removed.
//!
//! That a machine is gone is its provider's word, and a node that is not Ready may only be cut off. So both have to be so, for a
//! while and without interruption, before a Node is removed; and nothing is held against a node of a group that cannot be read.

use plimsoll_model::{Departed, Memory, Node, Symbol, Timestamp, World};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{is_over, marks, membership::Membership};
use crate::plan::Removal;

/// The nodes whose machines are gone, by their place, as far as that can be relied on. A node that a machine claims has not lost it.
pub(super) fn departed<'w>(
    world: &'w World,
    node_places: &FxHashMap<Symbol, usize>,
    membership: &Membership,
) -> FxHashMap<usize, &'w Departed> {
    let readable: FxHashSet<Symbol> = (world.groups.iter())
        .filter(|group| group.frozen.is_none())
        .map(|group| group.id)
        .collect();
    let departed = world.departed.iter().filter(|one| readable.contains(&one.group));
    departed
        .filter_map(|one| Some((*node_places.get(&one.node)?, one)))
        .filter(|(place, _)| membership.members[*place].is_none() && !world.nodes[*place].deleting)
        .collect()
}

/// Starts the clocks of those that were not known to be gone, and stops those of nodes that are not gone after all, or that a
/// machine without a node claims: its kubelet may be about to register under them, so they are not removed.
pub(super) fn remember(
    world: &World,
    gone: &FxHashMap<usize, &Departed>,
    membership: &Membership,
    memory: &mut Memory,
) {
    let since = |node: Symbol| {
        let known = world.memory.departed_since.get(&node).copied();
        (node, known.unwrap_or(world.now))
    };
    let unclaimed = gone.iter().filter(|(place, _)| !membership.claimants.contains(place));
    memory.departed_since = unclaimed.map(|(_, one)| since(one.node)).collect();
}

/// The Nodes to remove.
pub(super) fn removals(
    world: &World,
    gone: &FxHashMap<usize, &Departed>,
    memory: &Memory,
) -> Vec<Removal> {
    let time = world.settings.scale_down.gone_time;
    let due = |node: &Node| -> Option<Timestamp> {
        let silent = node.conditions.ready_since.filter(|_| is_silent(node))?;
        let departed = *memory.departed_since.get(&node.name)?;
        let protected = node.keep || marks::is_control_plane(node);
        let both = is_over(world.now, silent, time) && is_over(world.now, departed, time);
        (both && !protected).then_some(silent)
    };
    let removal = |(place, one): (&usize, &&Departed)| {
        let Departed { node, group, instance } = (*one).clone();
        due(&world.nodes[*place]).map(|unready| Removal { node, group, instance, unready })
    };
    let mut removals: Vec<_> = gone.iter().filter_map(removal).collect();
    removals.sort_unstable();
    removals
}

/// Whether nothing is heard of a node, as it has to be when its machine is gone.
pub(super) fn is_silent(node: &Node) -> bool {
    !node.conditions.ready && !node.conditions.suspended
}
