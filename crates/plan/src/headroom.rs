//! Headroom: room that is kept free, as pods that do not exist.
//!
//! Such a pod is the least important of all that count. It takes what room is left after everybody else, is bought for when
//! there is none, and keeps the node it is on from being given back.

use plimsoll_model::{Headroom, Pod, PodShape, Resources, StandIn, Symbol, World, resource};

use crate::stand_ins::stand_in;

/// Percentages are kept free in pieces of at most this many thousandths of a core: one large piece would need one large node.
const PIECE: u128 = 1000;

/// The pods that stand for it.
pub(crate) fn pods(world: &World) -> impl Iterator<Item = Pod> {
    let settings = &world.settings.scale_up;
    let rooms = settings.headroom.iter().cloned();
    let rooms = rooms.chain(percentage(world, settings.headroom_percent));
    let units = rooms.flat_map(|room| (0..room.copies).map(move |_| room.requests.clone()));
    units.enumerate().map(|(number, requests)| {
        let priority = settings.expendable_cutoff;
        let shape = PodShape::plain(Symbol::new("headroom"), requests);
        stand_in(world, StandIn::Headroom, number, shape, priority)
    })
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
