//! Membership: which group a node belongs to, and which machines have not become nodes.
//!
//! A provider's list of machines is better evidence than a label, which anybody can write.

use plimsoll_model::{InstanceState, Symbol, World, label};
use rustc_hash::FxHashMap;

/// A node's place in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub group: usize,
    pub machine: Machine,
}

/// What the provider says of a node's machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    /// It runs, or at least it is not being deleted.
    Kept,
    /// It is being deleted, and the target does not count it.
    Deleting,
    /// The provider lists no such machine: only the node's label speaks for the group.
    Unlisted,
}

/// Nodes and machines, brought together.
#[derive(Debug)]
pub(super) struct Membership {
    /// By node of the World.
    pub members: Vec<Option<Member>>,
    /// By group of the World: places of instances that have no node and are not being deleted.
    pub strays: Vec<Vec<usize>>,
}

/// Brings nodes and machines together: by the node's name that the instance gives, else by the provider's id that the node
/// gives, else by the node's label.
pub(super) fn membership(world: &World, node_places: &FxHashMap<Symbol, usize>) -> Membership {
    let ids = world.nodes.iter().enumerate().filter(|(_, node)| !node.provider_id.is_empty());
    let by_id: FxHashMap<&str, usize> =
        ids.map(|(place, node)| (&*node.provider_id, place)).collect();
    let mut members = vec![None; world.nodes.len()];
    let mut strays = vec![Vec::new(); world.groups.len()];
    for (group, found) in world.groups.iter().enumerate() {
        for (place, instance) in found.instances.iter().enumerate() {
            let named = instance.node.and_then(|name| node_places.get(&name));
            let deleting = instance.state == InstanceState::Deleting;
            match named.or_else(|| by_id.get(&*instance.id)) {
                Some(node) => {
                    let machine = if deleting { Machine::Deleting } else { Machine::Kept };
                    claim(&mut members[*node], Member { group, machine });
                }
                None if deleting => {}
                None => strays[group].push(place),
            }
        }
    }
    let groups: FxHashMap<_, _> =
        world.groups.iter().enumerate().map(|(place, group)| (group.id, place)).collect();
    let key = Symbol::new(label::GROUP);
    for (node, member) in world.nodes.iter().zip(&mut members) {
        let labelled = || node.labels.get(key).and_then(|id| groups.get(&id));
        *member = member.or_else(|| {
            labelled().map(|group| Member { group: *group, machine: Machine::Unlisted })
        });
    }
    Membership { members, strays }
}

/// The first instance that names a node has it, but one that is being deleted gives way to its successor of the same name.
fn claim(slot: &mut Option<Member>, member: Member) {
    let taken = slot.is_some_and(|owner| owner.machine == Machine::Kept);
    if slot.is_none() || (!taken && member.machine == Machine::Kept) {
        *slot = Some(member);
    }
}
