//! Scale-ups that were ordered, until their machines arrive or their time is over.
//!
//! What is upcoming is counted from the provider's facts, orders or not. An order adds when the machines were asked for, so
//! that a failure to deliver them is noticed and is the group's, and the target is taken back by exactly what did not come.

use plimsoll_model::{OrderId, SignedDuration, Symbol, Timestamp, World};

use super::{
    count,
    groups::Gap,
    is_over,
    unregistered::{Fate, Stray},
};

/// A scale-up that was ordered and has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ordered<'w> {
    pub id: &'w OrderId,
    /// How many machines were ordered.
    pub count: u32,
    /// When they were ordered.
    pub at: Timestamp,
}

/// What became of a group's orders.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settled {
    /// Orders whose machines are still expected.
    pub open: Vec<OrderId>,
    /// An order's time is over, and it did not arrive in full.
    pub timed_out: bool,
    /// Machines that such an order asked for and that the provider does not list.
    pub lost: u32,
    /// Machines that the provider does not list and that orders in time may still bring.
    pub claimed: u32,
}

/// The scale-ups of a group that have not ended.
pub(super) fn of_group(world: &World, group: Symbol) -> impl Iterator<Item = Ordered<'_>> {
    let open = world.orders.iter().filter(|order| !order.phase.is_over());
    open.filter(move |order| order.intent.group == group).map(|order| Ordered {
        id: &order.id,
        count: order.machines(),
        at: order.created,
    })
}

/// Settles the orders of one group.
///
/// Machines are taken to arrive in the order in which they were asked for, so what is missing belongs to the latest orders
/// first. A machine that is listed and in time by its own clock is still coming, however old its order is: such an order
/// stays open until the machine has become a node or is overdue.
pub(super) fn settle(
    orders: &[Ordered<'_>],
    gap: &Gap,
    strays: &[Stray<'_>],
    time: SignedDuration,
    now: Timestamp,
) -> Settled {
    let (late, in_time): (Vec<Ordered<'_>>, Vec<Ordered<'_>>) =
        orders.iter().partition(|order| is_over(now, order.at, time));
    let first = in_time.iter().map(|order| order.at).min();
    let waiting = || strays.iter().filter(|stray| stray.fate == Fate::Waiting);
    let of_orders_in_time = |stray: &&Stray<'_>| first.is_some_and(|first| stray.since >= first);
    let listed = count(waiting().filter(of_orders_in_time).count());
    let claimed = gap.absent.min(increase(&in_time).saturating_sub(listed));
    let lost = (gap.absent - claimed).min(increase(&late));
    let timed_out = !late.is_empty() && (lost > 0 || gap.overdue > 0);
    let late_may_come = !timed_out && gap.waiting > listed;
    let open = orders.iter().filter(|order| late_may_come || !is_over(now, order.at, time));
    Settled { open: open.map(|order| order.id.clone()).collect(), timed_out, lost, claimed }
}

fn increase(orders: &[Ordered<'_>]) -> u32 {
    orders.iter().fold(0, |sum, order| sum.saturating_add(order.count))
}
