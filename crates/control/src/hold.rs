//! New nodes that are closed until something is there that pods cannot do without.
//!
//! | a node of a group that asks for it | what is done |
//! |-------------------------------------|--------------|
//! | is new, has no pods, and lacks it   | it is closed, with an annotation that says that we did it |
//! | was closed by us, and has it now    | it is opened, and the annotation says that it is not new any more |
//! | was closed by somebody else         | it is left to them |
//!
//! The annotation is all that has to be remembered, so a restart forgets nothing. While a node is awaited, decisions see it open:
//! nothing is bought for pods that will find room on it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::{
    mirror::Mirror,
    nodes::{HELD_BACK, Hold},
};
use plimsoll_model::{DaemonSet, Pod, Symbol, first_untolerated};
use plimsoll_provider::{HoldBack, Until, Which};

/// How long a node is awaited of which nobody says what it waits for.
const PATIENCE: SignedDuration = SignedDuration::from_mins(15);

/// DaemonSets that give a node its network, without the `-ds` and the architecture that some of them end with.
const NETWORK_AGENTS: [&str; 10] = [
    "antrea-agent",
    "calico-node",
    "canal",
    "cilium",
    "kindnet",
    "kube-flannel",
    "kube-ovn-cni",
    "kube-router",
    "ovnkube-node",
    "weave-net",
];

/// What is to be done about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Close,
    Open,
}

/// What is to be done about new nodes; `asked` tells what nodes have to wait for. Those that may have to be closed or opened later
/// are the second answer.
pub(crate) fn moves(
    mirror: &mut Mirror,
    asked: &BTreeMap<Symbol, HoldBack>,
    now: Timestamp,
) -> (Vec<(Symbol, Move)>, BTreeSet<Symbol>) {
    let mut candidates: BTreeMap<Symbol, Hold> = BTreeMap::new();
    for (node, hold) in holds(mirror) {
        let rule = asked.get(&node.name);
        let young = rule.is_some_and(|rule| now.duration_since(node.created) <= rule.patience);
        match hold {
            Hold::Never if young && !node.closed => candidates.insert(node.name, hold),
            Hold::Since(_) => candidates.insert(node.name, hold),
            Hold::Never | Hold::Opened => None,
        };
    }
    if candidates.is_empty() {
        return (Vec::new(), BTreeSet::new());
    }
    let mut residents: BTreeMap<Symbol, Vec<Pod>> = BTreeMap::new();
    for pod in mirror.world().pods.iter().filter(|pod| !pod.has_ended()) {
        if let Some(node) = pod.node.filter(|node| candidates.contains_key(node)) {
            residents.entry(node).or_default().push(pod.clone());
        }
    }
    let agents = network_agents(mirror);
    let mut moves = Vec::new();
    for (node, hold) in &candidates {
        let pods = residents.get(node).map(Vec::as_slice).unwrap_or_default();
        let met =
            asked.get(node).is_none_or(|rule| is_met(mirror, *node, &rule.until, pods, &agents));
        let in_use = pods.iter().any(|pod| !pod.is_daemon() && !pod.is_mirror());
        match hold {
            Hold::Never if !met && !in_use => moves.push((*node, Move::Close)),
            Hold::Since(_) if met => moves.push((*node, Move::Open)),
            _ => {}
        }
    }
    (moves, candidates.into_keys().collect())
}

/// Nodes that we closed and that are expected to open soon.
pub(crate) fn awaited(
    mirror: &mut Mirror,
    asked: &BTreeMap<Symbol, HoldBack>,
    now: Timestamp,
) -> BTreeSet<Symbol> {
    let is_awaited = |(node, hold): (Glimpse, Hold)| {
        let patience = asked.get(&node.name).map_or(PATIENCE, |rule| rule.patience);
        matches!(hold, Hold::Since(since) if now.duration_since(since) <= patience)
            .then_some(node.name)
    };
    holds(mirror).into_iter().filter_map(is_awaited).collect()
}

/// What of a node matters here.
struct Glimpse {
    name: Symbol,
    created: Timestamp,
    closed: bool,
}

/// Nodes that stay, with what their annotations say.
fn holds(mirror: &mut Mirror) -> Vec<(Glimpse, Hold)> {
    let nodes = mirror.world().nodes.iter().filter(|node| !node.deleting);
    let nodes = nodes.map(|node| Glimpse {
        name: node.name,
        created: node.created,
        closed: node.unschedulable,
    });
    let nodes: Vec<Glimpse> = nodes.collect();
    let with_hold = |node: Glimpse| {
        let identity = mirror.identity(node.name)?;
        let annotation = identity.annotations.get(HELD_BACK).map(String::as_str);
        Some((node, Hold::read(annotation)))
    };
    nodes.into_iter().filter_map(with_hold).collect()
}

/// The agents of the cluster's network.
fn network_agents(mirror: &mut Mirror) -> Vec<DaemonSet> {
    let is_agent = |set: &&DaemonSet| {
        let rest = NETWORK_AGENTS.iter().find_map(|agent| set.name.strip_prefix(agent));
        rest.is_some_and(|rest| rest.is_empty() || rest == "-ds" || rest.starts_with("-ds-"))
    };
    mirror.world().daemon_sets.iter().filter(is_agent).cloned().collect()
}

/// Whether every agent that would run on the node does, and is Ready. Which node it is, is told by its name.
fn has_network(mirror: &mut Mirror, name: Symbol, pods: &[Pod], agents: &[DaemonSet]) -> bool {
    let Some(node) = mirror.world().nodes.iter().find(|node| node.name == name).cloned() else {
        return false;
    };
    let wants = |agent: &&DaemonSet| {
        agent.pod.node_affinity.matches(node.name, &node.labels)
            && first_untolerated(&node.taints, &agent.pod.tolerations).is_none()
    };
    let is_of = |pod: &&Pod, agent: &DaemonSet| {
        let owner = pod.owner.as_ref().filter(|_| pod.is_daemon());
        pod.shape.namespace == agent.namespace
            && owner.is_some_and(|owner| owner.name == agent.name)
    };
    agents.iter().filter(wants).all(|agent| {
        let mut own = pods.iter().filter(|pod| is_of(pod, agent));
        own.any(|pod| mirror.is_ready(&pod.id()))
    })
}

fn is_met(
    mirror: &mut Mirror,
    node: Symbol,
    until: &Until,
    pods: &[Pod],
    agents: &[DaemonSet],
) -> bool {
    match until {
        Until::Condition(condition) => mirror.has_condition(node, condition),
        Until::Network => {
            mirror.has_condition(node, "Ready") && has_network(mirror, node, pods, agents)
        }
        Until::Pod { namespace, which } => {
            let mut meant = pods.iter().filter(|pod| {
                pod.shape.namespace.as_str() == namespace.as_str() && is_meant(pod, which)
            });
            meant.any(|pod| mirror.is_ready(&pod.id()))
        }
    }
}

fn is_meant(pod: &Pod, which: &Which) -> bool {
    match which {
        Which::Prefix(prefix) => pod.name.starts_with(prefix.as_str()),
        Which::Labels(labels) => labels.iter().all(|(key, value)| {
            pod.shape.labels.get(Symbol::new(key)).is_some_and(|found| found.as_str() == value)
        }),
    }
}
