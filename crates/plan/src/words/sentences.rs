//! Whole sentences about pods, nodes and groups.

use plimsoll_model::{Contested, Memory, Timestamp};

use super::{Clock, Count, block_reason, kept, pod_reason, retirement_words};
use crate::plan::{
    BlockReason, Blocked, Contradiction, GroupHealth, GroupReason, GroupRejection, GroupReport,
    Held, HoldReason, Outcome, Place, Plan, PodReport, Removal, Repair, Retirement,
};

/// What becomes of one pod. What each group has against it is not part of it.
pub fn pod(report: &PodReport) -> String {
    let pod = &report.pod;
    match (report.outcome, report.group, report.node) {
        (Outcome::TriggeredScaleUp, Some(group), _) => {
            format!("pod {pod} gets a new node of {group}")
        }
        (Outcome::FitsExisting, _, Some(Place::Upcoming { group, .. })) => {
            format!("pod {pod} has a place on a node of {group} on its way")
        }
        (Outcome::FitsExisting, _, Some(node)) => format!("pod {pod} has a place on {node}"),
        (Outcome::Nominated, _, Some(node)) => {
            format!("pod {pod} waits for {node}, where the scheduler makes room for it")
        }
        (happens, _, _) => format!("pod {pod} {}", outcome(happens, false)),
    }
}

/// Groups that have the same against a pod, in the order of the first of each.
pub fn alike(rejections: &[GroupRejection]) -> Vec<(&GroupReason, Vec<&'static str>)> {
    let mut alike: Vec<(&GroupReason, Vec<&str>)> = Vec::new();
    for GroupRejection { group, reason } in rejections {
        match alike.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, groups)) => groups.push(group.as_str()),
            None => alike.push((reason, vec![group.as_str()])),
        }
    }
    alike
}

/// What becomes of a pod, or of several: the words after its name.
pub fn outcome(outcome: Outcome, many: bool) -> &'static str {
    match (outcome, many) {
        (Outcome::TriggeredScaleUp, false) => "gets a new node",
        (Outcome::TriggeredScaleUp, true) => "get new nodes",
        (Outcome::FitsExisting, false) => "has a place on a node that is here or on its way",
        (Outcome::FitsExisting, true) => "have places on nodes that are here or on their way",
        (Outcome::Nominated, false) => "waits for the node that the scheduler chose",
        (Outcome::Nominated, true) => "wait for nodes that the scheduler chose",
        (Outcome::AwaitsNextPass, false) => {
            "stays pending for now: no group can take it in this pass"
        }
        (Outcome::AwaitsNextPass, true) => {
            "stay pending for now: no group can take them in this pass"
        }
        (Outcome::NoGroupFits, false) => "stays pending: no group can take it",
        (Outcome::NoGroupFits, true) => "stay pending: no group can take them",
        (Outcome::TooYoung, false) => "is too young to buy a node for",
        (Outcome::TooYoung, true) => "are too young to buy nodes for",
        (Outcome::ConsumesRequest, false) => {
            "waits for the room of the ProvisioningRequest that it consumes"
        }
        (Outcome::ConsumesRequest, true) => {
            "wait for the room of the ProvisioningRequests that they consume"
        }
        (Outcome::Expendable, false) => "is of too low a priority to buy a node for",
        (Outcome::Expendable, true) => "are of too low a priority to buy nodes for",
        (Outcome::Ignored, false) => {
            "is left to others: a DaemonSet's, gated or of another scheduler"
        }
        (Outcome::Ignored, true) => {
            "are left to others: a DaemonSet's, gated or of another scheduler"
        }
    }
}

/// Why a node goes; what is evicted from it is not part of it.
pub fn leaves(leaving: &Retirement) -> String {
    let Retirement { node, group, why, .. } = leaving;
    format!("node {node} of {group} goes: {}", retirement_words(*why, false))
}

/// Why a node stays.
pub fn stays(blocked: &Blocked, plan: &Plan, now: Timestamp) -> String {
    let node = blocked.node;
    // To who looks at what runs there it may seem idle.
    let kept = kept(plan, node).filter(|_| blocked.reason == BlockReason::NotUnderutilized);
    let told = kept.or_else(|| since(blocked, &plan.memory, now));
    let told = told.filter(|_| blocked.pod.is_none());
    format!("node {node} stays: {}", told.unwrap_or_else(|| block(blocked)))
}

/// What keeps a node, without its name and its clocks.
pub fn block(blocked: &Blocked) -> String {
    let why = block_reason(blocked.reason).1;
    match (&blocked.pod, blocked.pod_reason) {
        (Some(pod), Some(reason)) => {
            format!("pod {pod} cannot be moved, {}", pod_reason(reason).1)
        }
        (Some(pod), None) => format!("{why}, {pod}"),
        (None, _) => why.to_owned(),
    }
}

