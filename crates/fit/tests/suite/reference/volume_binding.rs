//! VolumeBinding: bound volumes have to be reachable, and for unbound claims a volume has to be found or made.

use plimsoll_model::{Claim, Node, PodShape, StorageClass, Symbol, Text, Volume};

use super::{Cluster, claims};

pub(super) fn rejects(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    let mut bound = Vec::new();
    let mut unbound = Vec::new();
    for mount in claims::mounts(cluster, pod) {
        let Some(claim) = mount.claim else {
            return true;
        };
        if mount.foreign || claim.lost || claim.deleting {
            return true;
        }
        if claims::is_bound(claim) {
            bound.push(claim);
        } else if claims::waits_for_consumer(cluster, claim) && claim.volume.is_none() {
            unbound.push(claim);
        } else {
            return true;
        }
    }
    !bound.iter().all(|claim| is_within_reach(cluster, claim, node))
        || !can_be_bound(cluster, &unbound, node)
}

/// A bound claim's volume has to exist and be reachable.
fn is_within_reach(cluster: &Cluster, claim: &Claim, node: &Node) -> bool {
    let volume = claim.volume.and_then(|name| cluster.storage.volume(name));
    volume.is_some_and(|volume| claims::is_reachable(volume, node))
}

/// Whether all these claims can get a volume if the pod comes to the node.
fn can_be_bound(cluster: &Cluster, claims: &[&Claim], node: &Node) -> bool {
    let mut to_make = Vec::new();
    let mut to_match = Vec::new();
    for claim in claims {
        match claim.selected_node {
            Some(selected) if selected != node.name => return false,
            Some(_) => to_make.push(*claim),
            None => to_match.push(*claim),
        }
    }
    to_match.sort_by_key(|claim| claim.size);
    let mut taken = Vec::new();
    for claim in to_match {
        match find_volume(cluster, claim, node, &taken) {
            Some(volume) => taken.push(volume.name),
            None => to_make.push(claim),
        }
    }
    to_make.iter().all(|claim| can_be_made(cluster, claim, node))
}

/// The volume that the claim would be bound to: one promised to it, else the smallest that will do.
fn find_volume<'a>(
    cluster: &'a Cluster,
    claim: &Claim,
    node: &Node,
    taken: &[Symbol],
) -> Option<&'a Volume> {
    let suitable = |volume: &&Volume| {
        !taken.contains(&volume.name)
            && volume.class == claim.class
            && volume.size >= claim.size
            && volume.mode == claim.mode
            && volume.attributes_class == claim.attributes_class
            && !volume.deleting
    };
    let suitable: Vec<_> = cluster.storage.volumes().iter().filter(suitable).collect();
    if let Some(volume) = suitable.iter().find(|volume| is_promised(volume, claim)) {
        return claims::is_reachable(volume, node).then_some(volume);
    }
    let free = suitable.into_iter().filter(|volume| {
        volume.claim.is_none()
            && volume.available
            && claim.access_modes.iter().all(|mode| volume.access_modes.contains(mode))
            && claim.selector.as_ref().is_none_or(|selector| selector.matches(&volume.labels))
            && claims::is_reachable(volume, node)
    });
    free.min_by_key(|volume| volume.size)
}

/// Whether the volume's `claimRef` is this claim.
fn is_promised(volume: &Volume, claim: &Claim) -> bool {
    volume.claim.as_ref().is_some_and(|promised| {
        promised.id == claim.id && (promised.uid.is_empty() || promised.uid == claim.uid)
    })
}

/// Whether a volume can be made for the claim where the node is.
fn can_be_made(cluster: &Cluster, claim: &Claim, node: &Node) -> bool {
    claims::class(cluster, claim).is_some_and(|class| {
        class.provisioner.as_str() != "kubernetes.io/no-provisioner"
            && is_allowed_topology(class, node)
            && has_capacity(cluster, class, claim, node)
    })
}

fn is_allowed_topology(class: &StorageClass, node: &Node) -> bool {
    let matches = |(key, values): &(Symbol, Box<[Text]>)| {
        node.labels.get(*key).is_some_and(|value| values.contains(value))
    };
    class.allowed_topologies.is_empty()
        || class.allowed_topologies.iter().any(|term| term.0.iter().all(matches))
}

/// Only drivers that publish what they have left are asked. Each claim is compared alone.
fn has_capacity(cluster: &Cluster, class: &StorageClass, claim: &Claim, node: &Node) -> bool {
    !cluster.storage.capacity_drivers.contains(&class.provisioner)
        || cluster.storage.capacities.iter().any(|capacity| {
            capacity.class == class.name
                && capacity.largest.is_some_and(|largest| largest >= claim.size)
                && capacity.nodes.as_ref().is_some_and(|nodes| nodes.matches(&node.labels))
        })
}
