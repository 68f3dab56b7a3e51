//! Room for pods that do not exist: who asked for it, and what became of that.

use std::collections::BTreeMap;

use plimsoll_model::{StandIn, Symbol, Timestamp};

use super::{Clock, Count};
use crate::{
    buffers::BufferReport,
    plan::{Plan, RequestReport, RequestState},
};

/// What becomes of a request for room.
pub fn request(report: &RequestReport, now: Timestamp) -> String {
    let name = format!("ProvisioningRequest {}/{}", report.namespace, report.name);
    let clock = |at| Clock { at, now: Some(now) };
    let said = match report.conditions.last() {
        Some(last) if !last.message.is_empty() => format!(" ({})", last.message),
        _ => String::new(),
    };
    match report.state {
        RequestState::Booked { until } => {
            format!("room is kept for {name} until {}{said}", clock(until))
        }
        RequestState::Waits { until } if until > now => {
            format!("{name} waits until {}{said}", clock(until))
        }
        RequestState::Waits { .. } => format!("{name} waits{said}"),
        RequestState::Over => format!("{name} is over{said}"),
        RequestState::Outlived => format!("{name} has long been over, and is deleted"),
    }
}

/// What becomes of a buffer.
pub fn buffer(report: &BufferReport) -> String {
    let units = usize::try_from(report.units).unwrap_or(usize::MAX);
    let (namespace, name, placed) = (report.namespace, &report.name, report.placed);
    match units {
        0 => format!("no room is kept for CapacityBuffer {namespace}/{name}"),
        units => format!(
            "CapacityBuffer {namespace}/{name} has {}, {placed} of them with a place",
            Count(units, "unit")
        ),
    }
}

/// What a node has room for that does not exist: `room is kept there for 2 units of CapacityBuffer shop/spare`.
pub fn kept(plan: &Plan, node: Symbol) -> Option<String> {
    let kept = plan.kept.iter().filter(|kept| kept.node.existing() == Some(node));
    let what: Vec<String> = kept.map(|kept| stood_for(plan, kept.stands_for, kept.pods)).collect();
    (!what.is_empty()).then(|| format!("room is kept there for {}", what.join(" and ")))
}

/// What new nodes of a group are to have room for that does not exist: `2 units of CapacityBuffer shop/spare`.
pub fn kept_by_growth(plan: &Plan, group: Symbol) -> Vec<String> {
    let mut pods: BTreeMap<StandIn, u32> = BTreeMap::new();
    for kept in plan.kept.iter().filter(|kept| kept.node.is_new_of(group)) {
        *pods.entry(kept.stands_for).or_default() += kept.pods;
    }
    pods.into_iter().map(|(stands_for, pods)| stood_for(plan, stands_for, pods)).collect()
}

/// So many pods that do not exist.
fn stood_for(plan: &Plan, stands_for: StandIn, pods: u32) -> String {
    let pods = usize::try_from(pods).unwrap_or(usize::MAX);
    match stands_for {
        StandIn::Headroom => format!("{} of headroom", Count(pods, "piece")),
        StandIn::Expected => format!("{} to come", Count(pods, "pod")),
        StandIn::Buffer(place) => {
            let report = plan.buffers.iter().find(|report| report.place == place);
            let name = report.map(|one| format!("{}/{}", one.namespace, one.name));
            format!("{} of CapacityBuffer {}", Count(pods, "unit"), name.unwrap_or_default())
        }
        StandIn::Requested(place) => {
            let report = plan.requests.iter().find(|report| report.place == place);
            let name = report.map(|one| format!("{}/{}", one.namespace, one.name));
            format!("{} of ProvisioningRequest {}", Count(pods, "pod"), name.unwrap_or_default())
        }
    }
}
