//! The state of the world before anything is decided: which nodes and groups can be relied on, what is on its way, and what
//! has to be put right.
//!
//! ```text
//! membership ─► departed ─► readiness ─► groups ─► health ─► minimum
//!                              ├ unregistered, failures ─► lost ─► removal
//!                              ├ orders ─► mismatch
//!                              └ backoff
//! ```
//! Each group is judged by its own facts alone, so that a broken one never harms another. Only the last step looks at the
//! whole: nothing is raised to its minimum in a cluster that cannot be trusted.

use std::sync::Arc;

use plimsoll_model::{Exemplar, Memory, OrderId, SignedDuration, Symbol, Timestamp, World};
use rustc_hash::{FxHashMap, FxHashSet};

use self::lost::Ration;
use crate::{
    exemplar,
    plan::{Contradiction, GroupHealth, Held, Removal, Repair},
};

pub(crate) mod backoff;
mod departed;
mod failures;
mod groups;
mod health;
mod lost;
pub(crate) mod marks;
mod membership;
mod minimum;
mod mismatch;
mod orders;
mod readiness;
mod removal;
mod unregistered;

/// What the pass found. Indexes are places in the World's lists.
#[derive(Debug)]
pub(crate) struct State<'w> {
    pub world: &'w World,
    /// By node of the World.
    pub nodes: Vec<NodeState>,
    /// Places of nodes by name.
    pub node_places: FxHashMap<Symbol, usize>,
    /// By group of the World.
    pub groups: Vec<GroupState>,
    /// Sorted, which is also the order to make them in: what a later one says of a target holds once the earlier are made.
    pub repairs: Vec<Repair>,
    /// Nodes to delete as objects, sorted.
    pub removals: Vec<Removal>,
    /// Places of nodes whose machines are gone.
    pub departed: FxHashSet<usize>,
    /// By group: what is remembered of its nodes and still holds.
    pub recalled: Vec<Option<&'w Arc<Exemplar>>>,
    /// Most machines have no node, so none is deleted for having none.
    pub contradiction: Option<Contradiction>,
    /// Not too many nodes are unready.
    pub healthy: bool,
    /// What the next pass has to remember, as far as it follows from what was found. Orders for raised minimums are in it.
    pub memory: Memory,
}

/// A node and how far it can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeState {
    /// The group that owns it.
    pub group: Option<usize>,
    pub readiness: Readiness,
}

/// How far a node can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// It takes pods.
    Ready,
    /// It registered lately and is not ready yet, or its devices or network are not there, or it wears a startup taint.
    NotStarted,
    /// It should be ready and is not.
    Unready {
        /// Since when.
        since: Timestamp,
    },
    /// Its infrastructure has put it to sleep. It holds its place in the group, takes no pods, and is nobody's fault.
    Suspended,
    /// It is on its way out, or its machine is gone and only its Node is left.
    BeingDeleted,
}

/// A group and what can be counted on.
#[derive(Clone, Debug)]
pub(crate) struct GroupState {
    /// Its nodes, those being deleted included.
    pub nodes: Vec<usize>,
    pub ready: u32,
    pub unready: u32,
    pub not_started: u32,
    pub suspended: u32,
    pub being_deleted: u32,
    /// Of those being deleted, how many the target still counts: their drain or the deletion of the Node has begun, the
    /// provider has not been asked yet. What stays of the group is `target - leaving`.
    pub leaving: u32,
    /// Nodes that stay and whose machine the provider does not list.
    pub unlisted: u32,
    /// Machines that were asked for and are not nodes yet, and will be: those that failed or are overdue left out, those
    /// that a repair of this pass asks for included.
    pub upcoming: u32,
    /// The same without the repairs: what the pass found, for the report.
    pub found_upcoming: u32,
    /// Machines of the target that lost their node and may register again. Nothing counts on them.
    pub astray: u32,
    /// The target that the provider has once the repairs are made.
    pub target: u32,
    pub health: GroupHealth,
    /// Machines without a node that are not deleted for now.
    pub held: Option<Held>,
    /// Scale-ups whose machines are still expected.
    pub open_orders: Vec<OrderId>,
}

/// Finds out what can be relied on and what has to be put right.
pub(crate) fn observe(world: &World) -> State<'_> {
    let names = world.nodes.iter().enumerate();
    let node_places: FxHashMap<_, _> = names.map(|(place, node)| (node.name, place)).collect();
    let membership = membership::membership(world, &node_places);
    let gone = departed::departed(world, &node_places, &membership);
    let recalled = exemplar::recall(world);
    let equipped = readiness::equipped_groups(world, &membership.members, &recalled);
    let nodes: Vec<_> = (world.nodes.iter().zip(&membership.members).enumerate())
        .map(|(place, (node, member))| NodeState {
            group: member.map(|member| member.group),
            readiness: if gone.contains_key(&place) && departed::is_silent(node) {
                Readiness::BeingDeleted
            } else {
                readiness::readiness(world, node, *member, &recalled, &equipped)
            },
        })
        .collect();
    let mut memory = remembered(world, &node_places, &nodes);
    departed::remember(world, &gone, &membership, &mut memory);
    let removals = departed::removals(world, &gone, &memory);
    unregistered::remember_registered(world, &membership, &mut memory);
    let mut repairs = Vec::new();
    let mut strays: Vec<_> = (membership.strays.iter().enumerate())
        .map(|(place, machines)| unregistered::strays(world, place, machines))
        .collect();
    let mut ration = Ration::new(world, &strays);
    if ration.is_contradicted() {
        for strays in &mut strays {
            unregistered::expect_back(strays);
        }
    }
    let mut groups: Vec<_> = (groups::census(&nodes, &membership).into_iter().enumerate())
        .map(|(place, census)| {
            let (strays, ration) = (&strays[place], &mut ration);
            groups::examine(world, place, census, strays, ration, &mut memory, &mut repairs)
        })
        .collect();
    let contradiction = ration.settle(&mut memory);
    let healthy = health::is_cluster_healthy(&nodes, &world.settings.health);
    minimum::raise(world, healthy, &nodes, &mut groups, &mut repairs);
    repairs.sort();
    let departed = gone.into_keys().collect();
    State {
        world,
        nodes,
        node_places,
        groups,
        repairs,
        removals,
        departed,
        recalled,
        contradiction,
        healthy,
        memory,
    }
}

/// The memory without nodes and groups that are gone, and with the clocks of nodes set. What is kept by group is written by
/// [`groups::examine`].
fn remembered(
    world: &World,
    node_places: &FxHashMap<Symbol, usize>,
    nodes: &[NodeState],
) -> Memory {
    let mut memory = world.memory.clone();
    memory.unneeded_since.retain(|node, _| node_places.contains_key(node));
    memory.unready_since = (world.nodes.iter().zip(nodes))
        .filter_map(|(node, found)| match found.readiness {
            Readiness::Unready { since } => Some((node.name, since)),
            _ => None,
        })
        .collect();
    let known: FxHashSet<_> = world.groups.iter().map(|group| group.id).collect();
    memory.group_activity.retain(|group, _| known.contains(group));
    memory.backoff.retain(|group, _| known.contains(group));
    memory.size_mismatch_since.retain(|group, _| known.contains(group));
    memory.unregistered.clear();
    memory
}

/// Whether more than `time` has passed since then. Exactly that much is not more: every deadline includes its last moment.
fn is_over(now: Timestamp, since: Timestamp, time: SignedDuration) -> bool {
    now.duration_since(since) > time
}

/// A number of things as counts are kept; more than fit in are never there.
fn count(things: usize) -> u32 {
    u32::try_from(things).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
