//! Calls that overlap: every one counts, none twice, and nobody waits for ever.

use futures::future::join_all;
use plimsoll_model::Symbol;

use super::{
    Knob, Role,
    bench::{Bench, Verdict, all_deleted, delete, ensure, place, see, see_group},
    orders::SLOW,
};
use crate::{Class, Order};

super::topic! { "races";
    orders_at_once_all_count:
        "Orders with different names that are placed at the same time are all served.",
    orders_at_once_stay_below_the_maximum:
        "Orders that fit one by one but not together never bring the target above the maximum.",
    deletions_at_once_all_count:
        "Deletions of different machines at the same time each lower the target.",
    same_deletion_at_once_counts_once:
        "The same deletion many times at once lowers the target once.",
    orders_and_deletions_at_once_add_up:
        "Orders and deletions at the same time: the target is what was, plus what was ordered, less what was deleted.",
    orders_and_lowering_at_once_add_up:
        "Orders, deletions and lowering at the same time leave a target that is the number of machines, and no more than was asked.",
    orders_in_two_groups_at_once_stay_apart:
        "Orders for two groups at the same time each count for their own.",
    refreshes_during_changes_are_whole:
        "A refresh while others order and delete misses no machine that was there before and after.",
    calls_overlap:
        "With a slow service all kinds of calls at once are answered: none blocks another for ever.",
}

/// Orders of one machine each, decided one after the other, as far as the provider goes by that.
async fn orders(bench: &Bench, group: Symbol, count: u32) -> Verdict<Vec<Order>> {
    let mut orders = Vec::new();
    for place in 0..count {
        let mut order = bench.order(group, 1).await?;
        order.from += place;
        orders.push(order);
    }
    Ok(orders)
}

async fn orders_at_once_all_count(bench: &Bench) -> Verdict {
    bench.needs(|can| can.order_ids, "keeps no names of orders")?;
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let orders = orders(bench, group, 8).await?;
    let answers = join_all(orders.iter().map(|order| place(&*bench.provider, order))).await;
    answers.into_iter().collect::<Verdict>()?;
    bench.expect(group, start, 8, "eight orders of 1 were placed at once").await
}

async fn orders_at_once_stay_below_the_maximum(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Small)?;
    let start = bench.settled(group).await;
    let max = see_group(&*bench.provider, group).await?.group.max;
    let room = max.saturating_sub(start.target);
    let orders = orders(bench, group, room + 4).await?;
    let answers = join_all(orders.iter().map(|order| bench.provider.increase(order))).await;
    for error in answers.iter().filter_map(|answer| answer.as_ref().err()) {
        let class = error.class();
        ensure!(class == Class::Invalid, "an order above the maximum failed as {class}: {error}");
    }
    let now = bench.settled(group).await;
    ensure!(now.target <= max, "the maximum is {max}, and the target now {}", now.target);
    ensure!(now.is_even(), "after orders at once: {now:?}");
    if bench.provider.capabilities().order_ids {
        let taken = answers.iter().filter(|answer| answer.is_ok()).count();
        let rose = usize::try_from(now.target - start.target).unwrap_or(usize::MAX);
        ensure!(taken == rose, "{taken} orders were taken, and the target rose by {rose}");
    }
    Ok(())
}

async fn deletions_at_once_all_count(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 6).await?.into_iter().take(5).collect();
    let start = bench.settled(group).await;
    let calls = go.chunks(1).map(|machine| delete(&*bench.provider, group, machine));
    for answers in join_all(calls).await {
        all_deleted(&answers?)?;
    }
    bench.expect(group, start, -5, "five machines were deleted at once, each by a call").await
}

async fn same_deletion_at_once_counts_once(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 4).await?.into_iter().take(2).collect();
    let start = bench.settled(group).await;
    let calls = (0..10).map(|_| delete(&*bench.provider, group, &go));
    for answers in join_all(calls).await {
        answers?;
    }
    bench.expect(group, start, -2, "two machines were deleted by ten calls at once").await
}

