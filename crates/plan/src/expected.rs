//! Pods that controllers want and have not made yet.
//!
//! A ReplicaSet makes its pods in batches, and more of them only while those before were taken: a deployment that is scaled up by a
//! thousand shows a few pods at a time. When one of a controller's pods waits, the others are taken for granted, as copies of it.
//! Controllers whose pods all have a place, or that have none at all, are not looked at: their next pod may never come, or be taken in
//! at once.

use std::sync::Arc;

use plimsoll_model::{Controller, Pod, PodExtras, StandIn, World};
use rustc_hash::FxHashMap;

use crate::stand_ins::stand_in;

/// Controllers whose pods are all alike.
const KINDS: [&str; 3] = ["Job", "ReplicaSet", "StatefulSet"];

/// The pods of a controller.
#[derive(Clone, Copy, Debug, Default)]
struct Flock<'w> {
    /// How many there are that are not on their way out.
    pods: i32,
    /// One that waits for a place.
    sample: Option<&'w Pod>,
}

/// The pods that stand for them. With those that wait they are no more than `pod-injection-limit`.
pub(crate) fn pods(world: &World) -> Vec<Pod> {
    let settings = &world.settings.scale_up;
    if !settings.proactive {
        return Vec::new();
    }
    let waiting = world.pods.iter().filter(|pod| waits(pod)).count();
    let limit = usize::try_from(settings.injection_limit).unwrap_or(usize::MAX);
    let flocks = flocks(world);
    let mut controllers: Vec<&Controller> = world.controllers.iter().collect();
    controllers.sort_by_key(|one| (one.namespace, one.kind, &one.name));
    let missing = controllers.into_iter().filter_map(|controller| {
        let flock = flocks.get(&*controller.uid)?;
        let count = usize::try_from(controller.expected.saturating_sub(flock.pods)).ok()?;
        Some(std::iter::repeat_n(flock.sample?, count))
    });
    let copies = missing.flatten().take(limit.saturating_sub(waiting)).enumerate();
    copies
        .map(|(number, sample)| {
            let shape = Arc::clone(&sample.shape);
            let copy = stand_in(world, StandIn::Expected, number, shape, sample.priority);
            let extras = PodExtras {
                stands_for: Some(StandIn::Expected),
                gang: None,
                ..sample.extras.as_deref().cloned().unwrap_or_default()
            };
            // It waits for as long as the one that it is a copy of, and the scheduler sees both alike.
            Pod {
                created: sample.created,
                scheduler: sample.scheduler,
                owner: sample.owner.clone(),
                extras: Some(Box::new(extras)),
                ..copy
            }
        })
        .collect()
}

fn flocks(world: &World) -> FxHashMap<&str, Flock<'_>> {
    let mut flocks: FxHashMap<&str, Flock<'_>> = FxHashMap::default();
    for pod in world.pods.iter().filter(|pod| pod.deletion.is_none() && !pod.has_ended()) {
        let Some(owner) = &pod.owner else { continue };
        if !owner.uid.is_empty() && KINDS.contains(&owner.kind.as_str()) {
            let flock = flocks.entry(&owner.uid).or_default();
            flock.pods += 1;
            flock.sample = flock.sample.or_else(|| Some(pod).filter(|pod| waits(pod)));
        }
    }
    flocks
}

fn waits(pod: &Pod) -> bool {
    pod.node.is_none() && !pod.gated && pod.deletion.is_none() && !pod.has_ended()
}
