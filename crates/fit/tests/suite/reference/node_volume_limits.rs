//! NodeVolumeLimits: a CSI driver can attach only so many volumes to a node.

use std::collections::BTreeSet;

use plimsoll_model::{Claim, Disk, Node, PodShape, PodVolume, Symbol};

use super::{Cluster, claims};

/// A volume as it is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Attachable {
    driver: Symbol,
    handle: Handle,
}

/// What tells two volumes of a driver apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Handle {
    /// The driver's own name for it.
    Named(Symbol),
    /// Still to be made for this claim.
    ToBeMade((Symbol, Symbol)),
}

pub(super) fn rejects(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    let mounts = claims::mounts(cluster, pod);
    if mounts.iter().any(|mount| mount.claim.is_none() || mount.foreign) {
        return true;
    }
    let wanted = attachables(cluster, pod);
    let mut limits = cluster.storage.limits.keys();
    if wanted.is_empty() || !limits.any(|(limited, _)| *limited == node.name) {
        return false;
    }
    exceeds_a_limit(cluster, &wanted, node) || is_puzzling(cluster, node)
}

fn exceeds_a_limit(cluster: &Cluster, wanted: &[Attachable], node: &Node) -> bool {
    let pods = cluster.pods_on(node);
    let used: BTreeSet<_> = pods.flat_map(|other| attachables(cluster, other)).collect();
    let mut there = used.clone();
    there.extend(attached(cluster, node));
    // A volume that is attached, but used by no pod of the node, is new all the same and so counts twice.
    let new: BTreeSet<_> = wanted.iter().filter(|volume| !used.contains(volume)).collect();
    new.iter().any(|volume| {
        let there = there.iter().filter(|other| other.driver == volume.driver);
        let new = new.iter().filter(|other| other.driver == volume.driver);
        let count = i64::try_from(there.count() + new.count()).unwrap_or(i64::MAX);
        let limit = cluster.storage.limits.get(&(node.name, volume.driver));
        limit.is_some_and(|limit| count > *limit)
    })
}

/// A pod on the node has the claim of another as its ephemeral volume: the scheduler ends with an error.
fn is_puzzling(cluster: &Cluster, node: &Node) -> bool {
    let mut mounts = cluster.pods_on(node).flat_map(|other| claims::mounts(cluster, other));
    mounts.any(|mount| mount.foreign)
}

/// What the pod needs attached. A claim that does not exist needs nothing.
fn attachables(cluster: &Cluster, pod: &PodShape) -> Vec<Attachable> {
    let claims = claims::mounts(cluster, pod).into_iter().filter_map(|mount| mount.claim);
    let behind_claims = claims.filter_map(|claim| behind_claim(cluster, claim));
    let disks = pod.volumes.iter().filter_map(|volume| match volume {
        PodVolume::Disk(disk) => migrated(disk),
        PodVolume::Claim(_) | PodVolume::Ephemeral { .. } => None,
    });
    behind_claims.chain(disks).collect()
}

/// The claim's volume if that is there, else the one that its class would make.
fn behind_claim(cluster: &Cluster, claim: &Claim) -> Option<Attachable> {
    if let Some(volume) = claim.volume.and_then(|name| cluster.storage.volume(name)) {
        let (driver, handle) = volume.csi?;
        return Some(Attachable { driver, handle: Handle::Named(handle) });
    }
    let driver = claims::class(cluster, claim)?.provisioner;
    Some(Attachable { driver, handle: Handle::ToBeMade(claim.id) })
}

/// Of the disks that pods name themselves, only Amazon's are counted, for the driver that took them over.
fn migrated(disk: &Disk) -> Option<Attachable> {
    let Disk::AwsElasticBlockStore { volume } = disk else {
        return None;
    };
    let name = volume.as_str().rsplit('/').next().unwrap_or_default();
    let driver = Symbol::new("ebs.csi.aws.com");
    Some(Attachable { driver, handle: Handle::Named(Symbol::new(name)) })
}

/// The volumes that are attached to the node, whoever uses them.
fn attached(cluster: &Cluster, node: &Node) -> Vec<Attachable> {
    let names = cluster.storage.attachments.get(&node.name).into_iter().flatten();
    let known = names.filter_map(|name| cluster.storage.volume(*name)?.csi);
    known.map(|(driver, handle)| Attachable { driver, handle: Handle::Named(handle) }).collect()
}
