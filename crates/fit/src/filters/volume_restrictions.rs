//! VolumeRestrictions: claims that one pod at a time may use, and disks that a node mounts once.

use plimsoll_model::{Disk, Extent, Plugin, PodVolume, Symbol};

use super::Question;
use crate::Rejection;

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let snapshot = question.snapshot;
    let extent = question.extent(Plugin::VolumeRestrictions);
    if extent == Extent::Off {
        return None;
    }
    let looks_at_nodes = extent == Extent::Full;
    let once = Symbol::new("ReadWriteOncePod");
    for volume in &question.shape.volumes {
        match volume {
            PodVolume::Claim(name) => {
                let id = (question.shape.namespace, *name);
                let Some(claim) = snapshot.storage.claims.get(&id) else {
                    return Some(Rejection::Restricted(Restriction::ClaimMissing(*name)));
                };
                let in_use = snapshot.claim_users.get(&id).is_some_and(|users| *users > 0);
                if looks_at_nodes && in_use && claim.access_modes.contains(&once) {
                    return Some(Rejection::Restricted(Restriction::ClaimInUse(*name)));
                }
            }
            PodVolume::Disk(disk) if looks_at_nodes && is_mounted(question, disk) => {
                return Some(Rejection::Restricted(Restriction::DiskInUse(disk.clone())));
            }
            PodVolume::Disk(_) | PodVolume::Ephemeral { .. } => {}
        }
    }
    None
}

/// What stands in the way of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restriction {
    /// The claim does not exist.
    ClaimMissing(Symbol),
    /// A ReadWriteOncePod claim has its pod already.
    ClaimInUse(Symbol),
    /// A pod of the node has the disk.
    DiskInUse(Disk),
}

fn is_mounted(question: Question<'_>, disk: &Disk) -> bool {
    let snapshot = question.snapshot;
    snapshot
        .pods_on(question.node)
        .flat_map(|pod| snapshot.shapes.shape(snapshot.shape_of(pod)).volumes.iter())
        .any(|other| matches!(other, PodVolume::Disk(other) if clash(disk, other)))
}

/// The same disk, unless both only read.
fn clash(one: &Disk, other: &Disk) -> bool {
    match (one, other) {
        (Disk::AwsElasticBlockStore { volume }, Disk::AwsElasticBlockStore { volume: other }) => {
            volume == other
        }
        (
            Disk::GcePersistentDisk { name, read_only },
            Disk::GcePersistentDisk { name: other, read_only: both },
        )
        | (Disk::Iscsi { iqn: name, read_only }, Disk::Iscsi { iqn: other, read_only: both }) => {
            name == other && !(*read_only && *both)
        }
        (
            Disk::Rbd { monitors, pool, image, read_only },
            Disk::Rbd { monitors: others, pool: other_pool, image: other, read_only: both },
        ) => {
            monitors.iter().any(|monitor| others.contains(monitor))
                && pool == other_pool
                && image == other
                && !(*read_only && *both)
        }
        _ => false,
    }
}
