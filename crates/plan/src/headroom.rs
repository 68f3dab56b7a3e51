//! Headroom: room that is kept free, as pods that do not exist.
//!
//! Such a pod is the least important of all that count. It takes what room is left after everybody else, is bought for when
//! there is none, and keeps the node it is on from being given back. It is there anew in every pass, so a real pod simply
//! takes its room.

use std::sync::Arc;

use plimsoll_model::{
    Headroom, Labels, NodeAffinity, Phase, Pod, PodExtras, PodShape, Resources, SignedDuration,
    Symbol, World, resource,
};

/// Percentages are kept free in pieces of at most this many thousandths of a core: one large piece would need one large node.
const PIECE: u128 = 1000;

/// The World with its headroom as pods; `None` when there is none to be kept.
pub(crate) fn add(world: &World) -> Option<World> {
    let settings = &world.settings.scale_up;
    let mut rooms = settings.headroom.clone();
    rooms.extend(percentage(world, settings.headroom_percent));
    let copies =
        |room: &Headroom| (0..room.copies).map(|_| room.requests.clone()).collect::<Vec<_>>();
    let pods: Vec<Pod> = rooms
        .iter()
        .flat_map(copies)
        .enumerate()
        .map(|(number, requests)| stand_in(world, number, requests))
        .collect();
    if pods.is_empty() {
        return None;
    }
    let mut world = world.clone();
    world.pods.extend(pods);
    Some(world)
}

/// A share of what running pods ask for, in pieces.
fn percentage(world: &World, percent: u32) -> Option<Headroom> {
    let (cpu, memory) = (Symbol::new(resource::CPU), Symbol::new(resource::MEMORY));
    let running = world.pods.iter().filter(|pod| pod.node.is_some() && !pod.has_ended());
    let mut total = Resources::default();
    running.for_each(|pod| total.add_all(&pod.shape.requests));
    let share = |name| u128::from(total.get(name).unsigned_abs()) * u128::from(percent) / 100;
    let copies = share(cpu).div_ceil(PIECE).max(u128::from(share(memory) > 0));
    let each = |name| i64::try_from(share(name).div_ceil(copies.max(1))).unwrap_or(i64::MAX);
    let requests = Resources::from_amounts([(cpu, each(cpu)), (memory, each(memory))]);
    let copies = u32::try_from(copies).ok()?;
    (copies > 0).then_some(Headroom { copies, requests })
}

fn stand_in(world: &World, number: usize, requests: Resources) -> Pod {
    let shape = PodShape {
        namespace: Symbol::new("headroom"),
        labels: Labels::default(),
        requests,
        pinned_to: None,
        node_affinity: NodeAffinity::default(),
        tolerations: Box::default(),
        ports: Box::default(),
        spread: Box::default(),
        affinity: Box::default(),
        anti_affinity: Box::default(),
        volumes: Box::default(),
        terminating: false,
    };
    let allowed = &world.settings.scale_up.schedulers;
    let scheduler = allowed.first().copied();
    // Old enough for every delay that a new pod has to wait.
    let age = SignedDuration::from_hours(24 * 365);
    Pod {
        name: format!("headroom-{number}").into(),
        shape: Arc::new(shape),
        node: None,
        phase: Phase::Pending,
        priority: world.settings.scale_up.expendable_cutoff,
        created: world.now.saturating_sub(age).unwrap_or(world.now),
        deletion: None,
        owner: None,
        scheduler: scheduler.unwrap_or_else(|| Symbol::new("default-scheduler")),
        nominated: None,
        gated: false,
        extras: Some(Box::new(PodExtras { headroom: true, ..PodExtras::default() })),
    }
}
