//! Reasons in words, and the names they have for programs.
//!
//! A Plan has its reasons as data. Whoever tells them to a person or a program, be it of a plan on paper or of the running loop,
//! finds the words here, so that the same thing is said in the same way everywhere.

use std::fmt::{self, Display};

use plimsoll_fit::{Rejection, Shortage};
use plimsoll_model::Timestamp;

use crate::plan::{
    BlockReason, GroupHealth, GroupReason, HoldReason, Outcome, PodBlockReason, Repair,
    RetirementReason,
};

mod room;
mod sentences;

pub use self::{
    room::{buffer, kept, kept_by_growth, request},
    sentences::{
        alike, backing_off, block, contested, contradiction, group_state, health, held, leaves,
        outcome, pod, removal, repair, stays,
    },
};

/// What a group has against a pod, as a program reads it.
pub fn reason_name(reason: &GroupReason) -> &'static str {
    match reason {
        GroupReason::Filter(rejection) => rejection.plugin().as_str(),
        GroupReason::MaxSizeReached { .. } => "MaxSizeReached",
        GroupReason::Backoff { .. } => "Backoff",
        GroupReason::Unhealthy | GroupReason::ClusterUnhealthy => "Unhealthy",
        GroupReason::Frozen { .. } => "Frozen",
        GroupReason::OutOfStock { .. } => "OutOfStock",
        GroupReason::QuotaExceeded { .. } => "QuotaExceeded",
        GroupReason::ScaleUpLimitReached { .. } => "ScaleUpLimitReached",
        GroupReason::TimeLimitReached { .. } => "TimeLimitReached",
        GroupReason::SwitchedOff { .. } => "SwitchedOff",
        GroupReason::NoTemplate => "NoTemplate",
        GroupReason::NotChosen => "NotChosen",
    }
}

/// What a group has against a pod, in words. A time of the same day as `now` is shown without the date.
#[derive(Clone, Copy, Debug)]
pub struct Reason<'r> {
    /// The reason.
    pub reason: &'r GroupReason,
    /// The moment of which it is told.
    pub now: Option<Timestamp>,
}

/// A moment: of the day of `now` only the time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The moment.
    pub at: Timestamp,
    /// The moment of which it is told.
    pub now: Option<Timestamp>,
}

/// A number of things: `1 node`, `2 nodes`.
#[derive(Clone, Copy, Debug)]
pub struct Count(
    /// How many.
    pub usize,
    /// Of what.
    pub &'static str,
);

/// What becomes of a pod, as a program reads it.
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::TriggeredScaleUp => "TriggeredScaleUp",
        Outcome::FitsExisting => "FitsExisting",
        Outcome::Nominated => "Nominated",
        Outcome::AwaitsNextPass => "AwaitsNextPass",
        Outcome::NoGroupFits => "NoGroupFits",
        Outcome::TooYoung => "TooYoung",
        Outcome::ConsumesRequest => "ConsumesRequest",
        Outcome::Expendable => "Expendable",
        Outcome::Ignored => "Ignored",
    }
}

/// Why a node can go, as a program reads it.
pub fn retirement_name(why: RetirementReason) -> &'static str {
    match why {
        RetirementReason::Empty => "empty",
        RetirementReason::Underutilized => "underutilized",
        RetirementReason::Unready => "unready",
        RetirementReason::Consolidate => "consolidate",
        RetirementReason::Rotate => "rotate",
    }
}

/// The reason of this name.
pub fn retirement_reason(name: &str) -> Option<RetirementReason> {
    let all = [
        RetirementReason::Empty,
        RetirementReason::Underutilized,
        RetirementReason::Unready,
        RetirementReason::Consolidate,
        RetirementReason::Rotate,
    ];
    all.into_iter().find(|why| retirement_name(*why) == name)
}

