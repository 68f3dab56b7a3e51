//! Orders: placed as often as it takes, bought once.

use std::time::Duration;

use futures::future::join_all;

use super::{
    Knob, Role,
    bench::{Bench, Verdict, delete, ensure, order_id, place, place_persistently, see_group},
};
use crate::{Class, OrderId};

super::topic! { "orders";
    order_raises_the_target:
        "A refresh after an order that was answered shows the new target, so that nobody orders a second time.",
    ordered_machines_arrive:
        "What was ordered becomes machines, as many as were asked for.",
    same_order_twice_buys_once:
        "The same order again buys nothing more: whoever got no answer asks again.",
    same_order_twenty_times_at_once_buys_once:
        "The same order placed many times at once buys once: a slow answer and its repetition may overlap.",
    same_order_after_its_machines_arrived_buys_nothing:
        "An order that has been served stays served, however late it is placed again.",
    same_order_after_its_machines_were_deleted_buys_nothing:
        "A provider that keeps names of orders does not serve one again because its machines have gone since.",
    same_order_after_a_lost_reply_buys_once:
        "An order that took effect while its answer was lost is not bought a second time.",
    order_that_was_cut_off_is_bought_once:
        "A call that was dropped at any moment may be made again; in the end the order was bought once.",
    order_that_failed_is_bought_by_the_next_attempt:
        "An order that failed for a passing reason bought nothing, and is bought when it is placed again.",
    another_order_buys_again:
        "Orders with different names are different orders, even if they ask for the same.",
    alike_order_ids_are_different_orders:
        "A name that begins or ends like another, or like a group's, is still another name.",
    longest_order_id_is_known_again:
        "A name of an order may be 63 characters long and still is recognised as a whole.",
    stale_order_without_names_buys_nothing:
        "A provider that keeps no names of orders takes one as served once the target is where it was to bring it.",
    order_decided_on_a_higher_target_buys_its_count:
        "When machines have gone since an order was decided, it still buys what it asked for and not those as well.",
    orders_leave_other_groups_alone:
        "An order for one group changes no other.",
    empty_group_grows:
        "A group without machines can be grown: that is how scale from zero begins.",
}

/// How long a request takes where a check needs time to cut it off.
pub(super) const SLOW: Duration = Duration::from_millis(100);

