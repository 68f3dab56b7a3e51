//! NodeVolumeLimits: a CSI driver attaches only so many volumes to a node.

use plimsoll_model::{Claim, Disk, Plugin, PodShape, PodVolume, Symbol};
use rustc_hash::FxHashSet;

use super::Question;
use crate::{Rejection, Snapshot};

/// A driver and one of its volumes.
type Handle = (Symbol, Name);

/// How a volume is known.
#[derive(PartialEq, Eq, Hash)]
enum Name {
    /// By the driver's own name for it.
    Given(Box<str>),
    /// Not made yet: by the claim that it will be made for.
    Of((Symbol, Symbol)),
}

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    if !question.concerns(Plugin::NodeVolumeLimits) {
        return None;
    }
    let (snapshot, shape) = (question.snapshot, question.shape);
    let mut wanted = Vec::new();
    for volume in &shape.volumes {
        match handle(snapshot, shape, volume) {
            Ok(handle) => wanted.extend(handle),
            Err(claim) => return Some(Rejection::UncountableVolume { claim }),
        }
    }
    if wanted.is_empty() {
        return None;
    }
    let name = snapshot.node(question.node).name;
    let mut in_use: FxHashSet<Handle> = FxHashSet::default();
    for pod in snapshot.pods_on(question.node) {
        let shape = snapshot.shapes.shape(snapshot.shape_of(pod));
        for volume in &shape.volumes {
            match handle(snapshot, shape, volume) {
                Ok(handle) => in_use.extend(handle),
                // Missing claims of running pods are passed over; one that belongs to another pod is an error.
                Err(claim) => {
                    let exists = snapshot.storage.claims.contains_key(&(shape.namespace, claim));
                    let mut limited = snapshot.storage.limits.keys();
                    if exists && limited.any(|(node, _)| *node == name) {
                        return Some(Rejection::UncountableVolume { claim });
                    }
                }
            }
        }
    }
    // A volume that is attached but used by no pod here is not taken off the new ones: it counts twice, as it does in the
    // scheduler.
    let new: FxHashSet<Handle> = wanted.into_iter().filter(|one| !in_use.contains(one)).collect();
    let mut attached = in_use;
    attached.extend(attachments(snapshot, question.node));
    let mut drivers: Vec<Symbol> = new.iter().map(|(driver, _)| *driver).collect();
    drivers.sort_unstable();
    drivers.dedup();
    drivers.into_iter().find_map(|driver| {
        let limit = *snapshot.storage.limits.get(&(name, driver))?;
        let of_driver = |handles: &FxHashSet<Handle>| {
            i64::try_from(handles.iter().filter(|(other, _)| *other == driver).count())
                .unwrap_or(i64::MAX)
        };
        let count = of_driver(&attached).saturating_add(of_driver(&new));
        (count > limit).then_some(Rejection::TooManyVolumes { driver, limit })
    })
}

/// What a volume counts as; `None` when it does not count, an error when its claim makes an answer impossible.
fn handle(
    snapshot: &Snapshot,
    shape: &PodShape,
    volume: &PodVolume,
) -> Result<Option<Handle>, Symbol> {
    let (name, owner) = match volume {
        PodVolume::Claim(name) => (*name, None),
        PodVolume::Ephemeral { claim, pod_uid } => (*claim, Some(*pod_uid)),
        PodVolume::Disk(Disk::AwsElasticBlockStore { volume }) => {
            let id = volume.as_str();
            let handle = id.rsplit('/').next().unwrap_or(id);
            return Ok(Some((Symbol::new("ebs.csi.aws.com"), Name::Given(handle.into()))));
        }
        PodVolume::Disk(_) => return Ok(None),
    };
    let claim = snapshot.storage.claims.get(&(shape.namespace, name)).ok_or(name)?;
    if owner.is_some() && claim.controller != owner {
        return Err(name);
    }
    Ok(claim_handle(snapshot, claim))
}

fn claim_handle(snapshot: &Snapshot, claim: &Claim) -> Option<Handle> {
    let storage = &snapshot.storage;
    if let Some(volume) = claim.volume.and_then(|name| storage.volume(name)) {
        return volume.csi.map(|(driver, handle)| (driver, Name::Given(handle.as_str().into())));
    }
    // Not there yet, or gone: the claim stands for the volume that its class will provide.
    let driver = storage.classes.get(&claim.class)?.provisioner;
    Some((driver, Name::Of(claim.id)))
}

fn attachments(snapshot: &Snapshot, node: crate::NodeId) -> impl Iterator<Item = Handle> + '_ {
    let attached = snapshot.storage.attachments.get(&snapshot.node(node).name);
    attached.into_iter().flatten().filter_map(|name| {
        let (driver, handle) = snapshot.storage.volume(*name)?.csi?;
        Some((driver, Name::Given(handle.as_str().into())))
    })
}
