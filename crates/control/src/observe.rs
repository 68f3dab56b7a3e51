//! The World of a pass: the cluster as it is mirrored, the providers' inventory, and what is remembered.
//!
//! The mirror's own lists are used in place. Where a decision has to see a node otherwise than it is in the cluster (it is on its
//! way out, it cannot be judged), another node stands in for it until [`Staged::undo`] puts it back.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;
use plimsoll_cluster::{mirror::Mirror, taints::Mark};
use plimsoll_model::{
    Contested, Departed, Effect, Group, Memory, Node, Order, ScaleUp, Settings, Symbol, Taint,
    label,
};
use plimsoll_provider::{Inventory, Owner, Whose};
use rustc_hash::{FxHashMap, FxHashSet};

mod claims;
mod owners;

use self::claims::Claims;
pub(crate) use self::owners::{Asked, Owners};

/// The taint that Kubernetes itself puts on a node that is closed.
const CLOSED: &str = "node.kubernetes.io/unschedulable";
/// And on one that is not ready.
const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// What a pass is made of, beside the mirror.
pub(crate) struct Ingredients<'a> {
    pub now: Timestamp,
    pub settings: &'a Settings,
    /// Which cluster it is, when that is known.
    pub cluster_uid: Option<Box<str>>,
    pub inventory: Inventory,
    pub owners: &'a Owners,
    pub memory: Memory,
    /// Scale-ups that have not ended.
    pub orders: Vec<Order<ScaleUp>>,
    /// How many machines groups will have been asked for once orders that are under way have arrived at their providers.
    pub expected: FxHashMap<Symbol, u32>,
    /// Nodes on their way out, whether their mark is seen already or not.
    pub leaving: BTreeSet<Symbol>,
    /// New nodes that are closed and will be opened soon: they are seen open.
    pub awaited: BTreeSet<Symbol>,
    /// Nodes on their way out that are looked at as if they were not.
    pub doubted: BTreeSet<Symbol>,
}

/// What was changed for a pass, to be undone after it.
#[must_use]
#[derive(Debug, Default)]
pub(crate) struct Staged {
    /// Places of nodes, with the node that was there.
    originals: Vec<(usize, Arc<Node>)>,
}

/// Whose nodes are whose, beside what is said of the machines themselves.
#[derive(Debug, Default)]
struct Joined {
    /// Nodes of which only the group is known.
    labelled: FxHashMap<Symbol, Symbol>,
    /// Nodes whose machines are gone.
    departed: Vec<Departed>,
    /// Machines that more than one node claims.
    contested: Vec<Contested>,
}

/// Puts everything together in the mirror's World.
pub(crate) fn stage(mirror: &mut Mirror, ingredients: Ingredients<'_>) -> Staged {
    let Ingredients {
        now,
        settings,
        cluster_uid,
        inventory,
        owners,
        memory,
        orders,
        expected,
        leaving,
        awaited,
        doubted,
    } = ingredients;
    let opaque: BTreeSet<Symbol> = mirror.opaque_nodes().collect();
    let mut groups: Vec<Group> = inventory.groups.into_iter().map(|state| state.group).collect();
    for group in &mut groups {
        if let Some(expected) = expected.get(&group.id) {
            group.target = group.target.max((*expected).min(group.max));
        }
    }
    let world = mirror.world();
    let Joined { labelled, departed, contested } = join(&world.nodes, &mut groups, owners, now);
    let rivals: FxHashSet<Symbol> =
        contested.iter().flat_map(|machine| machine.nodes.iter().copied()).collect();
    let mut staged = Staged::default();
    for (place, slot) in world.nodes.iter_mut().enumerate() {
        let name = slot.name;
        let mut node = Arc::clone(slot);
        if (opaque.contains(&name) || rivals.contains(&name)) && !node.keep {
            Arc::make_mut(&mut node).keep = true;
        }
        if let Some(group) = labelled.get(&name) {
            let node = Arc::make_mut(&mut node);
            let pair = (Symbol::new(label::GROUP), *group);
            node.labels = node.labels.with([pair]);
        }
        if awaited.contains(&name) && node.unschedulable {
            Arc::make_mut(&mut node).unschedulable = false;
        }
        if node.taints.iter().any(|taint| is_outdated(taint, &node)) {
            catch_up(Arc::make_mut(&mut node));
        }
        if doubted.contains(&name) {
            unmark(Arc::make_mut(&mut node));
        } else if leaving.contains(&name) && !is_leaving(&node) {
            mark(Arc::make_mut(&mut node));
        }
        if !Arc::ptr_eq(&node, slot) {
            staged.originals.push((place, std::mem::replace(slot, node)));
        }
    }
    world.now = now;
    world.settings = settings.clone();
    world.cluster_uid = cluster_uid;
    world.groups = groups;
    world.departed = departed;
    world.contested = contested;
    world.memory = memory;
    world.orders = orders;
    world.advice = Vec::new();
    staged
}

