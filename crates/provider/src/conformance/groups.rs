//! Groups: what is told about them beside their machines, and making and removing them.

use plimsoll_model::{SignedDuration, Symbol, resource};

use super::{
    Role,
    bench::{Bench, Finding, Verdict, ensure, fails, place, see, see_group, unexpected},
};
use crate::{Class, GroupSpec, Inventory};

super::topic! { "groups";
    bounds_make_sense:
        "No minimum is above its maximum.",
    empty_group_is_told:
        "A group without machines is in the inventory, or it would never grow.",
    templates_of_empty_groups:
        "A provider with templates has one for an empty group, with cpu, memory and room for pods.",
    templates_are_stable:
        "What a new node looks like does not change from one refresh to the next.",
    prices_are_told:
        "A provider with prices tells them, none is negative, and they are the same from one refresh to the next.",
    options_make_sense:
        "Settings of a group's own are possible ones: shares from 0 to 1, times that are not negative.",
    capabilities_are_honest:
        "A provider does not tell what it says it cannot know.",
    group_can_be_made:
        "A provider with groups makes one, tells it in the next refresh, and grows it.",
    group_is_made_once:
        "The same specification again, also after a restart, is answered with the same id and makes no second group.",
    group_can_be_removed:
        "An empty group can be removed; the same again is fine, for it is gone.",
    group_with_machines_is_kept:
        "A group that still has machines is not removed: Invalid, and all of them stay.",
    groups_are_unsupported_otherwise:
        "A provider without groups says Unsupported, so that nobody waits for one.",
    close_is_safe:
        "Letting go changes nothing in the infrastructure, may be done twice, and leaves other providers alone.",
}

async fn bounds_make_sense(bench: &Bench) -> Verdict {
    for state in see(&*bench.provider).await?.groups {
        let (group, min, max) = (state.group.id, state.group.min, state.group.max);
        ensure!(min <= max, "{group} is to have at least {min} and at most {max} machines");
    }
    Ok(())
}

async fn empty_group_is_told(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Empty)?;
    let state = see_group(&*bench.provider, group).await?;
    ensure!(state.group.target == 0, "{group} is empty, its target is {}", state.group.target);
    ensure!(state.group.max > 0, "{group} may never have a machine");
    Ok(())
}

async fn templates_of_empty_groups(bench: &Bench) -> Verdict {
    bench.needs(|can| can.templates, "has no templates")?;
    let group = bench.group(Role::Empty)?;
    let Some(template) = see_group(&*bench.provider, group).await?.group.template else {
        return Err(Finding::Broken(format!("{group} is empty and has no template")));
    };
    for name in [resource::CPU, resource::MEMORY, resource::PODS] {
        let amount = template.allocatable.get(Symbol::new(name));
        ensure!(amount > 0, "a new node of {group} has {amount} {name}");
    }
    Ok(())
}

/// Two refreshes, with an order between them.
async fn twice(bench: &Bench) -> Verdict<(Inventory, Inventory)> {
    let first = see(&*bench.provider).await?;
    place(&*bench.provider, &bench.order(bench.group(Role::Plain)?, 1).await?).await?;
    bench.testbed.settle().await;
    Ok((first, see(&*bench.provider).await?))
}

async fn templates_are_stable(bench: &Bench) -> Verdict {
    bench.needs(|can| can.templates, "has no templates")?;
    let (first, next) = twice(bench).await?;
    for state in &first.groups {
        let id = state.group.id;
        let later = next.group(id).and_then(|state| state.group.template.as_deref());
        let same = state.group.template.as_deref() == later;
        ensure!(same, "{id}: the template was {:?} and is {later:?}", state.group.template);
    }
    Ok(())
}

async fn prices_are_told(bench: &Bench) -> Verdict {
    bench.needs(|can| can.prices, "has no prices")?;
    let (first, next) = twice(bench).await?;
    ensure!(
        first.groups.iter().any(|state| state.group.price.is_some()),
        "the provider says that it has prices, and tells none"
    );
    for state in &first.groups {
        let (id, price) = (state.group.id, state.group.price);
        let is_negative = price.is_some_and(|price| price.micros() < 0);
        ensure!(!is_negative, "{id}: the price is {price:?}");
        let later = next.group(id).and_then(|state| state.group.price);
        ensure!(price == later, "{id}: the price was {price:?} and is {later:?}");
    }
    Ok(())
}

