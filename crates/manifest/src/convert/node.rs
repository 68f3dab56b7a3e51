//! Nodes.

use jiff::Timestamp;
use plimsoll_model::{Conditions, Node, Symbol};

use crate::{
    convert::{amounts, meta, taints},
    problem::{At as _, Checked, each},
    wire::{meta::Condition, node as wire},
};

const KEEP: &str = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/// A node.
pub(crate) fn node(node: &wire::Node<'_>, default_created: Timestamp) -> Checked<Node> {
    let wire::Node { metadata, spec, status } = node;
    let capacity = amounts::resources(&status.capacity, "capacity").at("status")?;
    let allocatable = match &status.allocatable {
        Some(allocatable) => amounts::resources(allocatable, "allocatable").at("status")?,
        None => capacity.clone(),
    };
    Ok(Node {
        name: Symbol::new(meta::name(metadata)?),
        labels: meta::labels(&metadata.labels),
        taints: each(&spec.taints, "taints", taints::taint).at("spec")?,
        unschedulable: spec.unschedulable == Some(true),
        allocatable,
        capacity,
        provider_id: (&*spec.provider_id).into(),
        created: meta::created(metadata, default_created)?,
        conditions: conditions(&status.conditions).at("conditions").at("status")?,
        keep: metadata.annotations.get(KEEP).is_some_and(|word| &**word == "true"),
        deleting: !metadata.deleted.is_empty(),
    })
}

fn conditions(list: &[Condition<'_>]) -> Checked<Conditions> {
    if list.is_empty() {
        return Ok(Conditions::default());
    }
    let is_true = |name| list.iter().any(|one| &*one.name == name && &*one.status == "True");
    let ready = list.iter().enumerate().find(|(_, one)| &*one.name == "Ready");
    let ready_since = match ready {
        Some((index, one)) => meta::time(&one.changed, "lastTransitionTime").at_index(index)?,
        None => None,
    };
    Ok(Conditions {
        ready: is_true("Ready"),
        ready_since,
        network_unavailable: is_true("NetworkUnavailable"),
        suspended: is_true("Suspended"),
    })
}

#[cfg(test)]
mod tests;