/// Whether the node carries the mark of one that leaves.
pub(crate) fn is_leaving(node: &Node) -> bool {
    node.taints.iter().any(|taint| taint.key.as_str() == Mark::Leaving.key())
}

/// Names the node of every machine that has one: by what the provider names, by the id that the node gives, or by what the provider
/// said when it was asked.
fn join(nodes: &[Arc<Node>], groups: &mut [Group], owners: &Owners, now: Timestamp) -> Joined {
    let here: FxHashMap<Symbol, &Node> = nodes.iter().map(|node| (node.name, &**node)).collect();
    let mut claims = Claims::default();
    let mut joined = Joined::default();
    for node in nodes {
        if !node.provider_id.is_empty() {
            claims.claim_id(&node.provider_id, node);
        }
        match owners.whose(node.name) {
            Some(Whose::Machine(Owner { group, instance: Some(instance) })) => {
                claims.claim_owner((*group, &**instance), node);
            }
            Some(Whose::Machine(Owner { group, instance: None })) => {
                joined.labelled.insert(node.name, *group);
            }
            Some(Whose::Gone(Owner { group, instance: Some(instance) })) => {
                let (group, instance) = (*group, instance.clone());
                joined.departed.push(Departed { node: node.name, group, instance });
            }
            Some(Whose::Gone(_) | Whose::Nobodys) | None => {}
        }
    }
    for group in groups {
        for instance in &mut group.instances {
            let named = instance.node.and_then(|node| here.get(&node).copied());
            let verdict = claims.judge(group.id, instance, named, now);
            for node in verdict.outlived {
                let (group, instance) = (group.id, instance.id.clone());
                joined.departed.push(Departed { node, group, instance });
            }
            if !verdict.contested.is_empty() {
                joined.contested.push(Contested {
                    group: group.id,
                    instance: instance.id.clone(),
                    nodes: verdict.contested.into(),
                });
            }
            if let Some(owner) = verdict.owner {
                joined.labelled.remove(&owner);
                instance.node = Some(owner);
            } else if named.is_some() {
                // What its provider names is the Node of an earlier machine of that name.
                instance.node = None;
            }
        }
    }
    joined
}

/// Shows a node as tainted before it is. The value of the taint, which tells people since when, plays no part in a plan.
fn mark(node: &mut Node) {
    let taint = Taint {
        key: Symbol::new(Mark::Leaving.key()),
        value: Symbol::new(""),
        effect: Effect::NoSchedule,
    };
    node.taints = node.taints.iter().copied().chain([taint]).collect();
}

fn unmark(node: &mut Node) {
    let ours = |taint: &&Taint| ![Mark::Leaving.key(), CLOSED].contains(&taint.key.as_str());
    node.taints = node.taints.iter().filter(ours).copied().collect();
    node.unschedulable = false;
}

/// Whether Kubernetes puts the taint on nodes for what is not so any more, and is about to take it off.
fn is_outdated(taint: &Taint, node: &Node) -> bool {
    match taint.key.as_str() {
        CLOSED => !node.unschedulable,
        // A node of which nothing is known yet counts as ready, and is not.
        NOT_READY => node.conditions.ready && node.conditions.ready_since.is_some(),
        _ => false,
    }
}

/// Takes off what is about to be taken off.
fn catch_up(node: &mut Node) {
    let stays = |taint: &&Taint| !is_outdated(taint, node);
    node.taints = node.taints.iter().filter(stays).copied().collect();
}

// === impl Staged ===

impl Staged {
    /// Puts the nodes back as they are in the cluster, and hands out what was put in beside them.
    pub(crate) fn undo(self, mirror: &mut Mirror) -> Vec<Group> {
        let world = mirror.world();
        for (place, original) in self.originals {
            if let Some(slot) = world.nodes.get_mut(place) {
                *slot = original;
            }
        }
        world.memory = Memory::default();
        world.orders = Vec::new();
        world.departed = Vec::new();
        world.contested = Vec::new();
        std::mem::take(&mut world.groups)
    }
}

#[cfg(test)]
mod tests;
