//! A target that is not what is there: how long it has been so, and when the missing machines are given up.
//!
//! Nobody remembers who asked for them: another person, or we ourselves before a restart. They count as coming for as long as
//! a machine may take, and then the target is set to what is there.

use plimsoll_model::{Group, Timestamp, World};

use super::{is_over, orders::Ordered};

/// Since when the target has differed from the nodes by as much as now; `None` when it does not.
///
/// The memory holds only a moment, so a change in between is read from the facts: an order raises the target, and a member
/// that registered makes the difference smaller. Each of them starts the clock anew.
pub(super) fn since(
    world: &World,
    group: &Group,
    held: u32,
    newest_member: Option<Timestamp>,
    orders: &[Ordered<'_>],
) -> Option<Timestamp> {
    if held == group.target {
        return None;
    }
    let seen = world.memory.size_mismatch_since.get(&group.id).copied().unwrap_or(world.now);
    let changes = orders.iter().map(|order| order.at).chain(newest_member);
    // A clock that runs ahead of ours must not keep the difference young for ever.
    let changes = changes.filter(|change| *change <= world.now);
    Some(changes.fold(seen, Timestamp::max))
}

/// How many of the machines that are listed nowhere are given up.
pub(super) fn given_up(world: &World, group: &Group, absent: u32, since: Option<Timestamp>) -> u32 {
    let over = since.is_some_and(|since| is_over(world.now, since, group.options.provision_time));
    if over { absent } else { 0 }
}
