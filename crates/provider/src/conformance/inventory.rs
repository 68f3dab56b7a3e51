//! Refresh: everything there is, or an error.

use std::collections::BTreeSet;

use futures::future::join_all;
use jiff::SignedDuration;

use super::{
    Knob, Role,
    bench::{Bench, Verdict, all_deleted, delete, ensure, place, see, see_group, unexpected},
    failures::MANY,
    orders::SLOW,
};
use crate::{Class, Inventory};

super::topic! { "inventory";
    refresh_tells_what_there_is:
        "Groups, machines, their states and targets are those of the infrastructure.",
    refresh_tells_what_is_under_way:
        "Machines that are being made or deleted are in the inventory, as such.",
    refresh_names_nothing_twice:
        "No group and no machine stands twice: it would be counted twice.",
    refresh_keeps_its_order:
        "While nothing changes, groups and machines stand in the same order, so that the same world gives the same plan.",
    refresh_reads_all_pages:
        "However the service cuts its lists into pages, the inventory is whole.",
    failing_request_makes_no_short_list:
        "When any request of a refresh fails, the refresh fails: what is missing would be taken to be gone.",
    truncated_reply_makes_no_short_list:
        "A reply that was cut short makes the refresh fail.",
    slow_service_makes_no_short_list:
        "However slow the service is, the inventory is whole or there is an error.",
    vanished_machine_is_forgotten:
        "A machine that vanished behind our back is not in the next inventory.",
    vanished_machine_is_not_made_up_for:
        "Whether another comes in the place of a machine that vanished is the infrastructure's affair; looking changes nothing.",
    purchases_of_others_are_seen:
        "What somebody else ordered is in the next inventory; nothing is answered from memory alone.",
    deletions_of_others_are_seen:
        "What somebody else deleted is in the next inventory.",
    foreign_machine_is_in_no_group:
        "A machine that belongs to no group is in none, and does not disturb the rest.",
    bounds_changed_outside_are_seen:
        "The bounds are those of now, also when somebody lowered the maximum below what is there.",
    skewed_clock_loses_no_machine:
        "A service whose clock is days ahead or behind still has all its machines.",
    refreshes_at_once_agree:
        "Refreshes that overlap each tell the whole.",
}

async fn refresh_tells_what_there_is(bench: &Bench) -> Verdict {
    bench.agrees(&*bench.provider).await?;
    for (group, count) in [(Role::Plain, 4), (Role::Second, 2)] {
        let group = bench.group(group)?;
        bench.running(group, count).await?;
    }
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn refresh_tells_what_is_under_way(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 3).await?.into_iter().take(1).collect();
    place(&*bench.provider, &bench.order(group, 2).await?).await?;
    bench.agrees(&*bench.provider).await?;
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    bench.agrees(&*bench.provider).await?;
    bench.testbed.settle().await;
    bench.agrees(&*bench.provider).await.map(drop)
}

/// The names of all groups and machines, in the order in which they stand.
fn names(inventory: &Inventory) -> Vec<String> {
    let of_group = |state: &crate::GroupState| {
        let group = state.group.id.to_string();
        let machines = state.group.instances.iter().map(|instance| instance.id.to_string());
        [group].into_iter().chain(machines).collect::<Vec<_>>()
    };
    inventory.groups.iter().flat_map(of_group).collect()
}

async fn refresh_names_nothing_twice(bench: &Bench) -> Verdict {
    for role in [Role::Plain, Role::Second] {
        bench.running(bench.group(role)?, 3).await?;
    }
    place(&*bench.provider, &bench.order(bench.group(Role::Plain)?, 2).await?).await?;
    let inventory = see(&*bench.provider).await?;
    let mut groups = BTreeSet::new();
    let mut machines = BTreeSet::new();
    for state in &inventory.groups {
        ensure!(groups.insert(state.group.id), "{} stands twice", state.group.id);
        for instance in &state.group.instances {
            ensure!(machines.insert(&*instance.id), "{} stands twice", instance.id);
        }
    }
    Ok(())
}

async fn refresh_keeps_its_order(bench: &Bench) -> Verdict {
    for role in [Role::Plain, Role::Second] {
        bench.running(bench.group(role)?, 4).await?;
    }
    let first = names(&see(&*bench.provider).await?);
    for _ in 0..5 {
        let next = names(&see(&*bench.provider).await?);
        ensure!(first == next, "the order was {first:?} and then {next:?}");
    }
    Ok(())
}

async fn refresh_reads_all_pages(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 6).await?;
    for size in [1, 2, 3, 5, 6, 7, 100] {
        bench.turn(Knob::PageSize(size)).await?;
        bench.agrees(&*bench.provider).await?;
    }
    Ok(())
}

/// What became of a refresh that was disturbed.
#[derive(PartialEq, Eq)]
enum Disturbed {
    Whole,
    Failed,
}

