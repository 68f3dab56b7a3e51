//! PodTopologySpread: with the pod, no domain may be more than `maxSkew` above the emptiest.

use std::collections::BTreeMap;

use plimsoll_model::{Node, PodShape, SpreadConstraint, Text};

use super::{Cluster, node_affinity, taint_toleration};

pub(super) fn rejects(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    pod.spread.iter().any(|constraint| is_violated(constraint, cluster, pod, node))
}

fn is_violated(
    constraint: &SpreadConstraint,
    cluster: &Cluster,
    pod: &PodShape,
    node: &Node,
) -> bool {
    let Some(domain) = node.labels.get(constraint.topology_key) else {
        return true;
    };
    let counts = pods_by_domain(constraint, cluster, pod);
    let enough_domains = counts.len() >= constraint.min_domains as usize;
    let emptiest = if enough_domains { counts.values().copied().min().unwrap_or(0) } else { 0 };
    // A domain without a node that counts has no pods that count.
    let here = counts.get(domain).copied().unwrap_or(0);
    let itself = u32::from(selects_itself(constraint, pod));
    here + itself > emptiest + constraint.max_skew
}

/// The domains with at least one node that counts, and how many pods in each do.
fn pods_by_domain(
    constraint: &SpreadConstraint,
    cluster: &Cluster,
    pod: &PodShape,
) -> BTreeMap<Text, u32> {
    let mut counts = BTreeMap::new();
    for node in &cluster.nodes {
        if let Some(domain) = node.labels.get(constraint.topology_key)
            && node_counts(constraint, pod, node)
        {
            let count = counts.entry(domain.clone()).or_insert(0);
            for other in cluster.pods_on(node) {
                *count += u32::from(pod_counts(constraint, pod, other));
            }
        }
    }
    counts
}

/// A node needs the topology keys of all the pod's constraints, not only of this one.
fn node_counts(constraint: &SpreadConstraint, pod: &PodShape, node: &Node) -> bool {
    pod.spread.iter().all(|each| node.labels.contains_key(each.topology_key))
        && (!constraint.honor_affinity || node_affinity::admits(pod, node))
        && (!constraint.honor_taints || taint_toleration::tolerates_all(pod, node))
}

/// The scheduler counts nothing for an empty selector, although it matches everything.
fn pod_counts(constraint: &SpreadConstraint, pod: &PodShape, other: &PodShape) -> bool {
    let selected = match &constraint.selector {
        Some(selector) => !selector.is_empty() && selector.matches(&other.labels),
        None => false,
    };
    selected && other.namespace == pod.namespace && !other.terminating
}

fn selects_itself(constraint: &SpreadConstraint, pod: &PodShape) -> bool {
    constraint.selector.as_ref().is_some_and(|selector| selector.matches(&pod.labels))
}
