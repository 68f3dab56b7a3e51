//! Why no group grows for a pod, in upstream's words: reasons counted over all groups, those of the scheduler as it says them.

use std::collections::BTreeMap;

use plimsoll_plan::{GroupReason, GroupRejection};

/// The whole message.
pub(super) fn message(rejections: &[GroupRejection]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for rejection in rejections {
        for reason in reasons(&rejection.reason) {
            *counts.entry(reason).or_default() += 1;
        }
    }
    if counts.is_empty() {
        return "pod didn't trigger scale-up: there is no node group".to_owned();
    }
    let mut counted: Vec<String> =
        counts.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    counted.sort();
    format!("pod didn't trigger scale-up: {}", counted.join(", "))
}

fn reasons(reason: &GroupReason) -> Vec<String> {
    let one = match reason {
        GroupReason::Filter(rejection) => return rejection.scheduler_reasons(),
        GroupReason::MaxSizeReached { .. } => "max node group size reached",
        GroupReason::Backoff { .. } => "in backoff after failed scale-up",
        GroupReason::Unhealthy | GroupReason::Frozen { .. } | GroupReason::NoTemplate => {
            "not ready for scale-up"
        }
        GroupReason::ClusterUnhealthy => "not ready for scale-up while the cluster is unhealthy",
        GroupReason::OutOfStock { .. } => "out of stock",
        GroupReason::QuotaExceeded { limit } => {
            return vec![format!("max cluster {} limit reached", limited(limit.as_str()))];
        }
        GroupReason::ScaleUpLimitReached { .. } => "max nodes per scale-up reached",
        GroupReason::TimeLimitReached { .. } => "time limit reached",
        GroupReason::SwitchedOff { .. } => "no node is ready and scale-up-from-zero is off",
        GroupReason::NotChosen => "not chosen in this pass",
    };
    vec![one.to_owned()]
}

/// What a flag limits, as upstream calls it.
fn limited(flag: &str) -> &str {
    match flag {
        "cores-total" => "cpu",
        "memory-total" => "memory",
        "max-nodes-total" => "nodes",
        "gpu-total" => "gpu",
        flag => flag,
    }
}
