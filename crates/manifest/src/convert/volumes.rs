//! Volumes as a pod names them.

use plimsoll_model::{Disk, PodVolume, Symbol};

use crate::{
    convert::{meta::required, shape::Identity},
    problem::{At as _, Checked},
    wire::volume as wire,
};

/// The pool that Kubernetes writes into a volume that names none.
const DEFAULT_POOL: &str = "rbd";

/// The volume as far as the scheduler looks at it; `None` for one that it does not look at.
///
/// The claim of an ephemeral volume is named after the pod, so a pod without a name, one that a controller would make, has
/// none to wait for.
pub(crate) fn pod_volume(
    volume: &wire::PodVolume<'_>,
    identity: Option<&Identity<'_>>,
) -> Checked<Option<PodVolume>> {
    if let Some(claim) = &volume.claim {
        let name = required(&claim.name, "claimName").at("persistentVolumeClaim")?;
        return Ok(Some(PodVolume::Claim(Symbol::new(name))));
    }
    if volume.ephemeral.is_some() {
        return Ok(identity.map(|pod| PodVolume::Ephemeral {
            claim: Symbol::new(&format!("{}-{}", pod.name, &*volume.name)),
            pod_uid: Symbol::new(pod.uid),
        }));
    }
    Ok(disk(volume).map(PodVolume::Disk))
}

/// Whether the volume's data is gone with the node.
pub(crate) fn is_local(volume: &wire::PodVolume<'_>) -> bool {
    volume.host_path.is_some()
        || volume.empty_dir.as_ref().is_some_and(|empty| &*empty.medium != "Memory")
}

fn disk(volume: &wire::PodVolume<'_>) -> Option<Disk> {
    if let Some(ebs) = &volume.ebs {
        return Some(Disk::AwsElasticBlockStore { volume: Symbol::new(&ebs.volume) });
    }
    if let Some(gce) = &volume.gce {
        let read_only = gce.read_only == Some(true);
        return Some(Disk::GcePersistentDisk { name: Symbol::new(&gce.name), read_only });
    }
    if let Some(iscsi) = &volume.iscsi {
        let read_only = iscsi.read_only == Some(true);
        return Some(Disk::Iscsi { iqn: Symbol::new(&iscsi.iqn), read_only });
    }
    volume.rbd.as_ref().map(|rbd| Disk::Rbd {
        monitors: rbd.monitors.iter().map(|monitor| Symbol::new(monitor)).collect(),
        pool: Symbol::new(rbd.pool.given().unwrap_or(DEFAULT_POOL)),
        image: Symbol::new(&rbd.image),
        read_only: rbd.read_only == Some(true),
    })
}
