//! The claims behind a pod's volumes, as three of the four volume filters need them.

use plimsoll_model::{Claim, Node, PodShape, PodVolume, StorageClass, Volume, VolumeTerm};

use super::Cluster;

/// A volume of a pod that is backed by a claim.
pub(super) struct Mount<'a> {
    /// `None` when it does not exist.
    pub(super) claim: Option<&'a Claim>,
    /// The claim of an ephemeral volume that was made for another pod.
    pub(super) foreign: bool,
    /// The volume is an ephemeral one.
    pub(super) ephemeral: bool,
}

/// The pod's volumes that are backed by claims, in its order.
pub(super) fn mounts<'a>(cluster: &'a Cluster, pod: &PodShape) -> Vec<Mount<'a>> {
    let mut mounts = Vec::new();
    for volume in &pod.volumes {
        let (name, owner) = match volume {
            PodVolume::Claim(name) => (*name, None),
            PodVolume::Ephemeral { claim, pod_uid } => (*claim, Some(*pod_uid)),
            PodVolume::Disk(_) => continue,
        };
        let claim = cluster.storage.claims.get(&(pod.namespace, name));
        let foreign = owner.is_some() && claim.is_some_and(|claim| claim.controller != owner);
        mounts.push(Mount { claim, foreign, ephemeral: owner.is_some() });
    }
    mounts
}

/// Whether the claim is bound for good.
pub(super) fn is_bound(claim: &Claim) -> bool {
    claim.volume.is_some() && claim.bind_completed
}

/// The class of a claim; `None` when it names none, or one that does not exist.
pub(super) fn class<'a>(cluster: &'a Cluster, claim: &Claim) -> Option<&'a StorageClass> {
    if claim.class.is_empty() { None } else { cluster.storage.classes.get(&claim.class) }
}

/// Whether the claim may be bound after a node was chosen.
pub(super) fn waits_for_consumer(cluster: &Cluster, claim: &Claim) -> bool {
    class(cluster, claim).is_some_and(|class| class.waits_for_consumer)
}

/// Whether the volume can be reached from the node.
pub(super) fn is_reachable(volume: &Volume, node: &Node) -> bool {
    let Some(terms) = &volume.node_terms else {
        return true;
    };
    terms.iter().any(|term| match term {
        VolumeTerm::Labels(selector) => selector.matches(&node.labels),
        VolumeTerm::Never => false,
    })
}