async fn order_raises_the_target(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let before = see_group(&*bench.provider, group).await?.group.target;
    let order = bench.order(group, 2).await?;
    place(&*bench.provider, &order).await?;
    let after = see_group(&*bench.provider, group).await?.group.target;
    ensure!(
        after == before + 2,
        "the target was {before}, 2 were ordered, and the next refresh says {after}"
    );
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn ordered_machines_arrive(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    place(&*bench.provider, &bench.order(group, 3).await?).await?;
    bench.expect(group, start, 3, "after an order of 3").await?;
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn same_order_twice_buys_once(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    place(&*bench.provider, &order).await?;
    place(&*bench.provider, &order).await?;
    bench.expect(group, start, 2, "an order of 2 was placed twice").await
}

async fn same_order_twenty_times_at_once_buys_once(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    let answers = join_all((0..20).map(|_| place(&*bench.provider, &order))).await;
    answers.into_iter().collect::<Verdict>()?;
    bench.expect(group, start, 2, "an order of 2 was placed twenty times at once").await
}

async fn same_order_after_its_machines_arrived_buys_nothing(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    place(&*bench.provider, &order).await?;
    bench.expect(group, start, 2, "after an order of 2").await?;
    bench.agrees(&*bench.provider).await?;
    place(&*bench.provider, &order).await?;
    bench.expect(group, start, 2, "an order of 2 was placed again after it was served").await
}

async fn same_order_after_its_machines_were_deleted_buys_nothing(bench: &Bench) -> Verdict {
    bench.needs(|can| can.order_ids, "keeps no names of orders")?;
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let before = bench.staying(group).await;
    let order = bench.order(group, 2).await?;
    place(&*bench.provider, &order).await?;
    bench.testbed.settle().await;
    let mut bought = bench.staying(group).await;
    bought.retain(|machine| before.iter().all(|old| old.id != machine.id));
    let ids: Vec<_> = bought.into_iter().map(|machine| machine.id).collect();
    delete(&*bench.provider, group, &ids).await?;
    bench.testbed.settle().await;
    place(&*bench.provider, &order).await?;
    bench.expect(group, start, 0, "an order was placed again after its machines were deleted").await
}

async fn same_order_after_a_lost_reply_buys_once(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    bench.turn(Knob::LoseReplies(1)).await?;
    place_persistently(&*bench.provider, &order).await?;
    bench.expect(group, start, 2, "the answer to an order of 2 was lost, it was placed again").await
}

async fn order_that_was_cut_off_is_bought_once(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    bench.turn(Knob::Slow(SLOW)).await?;
    for quarters in [1, 3, 5, 7, 9] {
        let call = bench.provider.increase(&order);
        // Whether it was in time does not matter: either way it is placed again.
        let _ = tokio::time::timeout(SLOW * quarters / 4, call).await;
        bench.testbed.settle().await;
    }
    bench.turn(Knob::Slow(Duration::ZERO)).await?;
    place_persistently(&*bench.provider, &order).await?;
    bench.expect(group, start, 2, "an order of 2 was cut off and placed again").await
}

async fn order_that_failed_is_bought_by_the_next_attempt(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    for after in 0..4 {
        bench.turn(Knob::Fail { after, requests: 1, class: Class::Retry }).await?;
        // A provider that sends fewer requests than that is served.
        let _ = bench.provider.increase(&order).await;
    }
    bench.turn(Knob::Fail { after: 0, requests: 0, class: Class::Retry }).await?;
    place_persistently(&*bench.provider, &order).await?;
    bench.expect(group, start, 2, "an order of 2 failed and was placed again").await
}

async fn another_order_buys_again(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    for _ in 0..3 {
        place(&*bench.provider, &bench.order(group, 2).await?).await?;
    }
    bench.expect(group, start, 6, "three orders of 2 were placed").await
}

async fn alike_order_ids_are_different_orders(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    for id in ["a", "a-1", "a-11", "1-a", "a1", "aa"] {
        let mut order = bench.order(group, 1).await?;
        order.id = order_id(id)?;
        place(&*bench.provider, &order).await?;
    }
    bench.expect(group, start, 6, "six orders of 1 with similar names were placed").await
}

async fn longest_order_id_is_known_again(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let stem = "x".repeat(OrderId::LONGEST - 1);
    for end in ["1", "2"] {
        let mut order = bench.order(group, 1).await?;
        order.id = order_id(&format!("{stem}{end}"))?;
        place(&*bench.provider, &order).await?;
        place(&*bench.provider, &order).await?;
    }
    bench.expect(group, start, 2, "two orders with names of 63 characters, each placed twice").await
}

async fn stale_order_without_names_buys_nothing(bench: &Bench) -> Verdict {
    bench.needs(|can| !can.order_ids, "keeps names of orders")?;
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let stale = bench.order(group, 1).await?;
    place(&*bench.provider, &bench.order(group, 3).await?).await?;
    place(&*bench.provider, &stale).await?;
    bench.expect(group, start, 3, "an order whose target had been reached was placed").await
}

async fn order_decided_on_a_higher_target_buys_its_count(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 4).await?.into_iter().take(3).collect();
    let start = bench.settled(group).await;
    let order = bench.order(group, 1).await?;
    delete(&*bench.provider, group, &go).await?;
    place(&*bench.provider, &order).await?;
    bench.expect(group, start, -2, "1 was ordered after 3 were deleted").await
}

async fn orders_leave_other_groups_alone(bench: &Bench) -> Verdict {
    for (group, other) in [(Role::Plain, Role::Second), (Role::Second, Role::Plain)] {
        let (group, other) = (bench.group(group)?, bench.group(other)?);
        let (start, rest) = (bench.settled(group).await, bench.settled(other).await);
        place(&*bench.provider, &bench.order(group, 2).await?).await?;
        bench.expect(group, start, 2, "after an order of 2").await?;
        bench.expect(other, rest, 0, "after an order for another group").await?;
    }
    Ok(())
}

async fn empty_group_grows(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Empty)?;
    let start = bench.settled(group).await;
    ensure!(start.target == 0 && start.is_even(), "{group} is to be empty and has {start:?}");
    place(&*bench.provider, &bench.order(group, 1).await?).await?;
    bench.expect(group, start, 1, "after an order for an empty group").await?;
    bench.agrees(&*bench.provider).await.map(drop)
}
