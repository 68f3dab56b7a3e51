//! NodeVolumeLimits: a CSI driver attaches only so many volumes to a node.

use plimsoll_model::{Plugin, Symbol};
use rustc_hash::FxHashSet;

use super::Question;
use crate::{Rejection, volumes::Handle};

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    if !question.concerns(Plugin::NodeVolumeLimits) {
        return None;
    }
    let (snapshot, shape) = (question.snapshot, question.shape);
    let mut wanted = Vec::new();
    for volume in &shape.volumes {
        match snapshot.handle(shape, volume) {
            Ok(handle) => wanted.extend(handle),
            Err(claim) => return Some(Rejection::UncountableVolume { claim }),
        }
    }
    if wanted.is_empty() {
        return None;
    }
    let mut in_use: FxHashSet<Handle> = FxHashSet::default();
    for pod in snapshot.pods_on(question.node) {
        let shape = snapshot.shapes.shape(snapshot.shape_of(pod));
        for volume in &shape.volumes {
            match snapshot.handle(shape, volume) {
                Ok(handle) => in_use.extend(handle),
                // Missing claims of running pods are passed over; one that belongs to another pod is an error.
                Err(claim) => {
                    let exists = snapshot.storage.claims.contains_key(&(shape.namespace, claim));
                    if exists && snapshot.has_volume_limits(question.node) {
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
    attached.extend(snapshot.attachments(question.node));
    let mut drivers: Vec<Symbol> = new.iter().map(|(driver, _)| *driver).collect();
    drivers.sort_unstable();
    drivers.dedup();
    drivers.into_iter().find_map(|driver| {
        let limit = snapshot.volume_limit(question.node, driver)?;
        let of_driver = |handles: &FxHashSet<Handle>| {
            i64::try_from(handles.iter().filter(|(other, _)| *other == driver).count())
                .unwrap_or(i64::MAX)
        };
        let count = of_driver(&attached).saturating_add(of_driver(&new));
        (count > limit).then_some(Rejection::TooManyVolumes { driver, limit })
    })
}
