//! What a node on its way out looks like at the moment.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::mirror::Mirror;
use plimsoll_model::{InstanceState, Pod, PodName, SafeToEvict, Symbol};
use plimsoll_provider::Inventory;

/// Whoever puts an annotation that begins with this on a node wants to be waited for.
const DELAY: &str = "delay-deletion.cluster-autoscaler.kubernetes.io/";

/// A pod that should have been gone for so long is not waited for: its kubelet is silent, and nobody else ends it. It is more than a
/// drain gives the pods that it asks itself, so that those are told as what kept the node.
const LOST: SignedDuration = SignedDuration::from_mins(1);

/// A node on its way out, as it is now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sighting {
    /// There is such a Node.
    pub is_here: bool,
    /// Its uid.
    pub uid: Option<Box<str>>,
    /// Somebody marked it as not to be removed, or something runs on it that cannot be read.
    pub keep: bool,
    /// Who wants to be waited for before the machine goes.
    pub delays: Vec<String>,
    /// What runs on it.
    pub pods: Vec<PodSeen>,
    /// An order of its group has no answer yet. Deleted in between, a machine would hide from some providers whether it was served.
    pub awaits_order: bool,
    pub machine: Machine,
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
    /// It is ending already.
    pub is_ending: bool,
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
    inventory: &Inventory,
    as_of: impl Fn(Symbol) -> Option<Timestamp>,
    nodes: &BTreeMap<Symbol, (Symbol, Box<str>)>,
    now: Timestamp,
) -> BTreeMap<Symbol, Sighting> {
    let opaque: Vec<Symbol> = mirror.opaque_nodes().collect();
    let mut found: BTreeMap<Symbol, Sighting> = BTreeMap::new();
    for (node, (group, instance)) in nodes {
        let machine = machine(inventory, *group, instance, as_of(*group));
        found.insert(*node, Sighting { machine, ..Sighting::default() });
    }
    let world = mirror.world();
    for node in &world.nodes {
        if let Some(sighting) = found.get_mut(&node.name) {
            sighting.is_here = true;
            sighting.keep = node.keep || opaque.contains(&node.name);
        }
    }
    for pod in world.pods.iter().filter(|pod| !pod.has_ended() && !is_lost(pod, now)) {
        if let Some(sighting) = pod.node.and_then(|node| found.get_mut(&node)) {
            sighting.pods.push(PodSeen {
                name: pod.id(),
                uid: None,
                priority: pod.priority,
                grace: None,
                kind: kind(pod),
                is_ending: pod.deletion.is_some(),
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
    // A group that a complete list does not have is gone with all its machines.
    let found = inventory.group(group).and_then(|state| state.instance(instance));
    match (found, as_of) {
        (Some(found), _) if found.state == InstanceState::Deleting => Machine::Deleting,
        (Some(_), _) => Machine::Here,
        (None, Some(as_of)) => Machine::Gone { as_of },
        (None, None) => Machine::Unknown,
    }
}

/// Whether a pod should have been gone long ago. Its deadline includes the grace it was given.
fn is_lost(pod: &Pod, now: Timestamp) -> bool {
    pod.deletion.is_some_and(|deletion| now.duration_since(deletion.at) > LOST)
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
