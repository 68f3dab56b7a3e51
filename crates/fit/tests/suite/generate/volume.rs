//! Random volumes of pods.

use plimsoll_model::{Disk, PodVolume, Symbol};
use proptest::{prelude::*, sample};

use super::flag;

/// Claims that pods name. Which of them exist is up to the storage.
pub(super) const CLAIMS: [&str; 5] = ["data-0", "data-1", "data-2", "data-3", "data-4"];

/// Uids of pods with ephemeral volumes.
pub(super) const UIDS: [&str; 2] = ["uid-0", "uid-1"];

/// A volume of a pod.
pub(super) fn volume() -> impl Strategy<Value = PodVolume> {
    let ephemeral = (claim(), sample::select(&UIDS))
        .prop_map(|(claim, uid)| PodVolume::Ephemeral { claim, pod_uid: Symbol::new(uid) });
    prop_oneof![
        6 => claim().prop_map(PodVolume::Claim),
        1 => ephemeral,
        2 => disk().prop_map(PodVolume::Disk),
    ]
}

fn claim() -> impl Strategy<Value = Symbol> {
    sample::select(&CLAIMS).prop_map(Symbol::new)
}

fn disk() -> impl Strategy<Value = Disk> {
    let name = || sample::select(&["disk-0", "disk-1"]).prop_map(Symbol::new);
    let amazon = sample::select(&["vol-0", "vol-1", "aws://a/vol-0", "aws://b/vol-2"])
        .prop_map(|volume| Disk::AwsElasticBlockStore { volume: Symbol::new(volume) });
    let google = (name(), flag(60))
        .prop_map(|(name, read_only)| Disk::GcePersistentDisk { name, read_only });
    let iscsi = (name(), flag(60)).prop_map(|(iqn, read_only)| Disk::Iscsi { iqn, read_only });
    let monitors = sample::subsequence(&["m0", "m1", "m2"], 1..=2);
    let rbd =
        (monitors, name(), name(), flag(60)).prop_map(|(monitors, pool, image, read_only)| {
            Disk::Rbd {
                monitors: monitors.into_iter().map(Symbol::new).collect(),
                pool,
                image,
                read_only,
            }
        });
    prop_oneof![2 => amazon, 1 => google, 1 => iscsi, 1 => rbd]
}
