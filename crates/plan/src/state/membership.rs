//! Membership: which group a node belongs to, and which machines have not become nodes.
//!
//! A provider's list of machines is better evidence than a label, which anybody can write.

use plimsoll_model::{Instance, InstanceState, Kinship, Symbol, World, label};
use rustc_hash::{FxHashMap, FxHashSet};

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

/// A machine without a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unjoined {
    /// Its place in the group's list of instances.
    pub place: usize,
    /// A Ready node that is older than the machine claims it: its own, or left of an earlier machine of the same name. Until that is
    /// known the machine must not be deleted for having no node.
    pub is_doubtful: bool,
}

/// Nodes and machines, brought together.
#[derive(Debug)]
pub(super) struct Membership {
    /// By node of the World.
    pub members: Vec<Option<Member>>,
    /// By group of the World: machines that have no node and are not being deleted.
    pub strays: Vec<Vec<Unjoined>>,
    /// Places of nodes that are older than the machine without a node that they claim. Its kubelet may yet register under them.
    pub claimants: FxHashSet<usize>,
}

/// Nodes by what they say of themselves.
struct Nodes<'w> {
    world: &'w World,
    by_name: &'w FxHashMap<Symbol, usize>,
    by_id: FxHashMap<&'w str, Vec<usize>>,
}

/// What the nodes that claim a machine are to it.
enum Claimed {
    /// The node at this place is the machine's.
    By(usize),
    /// None is, and these are older than the machine.
    Before(Vec<(usize, Kinship)>),
}

/// Brings nodes and machines together: by the node's name that the instance gives, else by the provider's id that the node
/// gives, else by the node's label. A node that cannot be the machine's, because the machine was made later, is not.
pub(super) fn membership(world: &World, node_places: &FxHashMap<Symbol, usize>) -> Membership {
    let nodes = Nodes::new(world, node_places);
    let mut members = vec![None; world.nodes.len()];
    let mut strays = vec![Vec::new(); world.groups.len()];
    let mut claimants = FxHashSet::default();
    for (group, found) in world.groups.iter().enumerate() {
        for (place, instance) in found.instances.iter().enumerate() {
            let deleting = instance.state == InstanceState::Deleting;
            match nodes.claiming(instance) {
                Claimed::By(node) => {
                    let machine = if deleting { Machine::Deleting } else { Machine::Kept };
                    claim(&mut members[node], Member { group, machine });
                }
                Claimed::Before(_) if deleting => {}
                Claimed::Before(older) => {
                    claimants.extend(older.iter().map(|(node, _)| *node));
                    let is_doubtful = older.iter().any(|(_, kin)| *kin == Kinship::Unproven);
                    strays[group].push(Unjoined { place, is_doubtful });
                }
            }
        }
    }
    let groups: FxHashMap<_, _> =
        world.groups.iter().enumerate().map(|(place, group)| (group.id.as_str(), place)).collect();
    let key = Symbol::new(label::GROUP);
    for (node, member) in world.nodes.iter().zip(&mut members) {
        let labelled = || node.labels.get(key).and_then(|id| groups.get(id.as_str()));
        *member = member.or_else(|| {
            labelled().map(|group| Member { group: *group, machine: Machine::Unlisted })
        });
    }
    Membership { members, strays, claimants }
}

/// The first instance that names a node has it, but one that is being deleted gives way to its successor of the same name.
fn claim(slot: &mut Option<Member>, member: Member) {
    let taken = slot.is_some_and(|owner| owner.machine == Machine::Kept);
    if slot.is_none() || (!taken && member.machine == Machine::Kept) {
        *slot = Some(member);
    }
}

// === impl Nodes ===

impl<'w> Nodes<'w> {
    fn new(world: &'w World, by_name: &'w FxHashMap<Symbol, usize>) -> Self {
        let mut by_id: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (place, node) in world.nodes.iter().enumerate() {
            if !node.provider_id.is_empty() {
                by_id.entry(&node.provider_id).or_default().push(place);
            }
        }
        Self { world, by_name, by_id }
    }

    /// The nodes that the machine names, and that name it.
    fn claiming(&self, instance: &Instance) -> Claimed {
        let named = instance.node.and_then(|name| self.by_name.get(&name)).copied();
        let by_id = self.by_id.get(&*instance.id).into_iter().flatten().copied();
        let kin = |place: usize| (place, self.world.nodes[place].kinship(instance, self.world.now));
        let (own, older): (Vec<_>, Vec<_>) =
            named.into_iter().chain(by_id).map(kin).partition(|(_, kin)| *kin == Kinship::Own);
        let is_named = |place: usize| named == Some(place);
        let age = |place: usize| (self.world.nodes[place].created, self.world.nodes[place].name);
        let own = own.into_iter().map(|(place, _)| place);
        match own.max_by_key(|place| (is_named(*place), age(*place))) {
            Some(node) => Claimed::By(node),
            None => Claimed::Before(older),
        }
    }
}
