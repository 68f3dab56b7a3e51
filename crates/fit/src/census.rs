//! Which nodes count for a spread constraint, and how many domains they form.
//!
//! A node counts when it has the topology keys of *all* the pod's constraints and passes the constraint's policies on node
//! affinity and taints. Constraints that agree in this share one census.

use plimsoll_model::Node;

use crate::{
    domains::{Domain, Topology},
    gates::Gates,
    ids::{AffinityId, CounterId, KeyId, NodeId, TolerationsId},
    tally::Sums,
};

/// What makes a node count.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Census {
    /// The key whose domains are counted.
    pub key: KeyId,
    /// Keys that a node has to have, sorted; `key` is one of them.
    pub keys: Box<[KeyId]>,
    /// With `nodeAffinityPolicy: Honor`.
    pub affinity: Option<AffinityId>,
    /// With `nodeTaintsPolicy: Honor`.
    pub tolerations: Option<TolerationsId>,
}

/// A census and its present state.
#[derive(Debug)]
pub(crate) struct CensusState {
    census: Census,
    /// By node: whether it counts.
    counts: Vec<bool>,
    /// By domain: how many nodes that count are present.
    nodes: Sums,
    /// Domains with at least one such node.
    domains: u32,
    /// Counters that count over this census.
    pub counters: Vec<CounterId>,
}

// === impl CensusState ===

impl CensusState {
    pub(crate) fn new(census: Census) -> Self {
        Self {
            census,
            counts: Vec::new(),
            nodes: Sums::default(),
            domains: 0,
            counters: Vec::new(),
        }
    }

    /// Appends a node that is not present yet. Its domains have to be known.
    pub(crate) fn push(&mut self, id: NodeId, node: &Node, topology: &Topology, gates: &Gates) {
        let census = &self.census;
        self.counts.push(
            census.keys.iter().all(|key| topology.domain(*key, id).is_some())
                && census.affinity.is_none_or(|affinity| gates.admits(affinity, node))
                && census.tolerations.is_none_or(|tolerations| gates.tolerates(tolerations, node)),
        );
    }

    /// Removes the last node.
    pub(crate) fn pop(&mut self) {
        self.counts.pop();
    }

    /// The node is there from now on; says whether that makes a new domain.
    pub(crate) fn attach(&mut self, id: NodeId, topology: &Topology) -> bool {
        let Some(domain) = self.domain(id, topology) else {
            return false;
        };
        let nodes = self.nodes.entry(domain);
        *nodes += 1;
        let first = *nodes == 1;
        self.domains += u32::from(first);
        first
    }

    /// The node is gone; says whether its domain went with it.
    pub(crate) fn detach(&mut self, id: NodeId, topology: &Topology) -> bool {
        let Some(domain) = self.domain(id, topology) else {
            return false;
        };
        let nodes = self.nodes.entry(domain);
        *nodes -= 1;
        let last = *nodes == 0;
        self.domains -= u32::from(last);
        last
    }

    /// The domain in which pods of this node are counted.
    pub(crate) fn domain(&self, id: NodeId, topology: &Topology) -> Option<Domain> {
        self.counts[id.index()].then(|| topology.domain(self.census.key, id)).flatten()
    }

    pub(crate) fn domains(&self) -> u32 {
        self.domains
    }
}
