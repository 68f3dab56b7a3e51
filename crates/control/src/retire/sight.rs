//! What a node on its way out looks like at the moment.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::mirror::Mirror;
use plimsoll_model::{InstanceState, Node, Pod, PodName, SafeToEvict, Symbol};
use plimsoll_plan::is_control_plane;
use plimsoll_provider::{Inventory, Whose};

use crate::observe::Owners;

/// Whoever puts an annotation that begins with this on a node wants to be waited for.
const DELAY: &str = "delay-deletion.cluster-autoscaler.kubernetes.io/";

/// A node on its way out, as it is now.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "facts that have nothing to do with each other")]
pub(crate) struct Sighting {
    /// There is such a Node.
    pub is_here: bool,
    /// Its uid.
    pub uid: Option<Box<str>>,
    /// It says that it is ready.
    pub is_ready: bool,
    /// The cluster itself runs on it.
    pub is_control_plane: bool,
    /// Whether the machine of the order is this node's.
    pub belongs: Belongs,
    /// Another Ready node that says that it is the same machine.
    pub rival: Option<Symbol>,
    /// Somebody marked it as not to be removed, or something runs on it that cannot be read.
    pub keep: bool,
    /// Who wants to be waited for before the machine goes.
    pub delays: Vec<String>,
    /// What runs on it.
    pub pods: Vec<PodSeen>,
    /// An order of its group has no answer yet. Deleted in between, a machine would hide from some providers whether it was served.
    pub awaits_order: bool,
    /// Deletions of its group are collected until then.
    pub batch_until: Option<Timestamp>,
    pub machine: Machine,
}

/// Whether a machine is a node's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Belongs {
    /// The provider does not list the machine, so nobody can tell.
    #[default]
    Untold,
    /// It is.
    Here,
    /// The machine is another node's, or nobody's.
    Elsewhere,
}

/// What the provider says of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Machine {
    /// Nothing that could be relied on.
    #[default]
    Unknown,
    /// It is there.
    Here,
    /// It is being deleted.
    Deleting,
    /// It was not listed at that moment.
    Gone {
        /// When the list was made.
        as_of: Timestamp,
    },
}

/// A pod on the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PodSeen {
    pub name: PodName,
    pub uid: Option<Box<str>>,
    pub priority: i32,
    /// How long it asks for to end.
    pub grace: Option<u32>,
    pub kind: PodKind,
    /// Its deletion was asked for, and it was given so long.
    pub ends_in: Option<SignedDuration>,
}

/// What can be done with a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PodKind {
    /// It has to leave.
    Movable,
    /// It belongs to the node and goes with it; it may say itself whether it is to be evicted.
    Daemon(Option<bool>),
    /// It belongs to the node and is left alone.
    Static,
    /// It must not be evicted.
    Pinned,
}

/// Looks at some nodes.
pub(crate) fn look(
    mirror: &mut Mirror,
    owners: &Owners,
    inventory: &Inventory,
    as_of: impl Fn(Symbol) -> Option<Timestamp>,
    nodes: &BTreeMap<Symbol, (Symbol, Box<str>)>,
) -> BTreeMap<Symbol, Sighting> {
    let opaque: Vec<Symbol> = mirror.opaque_nodes().collect();
    let mut found: BTreeMap<Symbol, Sighting> = BTreeMap::new();
    for (node, (group, instance)) in nodes {
        let machine = machine(inventory, *group, instance, as_of(*group));
        found.insert(*node, Sighting { machine, ..Sighting::default() });
    }
    let subjects: BTreeMap<&str, Symbol> =
        nodes.iter().map(|(node, (_, instance))| (&**instance, *node)).collect();
    let world = mirror.world();
    for node in &world.nodes {
        let claimed = subjects.get(&*node.provider_id).filter(|subject| **subject != node.name);
        if let Some(sighting) = claimed.and_then(|subject| found.get_mut(subject))
            && node.conditions.ready
        {
            sighting.rival = Some(node.name);
        }
        if let Some(sighting) = found.get_mut(&node.name) {
            sighting.is_here = true;
            sighting.is_ready = node.conditions.ready;
            sighting.is_control_plane = is_control_plane(node);
            sighting.keep = node.keep || opaque.contains(&node.name);
            if let Some((group, instance)) = nodes.get(&node.name) {
                sighting.belongs = belongs(node, owners, inventory, *group, instance);
            }
        }
    }
    for pod in world.pods.iter().filter(|pod| !pod.has_ended()) {
        if let Some(sighting) = pod.node.and_then(|node| found.get_mut(&node)) {
            sighting.pods.push(PodSeen {
                name: pod.id(),
                uid: None,
                priority: pod.priority,
                grace: None,
                kind: kind(pod),
                ends_in: pod.deletion.map(|deletion| SignedDuration::from_secs(deletion.grace)),
            });
        }
    }
    for (node, sighting) in &mut found {
        sighting.uid = mirror.node_uid(*node).map(Into::into);
        let annotations = mirror.identity(*node).into_iter().flat_map(|known| &known.annotations);
        let delays = annotations.map(|(key, _)| key).filter(|key| key.starts_with(DELAY));
        sighting.delays = delays.cloned().collect();
        for pod in &mut sighting.pods {
            pod.uid = mirror.pod_uid(&pod.name).map(Into::into);
            pod.grace = mirror.pod_grace(&pod.name);
        }
        sighting.pods.sort_by(|one, other| one.name.cmp(&other.name));
    }
    found
}

fn machine(
    inventory: &Inventory,
    group: Symbol,
    instance: &str,
    as_of: Option<Timestamp>,
) -> Machine {
    // That nobody lists a group says nothing of its machines: it may have another name by now, or not be ours any more.
    let Some(state) = inventory.group(group) else { return Machine::Unknown };
    match (state.instance(instance), as_of) {
        (Some(found), _) if found.state == InstanceState::Deleting => Machine::Deleting,
        (Some(_), _) => Machine::Here,
        (None, Some(as_of)) => Machine::Gone { as_of },
        (None, None) => Machine::Unknown,
    }
}

/// Whether a machine is the node's: by the node that the provider names, by the id that the node gives, or by what the provider
/// said when it was asked about the node.
fn belongs(
    node: &Node,
    owners: &Owners,
    inventory: &Inventory,
    group: Symbol,
    instance: &str,
) -> Belongs {
    let listed = inventory.group(group).and_then(|state| state.instance(instance));
    let Some(listed) = listed else { return Belongs::Untold };
    let told = match owners.whose(node.name) {
        Some(Whose::Machine(owner)) => {
            owner.group == group && owner.instance.as_deref().is_none_or(|told| told == instance)
        }
        _ => false,
    };
    if listed.node == Some(node.name) || &*node.provider_id == instance || told {
        Belongs::Here
    } else {
        Belongs::Elsewhere
    }
}

fn kind(pod: &Pod) -> PodKind {
    if pod.is_mirror() {
        return PodKind::Static;
    }
    if pod.is_daemon() {
        return PodKind::Daemon(pod.extras.as_ref().and_then(|extras| extras.daemon_eviction));
    }
    match pod.extras.as_ref().and_then(|extras| extras.safe_to_evict) {
        Some(SafeToEvict::No | SafeToEvict::OnCompletion) if pod.deletion.is_none() => {
            PodKind::Pinned
        }
        _ => PodKind::Movable,
    }
}
