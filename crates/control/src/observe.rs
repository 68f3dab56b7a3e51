//! The World of a pass: the cluster as it is mirrored, the providers' inventory, and what is remembered.
//!
//! The mirror's own lists are used in place. Where a decision has to see a node otherwise than it is in the cluster (it is on its
//! way out, it cannot be judged), another node stands in for it until [`Staged::undo`] puts it back.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;
use plimsoll_cluster::{mirror::Mirror, taints::Mark};
use plimsoll_model::{Effect, Group, Labels, Memory, Node, Settings, Symbol, Taint, label};
use plimsoll_provider::Inventory;
use rustc_hash::FxHashMap;

mod owners;

pub(crate) use self::owners::{Asked, Owners};

/// The taint that Kubernetes itself puts on a node that is closed.
const CLOSED: &str = "node.kubernetes.io/unschedulable";

/// What a pass is made of, beside the mirror.
pub(crate) struct Ingredients<'a> {
    pub now: Timestamp,
    pub settings: &'a Settings,
    pub inventory: Inventory,
    pub owners: &'a Owners,
    pub memory: Memory,
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

/// Puts everything together in the mirror's World.
pub(crate) fn stage(mirror: &mut Mirror, ingredients: Ingredients<'_>) -> Staged {
    let Ingredients {
        now,
        settings,
        inventory,
        owners,
        memory,
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
    let labelled = join(&world.nodes, &mut groups, owners);
    let mut staged = Staged::default();
    for (place, slot) in world.nodes.iter_mut().enumerate() {
        let name = slot.name;
        let mut node = Arc::clone(slot);
        if opaque.contains(&name) && !node.keep {
            Arc::make_mut(&mut node).keep = true;
        }
        if let Some(group) = labelled.get(&name) {
            let node = Arc::make_mut(&mut node);
            let pair = (Symbol::new(label::GROUP), *group);
            node.labels = Labels::from_pairs(node.labels.iter().chain([pair]));
        }
        if awaited.contains(&name) && node.unschedulable {
            open(Arc::make_mut(&mut node));
        }
        if doubted.contains(&name) {
            unmark(Arc::make_mut(&mut node));
        } else if leaving.contains(&name) && !is_leaving(&node) {
            mark(Arc::make_mut(&mut node), now);
        }
        if !Arc::ptr_eq(&node, slot) {
            staged.originals.push((place, std::mem::replace(slot, node)));
        }
    }
    world.now = now;
    world.settings = settings.clone();
    world.groups = groups;
    world.memory = memory;
    world.advice = Vec::new();
    staged
}

/// Whether the node carries the mark of one that leaves.
pub(crate) fn is_leaving(node: &Node) -> bool {
    node.taints.iter().any(|taint| taint.key.as_str() == Mark::Leaving.key())
}

/// Names the node of every machine that has one: by the id that the node gives, else by what the provider said when it was asked.
/// Answers with nodes of which only the group is known.
fn join(nodes: &[Arc<Node>], groups: &mut [Group], owners: &Owners) -> FxHashMap<Symbol, Symbol> {
    let here: FxHashMap<Symbol, &Arc<Node>> = nodes.iter().map(|node| (node.name, node)).collect();
    let by_id: FxHashMap<&str, Symbol> = (nodes.iter())
        .filter(|node| !node.provider_id.is_empty())
        .map(|node| (&*node.provider_id, node.name))
        .collect();
    let mut nodes_of_owner: FxHashMap<(Symbol, &str), Symbol> = FxHashMap::default();
    let mut labelled = FxHashMap::default();
    for node in here.keys() {
        let Some(owner) = owners.owner(*node) else { continue };
        match &owner.instance {
            Some(instance) => {
                nodes_of_owner.insert((owner.group, instance), *node);
            }
            None => {
                labelled.insert(*node, owner.group);
            }
        }
    }
    for group in groups {
        for instance in &mut group.instances {
            let known = instance.node.filter(|node| here.contains_key(node));
            let known = known.or_else(|| by_id.get(&*instance.id).copied());
            let known = known.or_else(|| nodes_of_owner.get(&(group.id, &*instance.id)).copied());
            if let Some(node) = known {
                instance.node = Some(node);
                labelled.remove(&node);
            }
        }
    }
    labelled
}

fn mark(node: &mut Node, now: Timestamp) {
    let taint = Taint {
        key: Symbol::new(Mark::Leaving.key()),
        value: Symbol::new(&now.as_second().to_string()),
        effect: Effect::NoSchedule,
    };
    node.taints = node.taints.iter().copied().chain([taint]).collect();
}

fn unmark(node: &mut Node) {
    let ours = |taint: &&Taint| ![Mark::Leaving.key(), CLOSED].contains(&taint.key.as_str());
    node.taints = node.taints.iter().filter(ours).copied().collect();
    node.unschedulable = false;
}

fn open(node: &mut Node) {
    let other = |taint: &&Taint| taint.key.as_str() != CLOSED;
    node.taints = node.taints.iter().filter(other).copied().collect();
    node.unschedulable = false;
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
        std::mem::take(&mut world.groups)
    }
}