/// What is put right, as a program reads it.
pub fn repair_name(repair: &Repair) -> &'static str {
    match repair {
        Repair::DeleteInstance { .. } => "delete-instance",
        Repair::LowerTarget { .. } => "lower-target",
        Repair::RaiseToMin { .. } => "raise-to-min",
    }
}

/// Whether a group can be used, as a program reads it.
pub fn health_name(health: &GroupHealth) -> &'static str {
    match health {
        GroupHealth::Healthy => "Healthy",
        GroupHealth::Unhealthy => "Unhealthy",
        GroupHealth::Frozen { .. } => "Frozen",
        GroupHealth::Backoff { .. } => "Backoff",
    }
}

/// Why machines without a node are not deleted, as a program reads it.
pub fn hold_reason_name(reason: HoldReason) -> &'static str {
    match reason {
        HoldReason::Contradiction => "Contradiction",
        HoldReason::HourlyLimit => "HourlyLimit",
    }
}

/// As the contract spells it, with what a person would say.
pub fn block_reason(reason: BlockReason) -> (&'static str, &'static str) {
    use BlockReason as Why;
    match reason {
        Why::NoNodeGroup => ("NoNodeGroup", "of no group"),
        Why::MachineGone => ("MachineGone", "its machine is gone, which has to be so for a while"),
        Why::DuplicateProviderId => ("DuplicateProviderID", "another node claims the same machine"),
        Why::ScaleDownDisabledAnnotation => {
            ("ScaleDownDisabledAnnotation", "its annotation forbids it to go")
        }
        Why::ScaleDownUnreadyDisabled => {
            ("ScaleDownUnreadyDisabled", "unready, and such nodes are not given back")
        }
        Why::NotUnderutilized => ("NotUnderutilized", "not underutilised"),
        Why::NotUnneededLongEnough => ("NotUnneededLongEnough", "not unneeded for long enough"),
        Why::NotUnreadyLongEnough => ("NotUnreadyLongEnough", "not unready for long enough"),
        Why::NodeGroupMinSizeReached => ("NodeGroupMinSizeReached", "the group is at its minimum"),
        Why::MinimalResourceLimitExceeded => {
            ("MinimalResourceLimitExceeded", "the cluster would have less than it must")
        }
        Why::CurrentlyBeingDeleted => ("CurrentlyBeingDeleted", "being deleted already"),
        Why::NoPlaceToMovePods => ("NoPlaceToMovePods", "no other place for its pods"),
        Why::RecentlyUnremovable => {
            ("RecentlyUnremovable", "no other place for its pods was found a short time ago")
        }
        Why::BlockedByPod => ("BlockedByPod", "a pod cannot be moved"),
        Why::BlockedByOnCompletionPod => ("BlockedByOnCompletionPod", "a pod has to end by itself"),
        Why::AtomicScaleDownFailed => {
            ("AtomicScaleDownFailed", "the group goes whole or not at all")
        }
        Why::Cooldown => ("Cooldown", "nodes were added or removed a short time ago"),
        Why::Budget => ("Budget", "as many nodes as may go at once are going"),
        Why::ClusterUnhealthy => ("ClusterUnhealthy", "too many nodes are not ready"),
        Why::GroupFrozen => ("GroupFrozen", "its provider cannot be read"),
        Why::SimulationTimeout => (
            "SimulationTimeout",
            "not looked at in this pass: scale-down-simulation-timeout is spent",
        ),
        Why::PodsNotLookedAt => (
            "PodsNotLookedAt",
            "not all pods that wait were looked at: pending-pods-batching-timeout is spent",
        ),
    }
}

