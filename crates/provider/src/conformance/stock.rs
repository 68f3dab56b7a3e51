//! When there is not enough: nothing, a part, and machines that do not come up.

use plimsoll_model::{ErrorClass, Symbol};

use super::{
    Doing, Knob, Role,
    bench::{
        Bench, Finding, Verdict, all_deleted, delete, ensure, place, place_persistently, see_group,
        unexpected,
    },
};
use crate::{Capabilities, Class, Order};

super::topic! { "stock";
    stockout_buys_nothing:
        "When nothing can be had, the order fails as OutOfCapacity or its instances do: the group rests, others are tried.",
    stockout_of_one_group_leaves_others:
        "A group that is sold out does not keep another from growing.",
    used_up_quota_buys_nothing:
        "When the account may not have more, the order fails as Quota or its instances do.",
    partial_success_is_success:
        "What could be had is kept and the order is taken; what is missing is seen by a refresh.",
    partial_success_is_counted:
        "An order is answered with how many machines it has, also when it was served in part and is placed again; who cannot count answers with what was ordered.",
    partial_order_again_buys_no_more_than_asked:
        "An order that was served in part and is placed again never brings more than it asked for.",
    refused_order_may_be_placed_again:
        "An order that was refused for lack of machines is over and bought nothing; placed again when there are some, it buys once at most.",
    stock_is_honest:
        "A provider that says how many more machines can be had says what is so, before and after an order.",
    failed_machines_tell_a_shortage:
        "A machine that does not come up for lack of capacity is in the inventory, with a reason of that class and in words.",
    failed_machines_tell_other_reasons:
        "A machine that does not come up for another reason does not look like a shortage.",
    failed_machines_can_be_deleted:
        "A machine that will not come up can be given back like any other, and the target falls.",
}

/// Whether an order failed for this reason, at once or with its instances; in both cases no machine runs for it.
async fn nothing_had(bench: &Bench, group: Symbol, class: Class) -> Verdict {
    let before: Vec<_> = bench.staying(group).await;
    let start = bench.settled(group).await;
    let order = bench.order(group, 2).await?;
    match bench.provider.increase(&order).await {
        Ok(_) => {
            bench.testbed.settle().await;
            let state = see_group(&*bench.provider, group).await?;
            let lacking = state.group.instances.iter().filter(|instance| {
                let class = instance.error.as_ref().map(|error| error.class);
                class == Some(ErrorClass::OutOfResources)
            });
            let (lacking, target) = (lacking.count(), state.group.target);
            ensure!(
                lacking == 2,
                "2 machines were ordered of which none can be had: the order was taken, the target is {target}, \
                 and {lacking} instances tell of a shortage"
            );
        }
        Err(error) if error.class() == class => {
            bench.expect(group, start, 0, "after an order that could not be had").await?;
        }
        Err(error) => return Err(unexpected("an order that cannot be had", &error)),
    }
    let now = bench.staying(group).await;
    let new = now.iter().filter(|machine| before.iter().all(|old| old.id != machine.id));
    let running: Vec<_> = new.filter(|machine| machine.doing == Doing::Running).collect();
    ensure!(running.is_empty(), "nothing could be had, and these run: {running:?}");
    Ok(())
}

async fn stockout_buys_nothing(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.turn(Knob::Stock { group, machines: 0 }).await?;
    nothing_had(bench, group, Class::OutOfCapacity).await
}

async fn stockout_of_one_group_leaves_others(bench: &Bench) -> Verdict {
    let (group, other) = (bench.group(Role::Plain)?, bench.group(Role::Second)?);
    bench.turn(Knob::Stock { group, machines: 0 }).await?;
    let start = bench.settled(other).await;
    // What comes of this is another check's concern.
    let _ = bench.provider.increase(&bench.order(group, 1).await?).await;
    place(&*bench.provider, &bench.order(other, 2).await?).await?;
    bench.expect(other, start, 2, "after an order while another group is sold out").await
}

async fn used_up_quota_buys_nothing(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.turn(Knob::Quota(0)).await?;
    nothing_had(bench, group, Class::Quota).await
}

/// How many machines of a group run or will.
async fn good(bench: &Bench, group: Symbol) -> usize {
    bench.testbed.settle().await;
    bench.staying(group).await.iter().filter(|machine| machine.doing != Doing::Failed).count()
}

async fn partial_success_is_success(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let before = good(bench, group).await;
    bench.turn(Knob::Stock { group, machines: 2 }).await?;
    place(&*bench.provider, &bench.order(group, 5).await?).await?;
    let had = good(bench, group).await.saturating_sub(before);
    ensure!(had == 2, "5 machines were ordered, 2 could be had, and {had} are there");
    bench.agrees(&*bench.provider).await.map(drop)
}

/// Places an order, which has to work; answers with how many machines it is said to have.
async fn counted(bench: &Bench, order: &Order) -> Verdict<u32> {
    let answer = bench.provider.increase(order).await;
    answer.map_err(|error| unexpected("an order that can be served in part", &error))
}

