//! What a scenario is about: how often pods and nodes have which demands.

/// In how many of a hundred pods, or nodes, something occurs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Odds {
    /// Nodes that are cordoned.
    pub(super) cordon: u32,
    /// Nodes with taints.
    pub(super) taints: u32,
    /// Pods that tolerate something.
    pub(super) tolerations: u32,
    /// Pods that name their node.
    pub(super) pinned: u32,
    /// Pods with demands on a node's labels and name.
    pub(super) node_affinity: u32,
    /// Pods with host ports.
    pub(super) ports: u32,
    /// Pods that ask for each of several resources.
    pub(super) requests: u32,
    /// Pods that are spread.
    pub(super) spread: u32,
    /// Pods that want company.
    pub(super) affinity: u32,
    /// Pods that avoid company.
    pub(super) anti_affinity: u32,
    /// Pods with volumes.
    pub(super) volumes: u32,
    /// Pods on their way out.
    pub(super) terminating: u32,
}

impl Odds {
    /// Labels, taints, names, ports and amounts.
    pub(crate) const NODES: Self = Self {
        cordon: 15,
        taints: 40,
        tolerations: 50,
        pinned: 10,
        node_affinity: 60,
        ports: 40,
        requests: 50,
        spread: 0,
        affinity: 0,
        anti_affinity: 0,
        volumes: 0,
        terminating: 5,
    };

    /// Topology spread, with the taints and affinities that its policies look at.
    pub(crate) const SPREAD: Self = Self {
        cordon: 5,
        taints: 20,
        tolerations: 20,
        pinned: 3,
        node_affinity: 30,
        ports: 0,
        requests: 10,
        spread: 75,
        affinity: 0,
        anti_affinity: 0,
        volumes: 0,
        terminating: 15,
    };

    /// Pod affinity and anti-affinity.
    pub(crate) const COMPANY: Self = Self {
        cordon: 0,
        taints: 0,
        tolerations: 0,
        pinned: 0,
        node_affinity: 10,
        ports: 0,
        requests: 10,
        spread: 0,
        affinity: 45,
        anti_affinity: 50,
        volumes: 0,
        terminating: 10,
    };

    /// Claims, disks and volumes.
    pub(crate) const VOLUMES: Self = Self {
        cordon: 0,
        taints: 0,
        tolerations: 0,
        pinned: 0,
        node_affinity: 5,
        ports: 0,
        requests: 10,
        spread: 0,
        affinity: 0,
        anti_affinity: 0,
        volumes: 85,
        terminating: 5,
    };

    /// All of it, none of it often.
    pub(crate) const EVERYTHING: Self = Self {
        cordon: 5,
        taints: 15,
        tolerations: 30,
        pinned: 2,
        node_affinity: 20,
        ports: 15,
        requests: 40,
        spread: 25,
        affinity: 20,
        anti_affinity: 20,
        volumes: 15,
        terminating: 10,
    };

    /// Amounts, ports and little else: what is left when clusters grow large.
    pub(crate) const CROWD: Self = Self {
        cordon: 3,
        taints: 10,
        tolerations: 40,
        pinned: 0,
        node_affinity: 15,
        ports: 10,
        requests: 70,
        spread: 20,
        affinity: 10,
        anti_affinity: 20,
        volumes: 0,
        terminating: 3,
    };
}
