//! Restarts: whatever a provider remembers can be lost, at any moment.

use std::time::Duration;

use super::{
    Knob, Role,
    bench::{
        Bench, Verdict, all_deleted, delete, ensure, place, place_persistently, see, unexpected,
    },
    orders::SLOW,
};
use crate::Class;

super::topic! { "restarts";
    restart_changes_nothing:
        "A new provider over the same infrastructure tells the same groups, machines and targets.",
    restart_keeps_an_order:
        "An order that was placed before a restart and is placed again after it buys once.",
    restart_keeps_an_order_that_has_arrived:
        "The same when its machines have arrived in between.",
    restart_after_a_lost_reply_keeps_the_order:
        "An order whose answer was lost in a crash is not bought a second time.",
    restart_in_the_middle_of_an_order_keeps_it:
        "A crash at any moment of an order, and the order placed again: in the end it was bought once.",
    restart_keeps_a_deletion:
        "A deletion that is repeated after a restart lowers the target no second time.",
    restart_keeps_what_has_not_arrived:
        "What is on order only is in the target that a new provider tells, and can be given up through it.",
    first_call_may_be_an_order:
        "An order may be the first call of a new provider, before any refresh.",
    first_call_may_be_a_deletion:
        "A deletion may be the first call of a new provider, before any refresh.",
    first_call_may_be_a_lowering:
        "A lowering may be the first call of a new provider, before any refresh.",
    first_call_may_be_about_a_node:
        "Before any refresh a node of ours is known or the answer is Retry: who has not looked does not say that it is nobody's.",
}

async fn restart_changes_nothing(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 3).await?.into_iter().take(1).collect();
    place(&*bench.provider, &bench.order(group, 2).await?).await?;
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    let next = bench.restart().await;
    bench.agrees(&*next).await?;
    bench.testbed.settle().await;
    bench.agrees(&*next).await?;
    let last = bench.restart().await;
    bench.agrees(&*last).await.map(drop)
}

async fn restart_keeps_an_order(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    for _ in 0..3 {
        let provider = bench.restart().await;
        place(&*provider, &order).await?;
    }
    bench.expect(group, start, 2, "an order of 2 was placed again after restarts").await
}

async fn restart_keeps_an_order_that_has_arrived(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    place(&*bench.provider, &order).await?;
    bench.expect(group, start, 2, "after an order of 2").await?;
    let next = bench.restart().await;
    see(&*next).await?;
    place(&*next, &order).await?;
    bench.expect(group, start, 2, "an order that has arrived was placed after a restart").await
}

async fn restart_after_a_lost_reply_keeps_the_order(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    bench.turn(Knob::LoseReplies(1)).await?;
    match bench.provider.increase(&order).await {
        Err(error) if error.class() != Class::Retry => {
            return Err(unexpected("an order whose answer was lost", &error));
        }
        _ => {}
    }
    place_persistently(&*bench.restart().await, &order).await?;
    bench.expect(group, start, 2, "an order with a lost answer was placed after a restart").await
}

async fn restart_in_the_middle_of_an_order_keeps_it(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    let order = bench.order(group, 3).await?;
    bench.turn(Knob::Slow(SLOW)).await?;
    for quarters in [1, 3, 5, 7, 9, 11] {
        let provider = bench.restart().await;
        // Whether it was in time does not matter: either way it is placed again.
        let _ = tokio::time::timeout(SLOW * quarters / 4, provider.increase(&order)).await;
        drop(provider);
        bench.testbed.settle().await;
    }
    bench.turn(Knob::Slow(Duration::ZERO)).await?;
    place_persistently(&*bench.restart().await, &order).await?;
    bench.expect(group, start, 3, "an order of 3 was placed again after crashes").await
}

async fn restart_keeps_a_deletion(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 3).await?.into_iter().take(1).collect();
    let start = bench.settled(group).await;
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    delete(&*bench.restart().await, group, &go).await?;
    bench.expect(group, start, -1, "a deletion was repeated after a restart").await?;
    delete(&*bench.restart().await, group, &go).await?;
    bench.expect(group, start, -1, "a deletion was repeated long after a restart").await
}

async fn restart_keeps_what_has_not_arrived(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 1).await?;
    let start = bench.settled(group).await;
    bench.turn(Knob::Queue(group)).await?;
    place(&*bench.provider, &bench.order(group, 3).await?).await?;
    let next = bench.restart().await;
    bench.agrees(&*next).await?;
    let told = bench.restart().await.lower_target(group, start.target).await;
    let told = told.map_err(|error| unexpected("lowering after a restart", &error))?;
    ensure!(told == start.target, "lowered to {} after a restart, it is {told}", start.target);
    bench.expect(group, start, 0, "what had not arrived was given up after a restart").await
}

async fn first_call_may_be_an_order(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    place(&*bench.restart().await, &bench.order(group, 2).await?).await?;
    bench.expect(group, start, 2, "after an order as the first call").await
}

async fn first_call_may_be_a_deletion(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 2).await?.into_iter().take(1).collect();
    let start = bench.settled(group).await;
    all_deleted(&delete(&*bench.restart().await, group, &go).await?)?;
    bench.expect(group, start, -1, "after a deletion as the first call").await
}

async fn first_call_may_be_about_a_node(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    for machine in bench.staying(group).await {
        let node = bench.testbed.node(&machine);
        match bench.restart().await.owner(&node).await {
            Ok(owner) => {
                let told = owner.machine().map(|owner| owner.group);
                ensure!(told == Some(group), "{} is in {group}, and told as {told:?}", node.name);
            }
            Err(error) if error.class() == Class::Retry => {}
            Err(error) => return Err(unexpected("a question about a node", &error)),
        }
    }
    Ok(())
}

async fn first_call_may_be_a_lowering(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    let start = bench.settled(group).await;
    let told = bench.restart().await.lower_target(group, 0).await;
    let told = told.map_err(|error| unexpected("lowering as the first call", &error))?;
    ensure!(told == start.target, "lowering told {told}, the target is {}", start.target);
    bench.expect(group, start, 0, "after a lowering as the first call").await
}
