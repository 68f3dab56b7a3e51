//! VolumeBinding: bound volumes can be reached from the node, and for unbound claims one can be found or made there.

use plimsoll_model::{Claim, Extent, Labels, Plugin, PodVolume, Symbol, Volume, VolumeTerm};

use super::Question;
use crate::{Rejection, Snapshot};

/// Why a claim's volume cannot be had on a node, or anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingProblem {
    /// The claim does not exist, is lost, is going away, or belongs to another pod.
    Unusable,
    /// It is not bound, and its class does not wait for a pod.
    Unbound,
    /// It is bound to a volume that does not exist.
    VolumeMissing,
    /// Its volume cannot be reached from the node.
    OutOfReach,
    /// The scheduler chose another node for it.
    SelectedElsewhere,
    /// No volume there is free, and none can be made there.
    NoneAvailable,
}

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    find_problem(question).map(|(claim, problem)| Rejection::Binding { claim, problem })
}

/// First what holds for all nodes, then what depends on this one.
fn find_problem(question: Question<'_>) -> Option<(Symbol, BindingProblem)> {
    let extent = question.extent(Plugin::VolumeBinding);
    if extent == Extent::Off {
        return None;
    }
    let mut claims = Vec::new();
    for volume in &question.shape.volumes {
        let (name, owner) = match volume {
            PodVolume::Claim(name) => (*name, None),
            PodVolume::Ephemeral { claim, pod_uid } => (*claim, Some(*pod_uid)),
            PodVolume::Disk(_) => continue,
        };
        match usable(question, name, owner) {
            Ok(claim) => claims.push(claim),
            Err(problem) => return Some((name, problem)),
        }
    }
    if extent == Extent::Early {
        return None;
    }
    let node = question.snapshot.node(question.node);
    let (bound, unbound): (Vec<&Claim>, Vec<&Claim>) =
        claims.into_iter().partition(|claim| is_bound(claim));
    for claim in bound {
        let volume = claim.volume.and_then(|name| question.snapshot.storage.volume(name));
        match volume {
            None => return Some((claim.id.1, BindingProblem::VolumeMissing)),
            Some(volume) if !reachable(volume, &node.labels) => {
                return Some((claim.id.1, BindingProblem::OutOfReach));
            }
            Some(_) => {}
        }
    }
    let (selected, mut open): (Vec<&Claim>, Vec<&Claim>) =
        unbound.into_iter().partition(|claim| claim.selected_node.is_some());
    if let Some(claim) = selected.iter().find(|claim| claim.selected_node != Some(node.name)) {
        return Some((claim.id.1, BindingProblem::SelectedElsewhere));
    }
    open.sort_by_key(|claim| claim.size);
    let mut to_provision = selected;
    let mut taken: Vec<Symbol> = Vec::new();
    for claim in open {
        match find_volume(question.snapshot, claim, &node.labels, &taken) {
            Some(volume) => taken.push(volume),
            None => to_provision.push(claim),
        }
    }
    let unmade = to_provision
        .into_iter()
        .find(|claim| !provisionable(question.snapshot, claim, &node.labels));
    unmade.map(|claim| (claim.id.1, BindingProblem::NoneAvailable))
}

fn is_bound(claim: &Claim) -> bool {
    claim.volume.is_some() && claim.bind_completed
}

fn usable(
    question: Question<'_>,
    name: Symbol,
    owner: Option<Symbol>,
) -> Result<&Claim, BindingProblem> {
    let storage = &question.snapshot.storage;
    let claim = storage.claims.get(&(question.shape.namespace, name));
    let claim = claim.ok_or(BindingProblem::Unusable)?;
    if claim.lost || claim.deleting || (owner.is_some() && claim.controller != owner) {
        return Err(BindingProblem::Unusable);
    }
    let waits = storage.classes.get(&claim.class).is_some_and(|class| class.waits_for_consumer);
    if !is_bound(claim) && (claim.volume.is_some() || !waits) {
        return Err(BindingProblem::Unbound);
    }
    Ok(claim)
}

fn reachable(volume: &Volume, node: &Labels) -> bool {
    volume.node_terms.as_ref().is_none_or(|terms| {
        terms.iter().any(|term| match term {
            VolumeTerm::Labels(selector) => selector.matches(node),
            VolumeTerm::Never => false,
        })
    })
}

/// The smallest volume that the claim can be bound to. One promised to it comes first; if that cannot be reached, no other
/// is taken.
fn find_volume(
    snapshot: &Snapshot,
    claim: &Claim,
    node: &Labels,
    taken: &[Symbol],
) -> Option<Symbol> {
    let mut best: Option<&Volume> = None;
    for volume in snapshot.storage.volumes() {
        let promised = volume.claim.as_ref().is_some_and(|promise| {
            promise.id == claim.id && (promise.uid.is_empty() || promise.uid == claim.uid)
        });
        if volume.class != claim.class
            || taken.contains(&volume.name)
            || volume.size < claim.size
            || volume.mode != claim.mode
            || volume.attributes_class != claim.attributes_class
            || volume.deleting
        {
            continue;
        }
        if promised {
            return reachable(volume, node).then_some(volume.name);
        }
        let free = volume.claim.is_none()
            && volume.available
            && claim.access_modes.iter().all(|mode| volume.access_modes.contains(mode))
            && claim.selector.as_ref().is_none_or(|selector| selector.matches(&volume.labels));
        if free && reachable(volume, node) && best.is_none_or(|best| volume.size < best.size) {
            best = Some(volume);
        }
    }
    best.map(|volume| volume.name)
}

/// Whether the claim's class can make a volume for this node.
fn provisionable(snapshot: &Snapshot, claim: &Claim, node: &Labels) -> bool {
    let Some(class) = snapshot.storage.classes.get(&claim.class) else {
        return false;
    };
    let topology = &class.allowed_topologies;
    let allowed = topology.is_empty()
        || topology.iter().any(|term| {
            term.0
                .iter()
                .all(|(key, values)| node.get(*key).is_some_and(|has| values.contains(has)))
        });
    let has_capacity = || {
        snapshot.storage.capacities.iter().any(|capacity| {
            capacity.class == class.name
                && capacity.nodes.as_ref().is_some_and(|nodes| nodes.matches(node))
                && capacity.largest.is_some_and(|largest| claim.size <= largest)
        })
    };
    class.provisioner.as_str() != "kubernetes.io/no-provisioner"
        && allowed
        && (!snapshot.storage.capacity_drivers.contains(&class.provisioner) || has_capacity())
}