async fn partial_success_is_counted(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let Capabilities { counts_orders, order_ids, .. } = bench.provider.capabilities();
    bench.turn(Knob::Stock { group, machines: 3 }).await?;
    let whole = counted(bench, &bench.order(group, 1).await?).await?;
    ensure!(whole == 1, "an order of 1 was served and is said to have {whole}");
    let before = good(bench, group).await;
    let order = bench.order(group, 5).await?;
    let told = counted(bench, &order).await?;
    let had = good(bench, group).await.saturating_sub(before);
    let is_honest = usize::try_from(told) == Ok(had) || (!counts_orders && told == order.count);
    ensure!(is_honest, "5 machines were ordered, {had} were had, and the answer is {told}");
    if order_ids {
        let again = counted(bench, &order).await?;
        ensure!(again == told, "an order was answered with {told}, and placed again with {again}");
    }
    Ok(())
}

async fn partial_order_again_buys_no_more_than_asked(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let before = bench.settled(group).await.target;
    bench.turn(Knob::Stock { group, machines: 2 }).await?;
    let order = bench.order(group, 5).await?;
    place(&*bench.provider, &order).await?;
    let first = bench.settled(group).await.target.saturating_sub(before);
    bench.turn(Knob::Stock { group, machines: 20 }).await?;
    place(&*bench.provider, &order).await?;
    let again = bench.settled(group).await.target.saturating_sub(before);
    let most = if bench.provider.capabilities().order_ids { first } else { order.count };
    ensure!(
        (first..=most).contains(&again),
        "an order of 5 raised the target by {first}; placed again, by {again} in all"
    );
    Ok(())
}

async fn refused_order_may_be_placed_again(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    bench.turn(Knob::Stock { group, machines: 0 }).await?;
    let order = bench.order(group, 2).await?;
    if bench.provider.increase(&order).await.is_ok() {
        return Err(Finding::NotApplicable("this service takes orders when sold out".to_owned()));
    }
    bench.turn(Knob::Stock { group, machines: 20 }).await?;
    let by = match bench.provider.increase(&order).await {
        Ok(_) => 2,
        Err(error) if error.class() == Class::OutOfCapacity => 0,
        Err(error) => return Err(unexpected("an order placed again after a stockout", &error)),
    };
    bench.expect(group, start, by, "an order was placed again after a stockout").await
}

async fn stock_is_honest(bench: &Bench) -> Verdict {
    bench.needs(|can| can.stock, "does not know its stock")?;
    let group = bench.group(Role::Plain)?;
    bench.turn(Knob::Stock { group, machines: 3 }).await?;
    let before = see_group(&*bench.provider, group).await?.group.stock;
    ensure!(before == Some(3), "3 more can be had, and the inventory says {before:?}");
    place(&*bench.provider, &bench.order(group, 2).await?).await?;
    let after = see_group(&*bench.provider, group).await?.group.stock;
    ensure!(after == Some(1), "2 of 3 were ordered, and the inventory says {after:?} are left");
    Ok(())
}

/// Orders a machine that will not come up, and tells how the inventory counts it.
pub(super) async fn failed_machine(bench: &Bench, class: Class) -> Verdict<(Box<str>, ErrorClass)> {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 1).await?;
    bench.turn(Knob::FailMachines { group, machines: 1, class }).await?;
    place_persistently(&*bench.provider, &bench.order(group, 2).await?).await?;
    bench.testbed.settle().await;
    let inventory = bench.agrees(&*bench.provider).await?;
    let instances = inventory.group(group).map(|state| &*state.group.instances);
    let failed: Vec<_> = instances
        .unwrap_or_default()
        .iter()
        .filter_map(|instance| Some((instance.id.clone(), instance.error.as_ref()?)))
        .collect();
    let [(id, error)] = &*failed else {
        let count = failed.len();
        return Err(Finding::Broken(format!(
            "one machine did not come up, and {count} instances have an error"
        )));
    };
    ensure!(!error.code.is_empty(), "the error of {id} has no code");
    ensure!(!error.message.is_empty(), "the error of {id} has no words");
    Ok((id.clone(), error.class))
}

async fn failed_machines_tell_a_shortage(bench: &Bench) -> Verdict {
    let (id, class) = failed_machine(bench, Class::OutOfCapacity).await?;
    ensure!(
        class == ErrorClass::OutOfResources,
        "{id} lacked capacity, and the inventory calls it {class:?}"
    );
    Ok(())
}

async fn failed_machines_tell_other_reasons(bench: &Bench) -> Verdict {
    let (id, class) = failed_machine(bench, Class::Bug).await?;
    ensure!(class == ErrorClass::Other, "{id} is broken, and the inventory calls it {class:?}");
    Ok(())
}

async fn failed_machines_can_be_deleted(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let (id, _) = failed_machine(bench, Class::Bug).await?;
    let start = bench.settled(group).await;
    all_deleted(&delete(&*bench.provider, group, std::slice::from_ref(&id)).await?)?;
    bench.expect(group, start, -1, "a machine that did not come up was deleted").await?;
    ensure!(!bench.lives(&id).await, "{id} is still there");
    bench.agrees(&*bench.provider).await.map(drop)
}
