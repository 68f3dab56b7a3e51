//! VolumeRestrictions: claims for one pod only, and disks that cannot be used twice on a node.

use plimsoll_model::{Disk, Node, PodShape, PodVolume, Symbol};

use super::Cluster;

pub(super) fn rejects(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    pod.volumes.iter().any(|volume| match volume {
        PodVolume::Claim(name) => is_missing_or_taken(cluster, pod.namespace, *name),
        PodVolume::Ephemeral { .. } => false,
        PodVolume::Disk(disk) => clashes_on(cluster, node, disk),
    })
}

/// ReadWriteOncePod: no pod anywhere may have the claim. Ephemeral volumes do not count as having one.
fn is_missing_or_taken(cluster: &Cluster, namespace: Symbol, name: Symbol) -> bool {
    let Some(claim) = cluster.storage.claims.get(&(namespace, name)) else {
        return true;
    };
    let for_one_pod = claim.access_modes.contains(&Symbol::new("ReadWriteOncePod"));
    let in_use = cluster.pods_with_nodes().any(|(other, _)| {
        other.namespace == namespace && other.volumes.contains(&PodVolume::Claim(name))
    });
    for_one_pod && in_use
}

fn clashes_on(cluster: &Cluster, node: &Node, wanted: &Disk) -> bool {
    let mut volumes = cluster.pods_on(node).flat_map(|other| &other.volumes);
    volumes.any(|volume| matches!(volume, PodVolume::Disk(disk) if clash(disk, wanted)))
}

/// The same disk, and at least one of the two writes.
fn clash(left: &Disk, right: &Disk) -> bool {
    match (left, right) {
        (
            Disk::AwsElasticBlockStore { volume: left },
            Disk::AwsElasticBlockStore { volume: right },
        ) => left == right,
        (
            Disk::GcePersistentDisk { name: left, read_only: left_reads },
            Disk::GcePersistentDisk { name: right, read_only: right_reads },
        )
        | (
            Disk::Iscsi { iqn: left, read_only: left_reads },
            Disk::Iscsi { iqn: right, read_only: right_reads },
        ) => left == right && !(*left_reads && *right_reads),
        (
            Disk::Rbd { monitors, pool, image, read_only },
            Disk::Rbd {
                monitors: other_monitors,
                pool: other_pool,
                image: other_image,
                read_only: other_reads,
            },
        ) => {
            monitors.iter().any(|monitor| other_monitors.contains(monitor))
                && pool == other_pool
                && image == other_image
                && !(*read_only && *other_reads)
        }
        _ => false,
    }
}