/// Since when a node has been waiting for its time, or until when.
fn since(blocked: &Blocked, memory: &Memory, now: Timestamp) -> Option<String> {
    if blocked.reason == BlockReason::RecentlyUnremovable {
        let at = *memory.unremovable_until.get(&blocked.node)?;
        let until = Clock { at, now: Some(now) };
        return Some(format!("no other place for its pods; none is looked for until {until}"));
    }
    let (words, moments) = match blocked.reason {
        BlockReason::MachineGone => ("its machine has been gone", &memory.departed_since),
        BlockReason::NotUnneededLongEnough => ("unneeded", &memory.unneeded_since),
        BlockReason::NotUnreadyLongEnough => ("unready", &memory.unready_since),
        _ => return None,
    };
    let at = *moments.get(&blocked.node)?;
    Some(format!("{words} only since {}", Clock { at, now: Some(now) }))
}

/// What a group has, in a few words.
pub fn group_state(group: &GroupReport, bounds: Option<(u32, u32)>, now: Timestamp) -> String {
    let bounds = bounds.map_or(String::new(), |(min, max)| format!(" ({min}..{max})"));
    let GroupReport { target, ready, upcoming, .. } = group;
    let coming = match upcoming {
        0 => String::new(),
        upcoming => format!(", {upcoming} on the way"),
    };
    let held = group.held.map_or(String::new(), |held| format!("; {}", self::held(held)));
    format!("target {target}{bounds}, {ready} ready{coming}, {}{held}", health(&group.health, now))
}

/// Why machines without a node are not deleted.
pub fn held(held: Held) -> String {
    let Held { machines, reason } = held;
    let machines = Count(usize::try_from(machines).unwrap_or(usize::MAX), "machine");
    match reason {
        HoldReason::Contradiction => {
            format!("{machines} without a node not deleted: most machines have none")
        }
        HoldReason::HourlyLimit => {
            format!("{machines} without a node not deleted yet: the limit per hour is reached")
        }
    }
}

/// That most machines have no node, and what to do about it.
pub fn contradiction(contradiction: &Contradiction, now: Timestamp) -> String {
    let Contradiction { machines, without_node, since } = contradiction;
    let since = Clock { at: *since, now: Some(now) };
    format!(
        "{without_node} of {} have had no node since {since}; this may be an empty, rebuilt or wrong cluster, and none of them is \
         deleted",
        Count(usize::try_from(*machines).unwrap_or(usize::MAX), "machine")
    )
}

/// A machine that several nodes claim.
pub fn contested(contested: &Contested) -> String {
    let nodes: Vec<&str> = contested.nodes.iter().map(|node| node.as_str()).collect();
    format!(
        "nodes {} claim the same machine {} of group {}; none of them is touched",
        nodes.join(", "),
        contested.instance,
        contested.group
    )
}

/// Whether a group can be used, and if not, why.
pub fn health(health: &GroupHealth, now: Timestamp) -> String {
    match health {
        GroupHealth::Healthy => "healthy".to_owned(),
        GroupHealth::Unhealthy => "unhealthy: too many of its nodes are not ready".to_owned(),
        GroupHealth::Frozen { reason } => format!("left alone: {reason}"),
        GroupHealth::Backoff { until, code } => backing_off(*until, code, Some(now)),
    }
}

/// Until when a group rests, and after which failure.
pub fn backing_off(until: Timestamp, code: &str, now: Option<Timestamp>) -> String {
    let until = Clock { at: until, now };
    match code {
        "" => format!("backing off until {until}"),
        code => format!("backing off until {until} ({code})"),
    }
}

/// Why a Node is removed.
pub fn removal(removal: &Removal, now: Timestamp) -> String {
    let Removal { node, group, instance, unready } = removal;
    let since = Clock { at: *unready, now: Some(now) };
    format!("node {node} of {group} is removed: unready since {since}, and {instance} is gone")
}

/// What is put right at a provider.
pub fn repair(repair: &Repair) -> String {
    match repair {
        Repair::DeleteInstance { group, instance, why } => {
            format!("instance {instance} of {group} is deleted: {why}")
        }
        Repair::LowerTarget { group, from, to, why } => {
            format!("the target of {group} is lowered ({from} → {to}): {why}")
        }
        Repair::RaiseToMin { group, from, to } => {
            format!("{group} is raised to its minimum ({from} → {to})")
        }
    }
}
