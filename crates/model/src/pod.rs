//! Pods: what the scheduler looks at, and what only the planner does.

use std::{fmt, sync::Arc};

use jiff::Timestamp;

use crate::{
    HostPort, Labels, NodeAffinity, PodClaim, PodTerm, PodVolume, Resources, SpreadConstraint,
    Symbol, Toleration,
};

/// Everything that decides where the scheduler may put a pod. Pods that are alike in it share one value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PodShape {
    /// The pod's namespace.
    pub namespace: Symbol,
    /// Its labels: other pods' affinity and spread terms look at them.
    pub labels: Labels,
    /// What it asks for in all; the slot among the node's pods is not part of it.
    pub requests: Resources,
    /// `spec.nodeName` of a pod that is not running yet: it may go there only.
    pub pinned_to: Option<Symbol>,
    /// What it demands of a node's labels and name.
    pub node_affinity: NodeAffinity,
    /// Which taints it may ignore.
    pub tolerations: Box<[Toleration]>,
    /// Host ports of its containers and sidecars.
    pub ports: Box<[HostPort]>,
    /// Required topology spread.
    pub spread: Box<[SpreadConstraint]>,
    /// Required pod affinity.
    pub affinity: Box<[PodTerm]>,
    /// Required pod anti-affinity.
    pub anti_affinity: Box<[PodTerm]>,
    /// Volumes that the scheduler looks at, in the pod's order.
    pub volumes: Box<[PodVolume]>,
    /// Claims for devices, in the pod's order.
    pub device_claims: Box<[PodClaim]>,
    /// Being deleted: it still holds its room, but spread does not count it.
    pub terminating: bool,
}

/// A pod.
#[derive(Clone, Debug)]
pub struct Pod {
    /// Its name; the namespace is part of the shape.
    pub name: Box<str>,
    /// What the scheduler looks at.
    pub shape: Arc<PodShape>,
    /// The node it runs on or was bound to.
    pub node: Option<Symbol>,
    /// How far it has come.
    pub phase: Phase,
    /// Higher is more important.
    pub priority: i32,
    /// When it was made.
    pub created: Timestamp,
    /// Set when it is on its way out.
    pub deletion: Option<Deletion>,
    /// Its controller.
    pub owner: Option<Arc<Owner>>,
    /// `spec.schedulerName`.
    pub scheduler: Symbol,
    /// `status.nominatedNodeName`: the scheduler has made room for it there.
    pub nominated: Option<Symbol>,
    /// It has scheduling gates.
    pub gated: bool,
    /// What only some pods have.
    pub extras: Option<Box<PodExtras>>,
}

/// `status.phase`. Unknown counts as running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Not all containers run yet.
    Pending,
    /// At least one container runs.
    Running,
    /// All containers ended well.
    Succeeded,
    /// All containers ended, one of them badly.
    Failed,
}

/// A pod's way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The moment the pod is to be gone.
    pub at: Timestamp,
    /// How long it was given, in seconds.
    pub grace: i64,
}

/// The object that made a pod and would make another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner {
    /// `ReplicaSet`, `Job`, …
    pub kind: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Its uid.
    pub uid: Box<str>,
}

/// Marks that few pods carry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct PodExtras {
    /// A static pod's image in the API.
    pub mirror: bool,
    /// The annotation that makes a pod of a custom controller count as a DaemonSet's.
    pub daemon: bool,
    /// `cluster-autoscaler.kubernetes.io/safe-to-evict`.
    pub safe_to_evict: Option<SafeToEvict>,
    /// `cluster-autoscaler.kubernetes.io/enable-ds-eviction`.
    pub daemon_eviction: Option<bool>,
    /// `cluster-autoscaler.kubernetes.io/pod-scale-up-delay`, in seconds.
    pub scale_up_delay: Option<i64>,
    /// Volumes whose data is lost with the node (hostPath, or emptyDir on disk), less those that the pod's annotation
    /// lists as safe.
    pub local_volumes: Vec<Box<str>>,
    /// `controller.kubernetes.io/pod-deletion-cost`.
    pub deletion_cost: i32,
    /// All or nothing with the other pods of this name in the namespace.
    pub gang: Option<Symbol>,
    /// It has topology spread constraints that are no more than wishes: those that a scheduler has for pods without any are
    /// not for it.
    pub wishes_spread: bool,
    /// `autoscaling.x-k8s.io/consume-provisioning-request`: the request that its room was asked for with.
    pub consumes: Option<Symbol>,
    /// It does not exist; this is what it stands for.
    pub stands_for: Option<StandIn>,
    /// `spec.restartPolicy` is Always: a pod that ended well would be started again.
    pub restarts_always: bool,
}

/// What a pod stands for that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StandIn {
    /// Room that is kept free.
    Headroom,
    /// A unit of a CapacityBuffer, by its place in the World.
    Buffer(usize),
    /// A pod that its controller has not made yet.
    Expected,
    /// A pod that somebody requests room for: the place of the request in the World's list.
    Requested(usize),
}

/// What a pod says about being evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SafeToEvict {
    /// It may be evicted whatever else holds.
    Yes,
    /// It keeps its node.
    No,
    /// It keeps its node until it ends by itself.
    OnCompletion,
}

/// A pod's namespace and name, shown as `namespace/name`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PodName {
    /// The namespace.
    pub namespace: Symbol,
    /// The name.
    pub name: Box<str>,
}

// === impl PodShape ===

impl PodShape {
    /// Of a pod that asks for this much and wishes nothing else.
    pub fn plain(namespace: Symbol, requests: Resources) -> Self {
        Self {
            namespace,
            labels: Labels::default(),
            requests,
            pinned_to: None,
            node_affinity: NodeAffinity::default(),
            tolerations: Box::default(),
            ports: Box::default(),
            spread: Box::default(),
            affinity: Box::default(),
            anti_affinity: Box::default(),
            volumes: Box::default(),
            device_claims: Box::default(),
            terminating: false,
        }
    }
}

// === impl Pod ===

impl Pod {
    /// Namespace and name.
    pub fn id(&self) -> PodName {
        PodName { namespace: self.shape.namespace, name: self.name.clone() }
    }

    /// Whether it has ended: then it does not exist for the scheduler.
    pub fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }

    /// Whether it belongs to a DaemonSet, or says that it should be treated so.
    pub fn is_daemon(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.kind.as_str() == "DaemonSet")
            || self.extras.as_ref().is_some_and(|extras| extras.daemon)
    }

    /// What it stands for, if it does not exist.
    pub fn stands_for(&self) -> Option<StandIn> {
        self.extras.as_ref()?.stands_for
    }

    /// Whether it is the image of a static pod.
    pub fn is_mirror(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.mirror)
    }
}

// === impl PodName ===

impl fmt::Display for PodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

impl fmt::Debug for PodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
