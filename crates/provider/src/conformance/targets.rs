//! Lowering a target: gives up what has not arrived, touches nothing that has.

use plimsoll_model::Symbol;

use super::{
    Knob, Role,
    bench::{Bench, Verdict, ensure, place, see_group, unexpected},
};
use crate::{Class, Provider};

super::topic! { "targets";
    lowering_gives_up_what_has_not_arrived:
        "What was ordered and has not arrived can be given up, down to the target that was named.",
    lowering_part_of_the_way_keeps_the_rest:
        "Only as much is given up as was asked for; the rest of the order still stands.",
    lowering_twice_is_lowering_once:
        "Targets are absolute: the same call again changes nothing.",
    lowering_after_a_lost_reply_is_lowering_once:
        "A lowering that took effect while its answer was lost is not made a second time.",
    lowering_touches_no_running_machine:
        "No machine that runs is touched, however low the target; it would be the wrong one.",
    lowering_touches_no_machine_being_made:
        "No machine that exists is touched, even if it is not up yet.",
    lowering_touches_no_failed_machine:
        "A machine that did not come up exists as well: it goes by name or not at all.",
    lowering_never_raises:
        "A target that is at or below the one named stays as it is.",
    lowering_leaves_other_groups_alone:
        "Lowering one group's target changes no other.",
}

/// Lowers a target, which has to work, has to answer what is so, and may kill nothing.
async fn lower(bench: &Bench, group: Symbol, target: u32) -> Verdict<u32> {
    let before = bench.staying(group).await;
    let provider: &dyn Provider = &*bench.provider;
    let answer = provider.lower_target(group, target).await;
    let told = answer.map_err(|error| unexpected("lowering a target", &error))?;
    for machine in before {
        let id = &machine.id;
        ensure!(bench.lives(id).await, "the target was lowered, and {id} is being deleted");
    }
    let truth = bench.testbed.target(group).await;
    ensure!(told == truth, "lowering to {target} was answered with {told}, the target is {truth}");
    let seen = see_group(provider, group).await?.group.target;
    ensure!(seen == told, "lowering was answered with {told}, the next refresh says {seen}");
    Ok(told)
}

/// A group with two machines and four more that are on order only.
async fn with_backlog(bench: &Bench) -> Verdict<(Symbol, u32)> {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    bench.turn(Knob::Queue(group)).await?;
    let start = bench.settled(group).await.target;
    place(&*bench.provider, &bench.order(group, 4).await?).await?;
    bench.agrees(&*bench.provider).await?;
    Ok((group, start))
}

async fn lowering_gives_up_what_has_not_arrived(bench: &Bench) -> Verdict {
    let (group, start) = with_backlog(bench).await?;
    let told = lower(bench, group, start).await?;
    ensure!(told == start, "4 were on order above {start}; lowered to {start}, it is {told}");
    Ok(())
}

async fn lowering_part_of_the_way_keeps_the_rest(bench: &Bench) -> Verdict {
    let (group, start) = with_backlog(bench).await?;
    let told = lower(bench, group, start + 1).await?;
    ensure!(told == start + 1, "lowered from {} to {}, it is {told}", start + 4, start + 1);
    Ok(())
}

async fn lowering_twice_is_lowering_once(bench: &Bench) -> Verdict {
    let (group, start) = with_backlog(bench).await?;
    lower(bench, group, start + 2).await?;
    let told = lower(bench, group, start + 2).await?;
    ensure!(told == start + 2, "lowered to {} twice, it is {told}", start + 2);
    Ok(())
}

async fn lowering_after_a_lost_reply_is_lowering_once(bench: &Bench) -> Verdict {
    let (group, start) = with_backlog(bench).await?;
    bench.turn(Knob::LoseReplies(1)).await?;
    match bench.provider.lower_target(group, start + 2).await {
        Err(error) if error.class() != Class::Retry => {
            return Err(unexpected("a lowering whose answer was lost", &error));
        }
        _ => {}
    }
    let told = lower(bench, group, start + 2).await?;
    ensure!(told == start + 2, "lowered to {} again, it is {told}", start + 2);
    Ok(())
}

async fn lowering_touches_no_running_machine(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 3).await?;
    let start = bench.settled(group).await;
    let told = lower(bench, group, 0).await?;
    ensure!(told >= start.machines, "{} machines run and the target is {told}", start.machines);
    bench.expect(group, start, 0, "the target was lowered to 0 while all machines run").await
}

async fn lowering_touches_no_machine_being_made(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 1).await?;
    place(&*bench.provider, &bench.order(group, 3).await?).await?;
    let there = bench.staying(group).await.len();
    let told = lower(bench, group, 0).await?;
    let least = usize::try_from(told).unwrap_or(usize::MAX);
    ensure!(least >= there, "{there} machines exist and the target was lowered to {told}");
    let now = bench.settled(group).await;
    ensure!(
        now.is_even(),
        "after lowering the target is {} for {} machines",
        now.target,
        now.machines
    );
    Ok(())
}

async fn lowering_touches_no_failed_machine(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 1).await?;
    bench.turn(Knob::FailMachines { group, machines: 1, class: Class::Bug }).await?;
    place(&*bench.provider, &bench.order(group, 1).await?).await?;
    let start = bench.settled(group).await;
    lower(bench, group, 0).await?;
    bench.expect(group, start, 0, "the target was lowered while a machine had failed").await
}

async fn lowering_never_raises(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    let start = bench.settled(group).await;
    for above in [0, 1, 3] {
        lower(bench, group, start.target + above).await?;
    }
    lower(bench, group, u32::MAX).await?;
    bench.expect(group, start, 0, "the target was lowered to one that is not lower").await
}

async fn lowering_leaves_other_groups_alone(bench: &Bench) -> Verdict {
    let (group, other) = (bench.group(Role::Plain)?, bench.group(Role::Second)?);
    bench.running(other, 2).await?;
    place(&*bench.provider, &bench.order(group, 2).await?).await?;
    place(&*bench.provider, &bench.order(other, 1).await?).await?;
    let target = bench.testbed.target(other).await;
    lower(bench, group, 0).await?;
    let now = bench.testbed.target(other).await;
    ensure!(now == target, "the target of {other} was {target} and is {now}");
    Ok(())
}
