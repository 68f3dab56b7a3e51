//! Why no group grows for a pod, in upstream's words: reasons counted over all groups, those of the scheduler as it says them.

use std::collections::BTreeMap;

use plimsoll_fit::{BindingProblem, Rejection, Restriction};
use plimsoll_model::resource;
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
        GroupReason::Filter(Rejection::Insufficient(shortages)) => {
            let names = shortages.iter().map(|shortage| match shortage.resource.as_str() {
                resource::PODS => "Too many pods".to_owned(),
                name => format!("Insufficient {name}"),
            });
            return names.collect();
        }
        GroupReason::Filter(rejection) => filter(rejection),
        GroupReason::MaxSizeReached { .. } => "max node group size reached",
        GroupReason::Backoff { .. } => "in backoff after failed scale-up",
        GroupReason::Unhealthy | GroupReason::Frozen { .. } | GroupReason::NoTemplate => {
            "not ready for scale-up"
        }
        GroupReason::ClusterUnhealthy => "not ready for scale-up while the cluster is unhealthy",
        GroupReason::OutOfStock { .. } => "out of stock",
        GroupReason::QuotaExceeded { limit: "max-nodes-per-scaleup" } => {
            "max nodes per scale-up reached"
        }
        GroupReason::QuotaExceeded { limit: "scale-up-from-zero" } => {
            "no node is ready and scale-up-from-zero is off"
        }
        GroupReason::QuotaExceeded { limit } => {
            return vec![format!("max cluster {} limit reached", limited(limit))];
        }
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

/// The scheduler's own words.
fn filter(rejection: &Rejection) -> &'static str {
    match rejection {
        Rejection::Cordoned => "node(s) were unschedulable",
        Rejection::OtherNode { .. } => "node(s) didn't match the requested node name",
        Rejection::Untolerated(_) => "node(s) had untolerated taint(s)",
        Rejection::Selector { .. } | Rejection::NodeAffinity => {
            "node(s) didn't match Pod's node affinity/selector"
        }
        Rejection::PortTaken(_) => "node(s) didn't have free ports for the requested pod ports",
        Rejection::Insufficient(_) => "Insufficient resources",
        Rejection::Restricted(Restriction::DiskInUse(_)) => "node(s) had no available disk",
        Rejection::Restricted(Restriction::ClaimInUse(_)) => {
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode \
             already in-use by another pod"
        }
        Rejection::Restricted(Restriction::ClaimMissing(_))
        | Rejection::UncountableVolume { .. }
        | Rejection::Binding { problem: BindingProblem::Unusable, .. } => {
            "persistentvolumeclaim not found"
        }
        Rejection::TooManyVolumes { .. } => "node(s) exceed max volume count",
        Rejection::Binding { problem: BindingProblem::Unbound, .. } => {
            "pod has unbound immediate PersistentVolumeClaims"
        }
        Rejection::Binding { problem: BindingProblem::VolumeMissing, .. } => {
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
        }
        Rejection::Binding {
            problem: BindingProblem::OutOfReach | BindingProblem::SelectedElsewhere,
            ..
        } => "node(s) didn't match PersistentVolume's node affinity",
        Rejection::Binding { problem: BindingProblem::NoneAvailable, .. } => {
            "node(s) didn't find available persistent volumes to bind"
        }
        Rejection::Unzoned { .. } | Rejection::WrongZone { .. } => {
            "node(s) had no available volume zone"
        }
        Rejection::NoTopologyKey { .. } => {
            "node(s) didn't match pod topology spread constraints (missing required label)"
        }
        Rejection::Skew { .. } => "node(s) didn't match pod topology spread constraints",
        Rejection::NotNear { .. } => "node(s) didn't match pod affinity rules",
        Rejection::TooNear { .. } => "node(s) didn't match pod anti-affinity rules",
        Rejection::Repelled { .. } => "node(s) didn't satisfy existing pods anti-affinity rules",
    }
}
