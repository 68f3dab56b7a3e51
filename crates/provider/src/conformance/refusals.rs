//! Requests that break a rule: refused by the right class, without effect.

use plimsoll_model::Symbol;

use super::{
    Knob, Role,
    bench::{Bench, Verdict, fails, place, see_group},
};
use crate::Class;

super::topic! { "refusals";
    order_of_nothing_is_invalid:
        "An order of zero machines is refused: it is a mistake of the caller's, not a wish.",
    order_above_the_maximum_is_invalid:
        "An order that would bring the target above the maximum is refused whole, and nothing is bought.",
    order_of_very_many_is_invalid:
        "A count near the end of the numbers is above the maximum too: sums do not wrap around.",
    order_up_to_the_maximum_is_served:
        "The maximum itself may be reached.",
    order_above_a_lowered_maximum_is_invalid:
        "A maximum that somebody lowered holds from the next refresh on.",
    order_for_an_unknown_group_is_not_found:
        "An order for a group that is not there says so, and buys nothing anywhere.",
    deletion_in_an_unknown_group_is_not_found:
        "A deletion in a group that is not there says so, and deletes nothing anywhere.",
    lowering_an_unknown_group_is_not_found:
        "Lowering the target of a group that is not there says so.",
}

/// A group that nobody has.
const UNKNOWN: &str = "no-such-group";

async fn order_of_nothing_is_invalid(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 0).await?;
    fails("an order of 0 machines", Class::Invalid, bench.provider.increase(&order).await)?;
    bench.expect(group, start, 0, "after an order of 0").await
}

async fn order_above_the_maximum_is_invalid(bench: &Bench) -> Verdict {
    for role in [Role::Plain, Role::Small] {
        let group = bench.group(role)?;
        let start = bench.settled(group).await;
        let max = see_group(&*bench.provider, group).await?.group.max;
        let order = bench.order(group, max.saturating_sub(start.target) + 1).await?;
        let answer = bench.provider.increase(&order).await;
        fails("an order above the maximum", Class::Invalid, answer)?;
        bench.expect(group, start, 0, "after an order above the maximum").await?;
    }
    Ok(())
}

async fn order_of_very_many_is_invalid(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 1).await?;
    let start = bench.settled(group).await;
    for count in [u32::MAX, u32::MAX - 1, 1 << 31, (1 << 31) - 1] {
        let order = bench.order(group, count).await?;
        let answer = bench.provider.increase(&order).await;
        fails(&format!("an order of {count} machines"), Class::Invalid, answer)?;
    }
    bench.expect(group, start, 0, "after orders of billions").await
}

async fn order_up_to_the_maximum_is_served(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Small)?;
    let start = bench.settled(group).await;
    let max = see_group(&*bench.provider, group).await?.group.max;
    let room = max.saturating_sub(start.target);
    place(&*bench.provider, &bench.order(group, room).await?).await?;
    bench.expect(group, start, i64::from(room), "after an order up to the maximum").await
}

async fn order_above_a_lowered_maximum_is_invalid(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 1).await?;
    let start = bench.settled(group).await;
    see_group(&*bench.provider, group).await?;
    bench.turn(Knob::SetBounds { group, min: 0, max: start.target + 1 }).await?;
    see_group(&*bench.provider, group).await?;
    let order = bench.order(group, 2).await?;
    let answer = bench.provider.increase(&order).await;
    fails("an order above the lowered maximum", Class::Invalid, answer)?;
    bench.expect(group, start, 0, "after an order above the lowered maximum").await
}

async fn order_for_an_unknown_group_is_not_found(bench: &Bench) -> Verdict {
    let machines = bench.testbed.machines().await.len();
    let order = bench.order(Symbol::new(UNKNOWN), 1).await?;
    let answer = bench.provider.increase(&order).await;
    fails("an order for an unknown group", Class::NotFound, answer)?;
    bench.testbed.settle().await;
    let now = bench.testbed.machines().await.len();
    super::bench::ensure!(now == machines, "there were {machines} machines and now are {now}");
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn deletion_in_an_unknown_group_is_not_found(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 1).await?;
    let start = bench.settled(group).await;
    let answer = bench.provider.delete(Symbol::new(UNKNOWN), &machines).await;
    fails("a deletion in an unknown group", Class::NotFound, answer)?;
    bench.expect(group, start, 0, "after a deletion in an unknown group").await
}

async fn lowering_an_unknown_group_is_not_found(bench: &Bench) -> Verdict {
    let answer = bench.provider.lower_target(Symbol::new(UNKNOWN), 0).await;
    fails("lowering an unknown group", Class::NotFound, answer).map(drop)
}
