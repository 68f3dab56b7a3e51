//! Nodes that stay, and why.

use plimsoll_model::{PodName, Symbol};

/// A node that stays.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blocked {
    /// The node.
    pub node: Symbol,
    /// Why.
    pub reason: BlockReason,
    /// The pod that holds it, with `BlockedByPod` and `BlockedByOnCompletionPod`.
    pub pod: Option<PodName>,
    /// What holds the pod, with `BlockedByPod`.
    pub pod_reason: Option<PodBlockReason>,
}

/// Why a node stays. The names are the upstream's where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BlockReason {
    NoNodeGroup,
    MachineGone,
    DuplicateProviderId,
    ScaleDownDisabledAnnotation,
    ScaleDownUnreadyDisabled,
    NotUnderutilized,
    NotUnneededLongEnough,
    NotUnreadyLongEnough,
    NodeGroupMinSizeReached,
    MinimalResourceLimitExceeded,
    CurrentlyBeingDeleted,
    NoPlaceToMovePods,
    RecentlyUnremovable,
    BlockedByPod,
    BlockedByOnCompletionPod,
    AtomicScaleDownFailed,
    Cooldown,
    Budget,
    ClusterUnhealthy,
    GroupFrozen,
    SimulationTimeout,
    PodsNotLookedAt,
}

/// What keeps a pod from being moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the upstream's")]
pub enum PodBlockReason {
    NotReplicated,
    ControllerNotFound,
    MinReplicasReached,
    UnmovableKubeSystemPod,
    NotSafeToEvictAnnotation,
    LocalStorageRequested,
    NotEnoughPdb,
}

// === impl BlockReason ===

impl BlockReason {
    /// Whether the node was judged. If not, it stays as it was, and its clock says nothing of now: the cluster cannot be relied on, or
    /// there was no time.
    pub fn is_judgement(self) -> bool {
        !matches!(self, Self::ClusterUnhealthy | Self::SimulationTimeout | Self::PodsNotLookedAt)
    }
}