/// A refresh that is disturbed has to be whole, or fail as the service being away.
async fn whole_or_retry(bench: &Bench, what: &str) -> Verdict<Disturbed> {
    match bench.provider.refresh().await {
        Ok(inventory) => bench.compare(&inventory).await.map(|()| Disturbed::Whole),
        // A reply that makes no sense may be called that.
        Err(error) if matches!(error.class(), Class::Retry | Class::Bug) => Ok(Disturbed::Failed),
        Err(error) => Err(unexpected(&format!("refresh with {what}"), &error)),
    }
}

async fn failing_request_makes_no_short_list(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 4).await?;
    see(&*bench.provider).await?;
    // A service without pages is worth the same questions.
    let _ = bench.testbed.turn(Knob::PageSize(2)).await;
    for after in 0..24 {
        bench.turn(Knob::Fail { after, requests: 1, class: Class::Retry }).await?;
        whole_or_retry(bench, &format!("request {after} failing")).await?;
        bench.turn(Knob::Fail { after, requests: MANY, class: Class::Retry }).await?;
        let outcome = whole_or_retry(bench, &format!("failures from request {after} on")).await?;
        ensure!(
            after > 0 || outcome == Disturbed::Failed,
            "all requests failed and refresh did not"
        );
    }
    bench.turn(Knob::Fail { after: 0, requests: 0, class: Class::Retry }).await?;
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn truncated_reply_makes_no_short_list(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 4).await?;
    see(&*bench.provider).await?;
    let mut failed = 0;
    for after in 0..12 {
        bench.turn(Knob::Truncate { after }).await?;
        let outcome = whole_or_retry(bench, &format!("list {after} cut short")).await?;
        failed += u32::from(outcome == Disturbed::Failed);
    }
    ensure!(failed > 0, "lists were cut short and no refresh failed");
    Ok(())
}

async fn slow_service_makes_no_short_list(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 4).await?;
    bench.turn(Knob::Slow(SLOW)).await?;
    whole_or_retry(bench, "a slow service").await.map(drop)
}

async fn vanished_machine_is_forgotten(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 3).await?;
    bench.agrees(&*bench.provider).await?;
    for machine in machines.into_iter().take(2) {
        bench.turn(Knob::RemoveMachine(machine)).await?;
        bench.agrees(&*bench.provider).await?;
    }
    bench.testbed.settle().await;
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn vanished_machine_is_not_made_up_for(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 3).await?;
    bench.agrees(&*bench.provider).await?;
    for machine in machines.into_iter().take(1) {
        bench.turn(Knob::RemoveMachine(machine)).await?;
    }
    let start = bench.settled(group).await;
    for _ in 0..2 {
        bench.agrees(&*bench.provider).await?;
        bench.expect(group, start, 0, "after looking at what a vanished machine left").await?;
    }
    bench.agrees(&*bench.restart().await).await?;
    bench.expect(group, start, 0, "after a restart when a machine had vanished").await
}

async fn purchases_of_others_are_seen(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let other = bench.restart().await;
    bench.agrees(&*bench.provider).await?;
    place(&*other, &bench.order(group, 2).await?).await?;
    bench.agrees(&*bench.provider).await?;
    bench.testbed.settle().await;
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn deletions_of_others_are_seen(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 3).await?.into_iter().take(2).collect();
    let other = bench.restart().await;
    bench.agrees(&*bench.provider).await?;
    all_deleted(&delete(&*other, group, &go).await?)?;
    bench.agrees(&*bench.provider).await?;
    bench.testbed.settle().await;
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn foreign_machine_is_in_no_group(bench: &Bench) -> Verdict {
    bench.running(bench.group(Role::Plain)?, 2).await?;
    let foreign = bench.foreign().await?;
    let inventory = bench.agrees(&*bench.provider).await?;
    let is_listed = inventory.instance(&foreign.id).is_some();
    ensure!(!is_listed, "{} belongs to no group and is in one", foreign.id);
    Ok(())
}

async fn bounds_changed_outside_are_seen(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 3).await?;
    see(&*bench.provider).await?;
    for (min, max) in [(1, 40), (2, 7), (0, 1)] {
        bench.turn(Knob::SetBounds { group, min, max }).await?;
        let seen = see_group(&*bench.provider, group).await?.group;
        let (low, high) = (seen.min, seen.max);
        ensure!(
            (low, high) == (min, max),
            "the bounds of {group} are {min}..{max}, and the inventory says {low}..{high}"
        );
    }
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn skewed_clock_loses_no_machine(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    for days in [3, -3] {
        bench.turn(Knob::ClockSkew(SignedDuration::from_hours(days * 24))).await?;
        bench.agrees(&*bench.provider).await?;
        let start = bench.settled(group).await;
        let order = bench.order(group, 1).await?;
        place(&*bench.provider, &order).await?;
        bench.agrees(&*bench.provider).await?;
        place(&*bench.provider, &order).await?;
        bench.expect(group, start, 1, "an order was placed twice with a skewed clock").await?;
        bench.agrees(&*bench.provider).await?;
    }
    Ok(())
}

async fn refreshes_at_once_agree(bench: &Bench) -> Verdict {
    bench.running(bench.group(Role::Plain)?, 4).await?;
    let all = join_all((0..10).map(|_| see(&*bench.provider))).await;
    for inventory in all {
        bench.compare(&inventory?).await?;
    }
    Ok(())
}