/// As the contract spells it, with what a person would say of the pod.
pub fn pod_reason(reason: PodBlockReason) -> (&'static str, &'static str) {
    use PodBlockReason as Why;
    match reason {
        Why::NotReplicated => ("NotReplicated", "no controller that counts would make it again"),
        Why::ControllerNotFound => ("ControllerNotFound", "its controller does not exist"),
        Why::MinReplicasReached => ("MinReplicasReached", "its controller has too few replicas"),
        Why::UnmovableKubeSystemPod => {
            ("UnmovableKubeSystemPod", "it is of kube-system and has no disruption budget")
        }
        Why::NotSafeToEvictAnnotation => {
            ("NotSafeToEvictAnnotation", "its annotation forbids to evict it")
        }
        Why::LocalStorageRequested => ("LocalStorageRequested", "it would lose local data"),
        Why::NotEnoughPdb => ("NotEnoughPdb", "its disruption budget is used up"),
    }
}

/// Why a node can go, said of one or of several.
pub fn retirement_words(why: RetirementReason, many: bool) -> &'static str {
    match (why, many) {
        (RetirementReason::Empty, false) => "nothing runs on it",
        (RetirementReason::Empty, true) => "nothing runs on them",
        (RetirementReason::Underutilized, _) => "little runs there, and that has another place",
        (RetirementReason::Unready, _) => "unready for too long",
        (RetirementReason::Consolidate, _) => "the pods fit on fewer or cheaper nodes",
        (RetirementReason::Rotate, false) => "its time is up",
        (RetirementReason::Rotate, true) => "their time is up",
    }
}

// === impl Reason ===

impl Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            GroupReason::Filter(Rejection::Insufficient(shortages)) => {
                for (place, shortage) in shortages.iter().enumerate() {
                    f.write_str(if place > 0 { "; " } else { "" })?;
                    write_shortage(f, shortage)?;
                }
                Ok(())
            }
            GroupReason::Filter(rejection) => rejection.fmt(f),
            GroupReason::MaxSizeReached { max } => write!(f, "at its maximum of {max}"),
            GroupReason::Backoff { until, code } => {
                f.write_str(&backing_off(*until, code, self.now))
            }
            GroupReason::Unhealthy => f.write_str("too many of its nodes are not ready"),
            GroupReason::Frozen { reason } => write!(f, "left alone: {reason}"),
            GroupReason::OutOfStock { stock: 0 } => f.write_str("its provider has none left"),
            GroupReason::OutOfStock { stock } => {
                write!(f, "its provider has only {stock} left, and it grows in one piece")
            }
            GroupReason::QuotaExceeded { limit } => write!(f, "quota exceeded: {limit}"),
            GroupReason::ScaleUpLimitReached { flag } => {
                write!(f, "this scale-up has as many nodes as {flag} allows")
            }
            GroupReason::TimeLimitReached { flag } => write!(f, "time limit reached: {flag}"),
            GroupReason::SwitchedOff { flag } => {
                write!(f, "no node is ready, and {flag} is off")
            }
            GroupReason::NoTemplate => f.write_str("nobody knows what its nodes look like"),
            GroupReason::NotChosen => f.write_str("could take it, but another choice was made"),
            GroupReason::ClusterUnhealthy => {
                f.write_str("nothing is bought while too many nodes are not ready")
            }
        }
    }
}

/// The node is a new one, so what it has free is what it has.
fn write_shortage(f: &mut fmt::Formatter<'_>, shortage: &Shortage) -> fmt::Result {
    let (asks, free) = shortage.amounts();
    write!(f, "insufficient {}: asks {asks}, a new node has {free}", shortage.resource)
}

// === impl Clock ===

impl Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nobody plans by fractions of a second.
        let whole = Timestamp::from_second(self.at.as_second()).unwrap_or(self.at);
        let text = whole.to_string();
        let now = self.now.map(|now| now.to_string());
        match (text.split_once('T'), now.as_ref().and_then(|now| now.split_once('T'))) {
            (Some((date, time)), Some((today, _))) if date == today => {
                let time = time.trim_end_matches('Z');
                f.write_str(time.strip_suffix(":00").unwrap_or(time))
            }
            _ => f.write_str(&text),
        }
    }
}

// === impl Count ===

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = self;
        write!(f, "{count} {noun}{}", if *count == 1 { "" } else { "s" })
    }
}