async fn options_make_sense(bench: &Bench) -> Verdict {
    bench.needs(|can| can.options, "has no options of groups")?;
    for state in see(&*bench.provider).await?.groups {
        let (id, own) = (state.group.id, &state.overrides);
        for share in [own.utilization_threshold, own.gpu_utilization_threshold] {
            let fits = share.is_none_or(|share| (0.0..=1.0).contains(&share));
            ensure!(fits, "{id}: {share:?} is not a share");
        }
        let times = [
            own.unneeded_time,
            own.unready_time,
            own.provision_time,
            own.startup_time,
            state.boot_time,
        ];
        for time in times.into_iter().flatten() {
            ensure!(time >= SignedDuration::ZERO, "{id}: {time:?} is not a length of time");
        }
    }
    Ok(())
}

async fn capabilities_are_honest(bench: &Bench) -> Verdict {
    let can = bench.provider.capabilities();
    let inventory = bench.agrees(&*bench.provider).await?;
    for state in &inventory.groups {
        let id = state.group.id;
        ensure!(can.prices || state.group.price.is_none(), "{id} has a price");
        ensure!(can.stock || state.group.stock.is_none(), "{id} has a stock");
        let plain = state.overrides == crate::Overrides::default();
        ensure!(can.options || plain, "{id} has settings of its own");
        ensure!(state.group.frozen.is_none(), "{id} is frozen, which is not a provider's to say");
    }
    Ok(())
}

/// Makes the testbed's group, which has to work.
async fn make(bench: &Bench) -> Verdict<(GroupSpec, Symbol)> {
    bench.needs(|can| can.groups, "cannot make groups")?;
    let spec = bench.testbed.group_spec();
    let group = bench.provider.create_group(&spec).await;
    Ok((spec, group.map_err(|error| unexpected("making a group", &error))?))
}

async fn group_can_be_made(bench: &Bench) -> Verdict {
    let (spec, group) = make(bench).await?;
    let state = see_group(&*bench.provider, group).await?.group;
    ensure!(
        (state.min, state.max) == (spec.min, spec.max),
        "a group of {}..{} was to be made, and it is {}..{}",
        spec.min,
        spec.max,
        state.min,
        state.max
    );
    let start = bench.settled(group).await;
    place(&*bench.provider, &bench.order(group, 1).await?).await?;
    bench.expect(group, start, 1, "after an order for a group that was made").await?;
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn group_is_made_once(bench: &Bench) -> Verdict {
    let (spec, group) = make(bench).await?;
    let count = see(&*bench.provider).await?.groups.len();
    for provider in [bench.provider.clone(), bench.restart().await] {
        let again = provider.create_group(&spec).await;
        let again = again.map_err(|error| unexpected("making a group again", &error))?;
        ensure!(again == group, "the group {group} was made again as {again}");
    }
    let now = see(&*bench.provider).await?.groups.len();
    ensure!(now == count, "one group was made twice: there were {count} and now are {now}");
    Ok(())
}

async fn group_can_be_removed(bench: &Bench) -> Verdict {
    let (_, group) = make(bench).await?;
    for _ in 0..2 {
        let removed = bench.provider.delete_group(group).await;
        removed.map_err(|error| unexpected("removing an empty group", &error))?;
        let there = see(&*bench.provider).await?.group(group).is_some();
        ensure!(!there, "{group} was removed, and is in the inventory");
    }
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn group_with_machines_is_kept(bench: &Bench) -> Verdict {
    let (_, group) = make(bench).await?;
    bench.running(group, 1).await?;
    let start = bench.settled(group).await;
    let answer = bench.provider.delete_group(group).await;
    fails("removing a group that has machines", Class::Invalid, answer)?;
    see_group(&*bench.provider, group).await?;
    bench.expect(group, start, 0, "after a removal that was refused").await
}

async fn groups_are_unsupported_otherwise(bench: &Bench) -> Verdict {
    bench.needs(|can| !can.groups, "can make groups")?;
    let spec = bench.testbed.group_spec();
    let answer = bench.provider.create_group(&spec).await;
    fails("making a group", Class::Unsupported, answer)?;
    let group = bench.group(Role::Empty).or_else(|_| bench.group(Role::Plain))?;
    let answer = bench.provider.delete_group(group).await;
    fails("removing a group", Class::Unsupported, answer)?;
    see_group(&*bench.provider, group).await.map(drop)
}

async fn close_is_safe(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    let start = bench.settled(group).await;
    let other = bench.restart().await;
    see(&*other).await?;
    place(&*bench.provider, &bench.order(group, 1).await?).await?;
    bench.provider.close().await;
    bench.provider.close().await;
    bench.expect(group, start, 1, "after the provider was closed").await?;
    bench.agrees(&*other).await.map(drop)
}
