//! Pods that do not exist and count all the same.
//!
//! They are served like others and nobody is told of them. They are there anew in every pass, so a real pod simply takes the room
//! of the one that stands for it.

use std::sync::Arc;

use plimsoll_model::{Phase, Pod, PodExtras, PodShape, SignedDuration, StandIn, Symbol, World};

use crate::{
    buffers::{self, Resolved},
    expected, headroom,
    requests::Requests,
};

/// The World with all of them; `None` when there are none.
pub(crate) fn add(world: &World, buffers: &[Resolved<'_>], requests: &Requests) -> Option<World> {
    let mut pods: Vec<Pod> = headroom::pods(world).collect();
    pods.extend(buffers::pods(world, buffers));
    pods.extend(expected::pods(world));
    pods.extend(requests.pods(world));
    if pods.is_empty() {
        return None;
    }
    let mut world = world.clone();
    world.pods.extend(pods);
    Some(world)
}

/// One of them: the `number`th of those that stand for the same.
pub(crate) fn stand_in(
    world: &World,
    stands_for: StandIn,
    number: usize,
    shape: impl Into<Arc<PodShape>>,
    priority: i32,
) -> Pod {
    let name = match stands_for {
        StandIn::Headroom => format!("headroom-{number}"),
        StandIn::Expected => format!("expected-{number}"),
        StandIn::Buffer(place) => format!("buffer-{place}-{number}"),
        StandIn::Requested(place) => format!("requested-{place}-{number}"),
    };
    let scheduler = world.settings.scale_up.schedulers.first().copied();
    // Old enough for every delay that a new pod has to wait.
    let age = SignedDuration::from_hours(24 * 365);
    let extras = PodExtras { stands_for: Some(stands_for), ..PodExtras::default() };
    Pod {
        name: name.into(),
        shape: shape.into(),
        node: None,
        phase: Phase::Pending,
        priority,
        created: world.now.saturating_sub(age).unwrap_or(world.now),
        deletion: None,
        owner: None,
        scheduler: scheduler.unwrap_or_else(|| Symbol::new("default-scheduler")),
        nominated: None,
        gated: false,
        extras: Some(Box::new(extras)),
    }
}