async fn orders_and_deletions_at_once_add_up(bench: &Bench) -> Verdict {
    bench.needs(|can| can.order_ids, "keeps no names of orders")?;
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 6).await?.into_iter().take(4).collect();
    let start = bench.settled(group).await;
    let orders = orders(bench, group, 6).await?;
    let placing = join_all(orders.iter().map(|order| place(&*bench.provider, order)));
    let deleting = join_all(go.chunks(2).map(|some| delete(&*bench.provider, group, some)));
    let (placed, deleted) = tokio::join!(placing, deleting);
    placed.into_iter().collect::<Verdict>()?;
    for answers in deleted {
        all_deleted(&answers?)?;
    }
    bench.expect(group, start, 2, "6 were ordered and 4 deleted at once").await?;
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn orders_and_lowering_at_once_add_up(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 6).await?;
    let (go, keep) = machines.split_at(3.min(machines.len()));
    let start = bench.settled(group).await;
    let orders = orders(bench, group, 3).await?;
    let placing = join_all(orders.iter().map(|order| bench.provider.increase(order)));
    let lowering = join_all((0..3).map(|_| bench.provider.lower_target(group, 0)));
    let deleting = join_all(go.chunks(1).map(|some| delete(&*bench.provider, group, some)));
    let (_, lowered, deleted) = tokio::join!(placing, lowering, deleting);
    ensure!(lowered.iter().all(Result::is_ok), "lowering beside orders failed: {lowered:?}");
    for answers in deleted {
        all_deleted(&answers?)?;
    }
    let now = bench.settled(group).await;
    ensure!(now.is_even(), "after orders, deletions and lowering at once: {now:?}");
    let most = start.target;
    ensure!(now.target <= most, "3 were ordered, 3 deleted of {most}, and the target is {now:?}");
    for id in keep {
        ensure!(bench.lives(id).await, "{id} was not named, and is gone");
    }
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn orders_in_two_groups_at_once_stay_apart(bench: &Bench) -> Verdict {
    let (one, two) = (bench.group(Role::Plain)?, bench.group(Role::Second)?);
    let (first, second) = (bench.settled(one).await, bench.settled(two).await);
    let (large, small) = (bench.order(one, 3).await?, bench.order(two, 1).await?);
    let (a, b) = tokio::join!(place(&*bench.provider, &large), place(&*bench.provider, &small));
    a.and(b)?;
    bench.expect(one, first, 3, "after orders for two groups at once").await?;
    bench.expect(two, second, 1, "after orders for two groups at once").await
}

async fn refreshes_during_changes_are_whole(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 5).await?;
    let (go, keep) = machines.split_at(2.min(machines.len()));
    let order = bench.order(group, 3).await?;
    let looking = join_all((0..6).map(|_| see(&*bench.provider)));
    let (placed, deleted, seen) =
        tokio::join!(place(&*bench.provider, &order), delete(&*bench.provider, group, go), looking);
    placed?;
    deleted?;
    for inventory in seen {
        let inventory = inventory?;
        for id in keep {
            ensure!(inventory.instance(id).is_some(), "{id} was there all along, and was missed");
        }
    }
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn calls_overlap(bench: &Bench) -> Verdict {
    let (group, other) = (bench.group(Role::Plain)?, bench.group(Role::Second)?);
    let go: Vec<_> = bench.running(group, 3).await?.into_iter().take(1).collect();
    let machines = bench.staying(other).await;
    let nodes: Vec<_> = machines.iter().map(|machine| bench.testbed.node(machine)).collect();
    let (first, second) = (bench.order(group, 1).await?, bench.order(other, 1).await?);
    bench.turn(Knob::Slow(SLOW)).await?;
    let (placed, also, lowered, deleted, seen, owners) = tokio::join!(
        bench.provider.increase(&first),
        bench.provider.increase(&second),
        bench.provider.lower_target(other, u32::MAX),
        bench.provider.delete(group, &go),
        join_all((0..4).map(|_| bench.provider.refresh())),
        join_all(nodes.iter().map(|node| bench.provider.owner(node))),
    );
    let errors = [placed.err(), also.err(), lowered.err(), deleted.err()].into_iter().flatten();
    let errors = errors.chain(seen.into_iter().filter_map(Result::err));
    for error in errors.chain(owners.into_iter().filter_map(Result::err)) {
        ensure!(false, "a call failed beside others ({}): {error}", error.class());
    }
    bench.agrees(&*bench.provider).await.map(drop)
}
