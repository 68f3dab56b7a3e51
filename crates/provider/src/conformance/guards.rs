//! What a deletion must not touch: the last machines of a group, those of others, and those that are protected.

use plimsoll_model::Symbol;

use super::{
    Knob, Role,
    bench::{Bench, Verdict, all_deleted, delete, ensure, fails, pick, place, unexpected},
    deletions::{answer_is, holds},
    stock::failed_machine,
};
use crate::Class;

super::topic! { "guards";
    deletion_below_the_minimum_is_done:
        "The minimum is the caller's concern: a broken machine may have to go before its replacement comes.",
    deletion_below_the_minimum_is_refused:
        "A provider that keeps the minimum refuses what would go below it, as Invalid and without effect, until the group is larger.",
    failed_machine_may_go_at_the_minimum:
        "A machine that did not come up may go whoever keeps the minimum: it serves nobody, and holds its place.",
    another_groups_machine_is_refused:
        "If one of the machines belongs to another group the whole call is Invalid and nothing is deleted: somebody is confused.",
    foreign_machine_is_refused:
        "A machine that the provider sees and that no group has is never deleted, and nothing else by the same call.",
    foreign_machine_is_left_alone:
        "A provider that sees its own machines only says NotFound for one that no group has, and never deletes it.",
    protected_machine_is_refused:
        "A machine that the service protects is Invalid for that machine and stays; the others are deleted.",
}

/// Sets the minimum of a group to this, with room above it, and has the provider see it.
async fn set_minimum(bench: &Bench, group: Symbol, min: u32) -> Verdict {
    bench.turn(Knob::SetBounds { group, min, max: min + 5 }).await?;
    bench.agrees(&*bench.provider).await.map(drop)
}

/// The call has to be refused whole.
async fn stays(bench: &Bench, group: Symbol, named: &[Box<str>]) -> Verdict {
    let start = bench.settled(group).await;
    let answer = bench.provider.delete(group, named).await;
    fails(&format!("deletion of {named:?} below the minimum of {group}"), Class::Invalid, answer)?;
    for machine in named {
        ensure!(bench.lives(machine).await, "the call was refused, and {machine} is deleted");
    }
    bench.expect(group, start, 0, "after a deletion that was refused").await
}

async fn deletion_below_the_minimum_is_done(bench: &Bench) -> Verdict {
    bench.needs(|can| !can.keeps_minimum, "keeps the minimum itself")?;
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 2).await?.into_iter().take(1).collect();
    let start = bench.settled(group).await;
    set_minimum(bench, group, start.target).await?;
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    bench.expect(group, start, -1, "a machine was deleted at the minimum").await
}

async fn deletion_below_the_minimum_is_refused(bench: &Bench) -> Verdict {
    bench.needs(|can| can.keeps_minimum, "leaves the minimum to its callers")?;
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 3).await?;
    let (first, second) = (pick(&machines, 0)?, pick(&machines, 1)?);
    let start = bench.settled(group).await;
    set_minimum(bench, group, start.target - 1).await?;
    // One of the two may go, but which is not the provider's to choose.
    stays(bench, group, &[first.clone(), second.clone()]).await?;
    all_deleted(&delete(&*bench.provider, group, &[first]).await?)?;
    bench.expect(group, start, -1, "a machine was deleted above the minimum").await?;
    stays(bench, group, std::slice::from_ref(&second)).await?;
    place(&*bench.provider, &bench.order(group, 1).await?).await?;
    bench.expect(group, start, 0, "after an order of 1").await?;
    all_deleted(&delete(&*bench.provider, group, &[second]).await?)?;
    bench.expect(group, start, -1, "a deletion that had been refused, after an order of 1").await
}

async fn failed_machine_may_go_at_the_minimum(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let (failed, _) = failed_machine(bench, Class::Bug).await?;
    let start = bench.settled(group).await;
    set_minimum(bench, group, start.target).await?;
    all_deleted(&delete(&*bench.provider, group, &[failed]).await?)?;
    bench.expect(group, start, -1, "a machine that did not come up went at the minimum").await
}

/// A call that names this one beside one of the group's own has to be refused without effect.
async fn refused(bench: &Bench, group: Symbol, other: Box<str>) -> Verdict {
    let own = pick(&bench.running(group, 2).await?, 0)?;
    let start = bench.settled(group).await;
    for named in
        [vec![own.clone(), other.clone()], vec![other.clone(), own.clone()], vec![other.clone()]]
    {
        let answer = bench.provider.delete(group, &named).await;
        fails(&format!("deletion of {named:?} in {group}"), Class::Invalid, answer)?;
        ensure!(bench.lives(&own).await, "the call was refused, and {own} is deleted");
        ensure!(bench.lives(&other).await, "the call was refused, and {other} is deleted");
    }
    bench.expect(group, start, 0, "after deletions that were refused").await
}

async fn another_groups_machine_is_refused(bench: &Bench) -> Verdict {
    let (group, other) = (bench.group(Role::Plain)?, bench.group(Role::Second)?);
    let machine = pick(&bench.running(other, 1).await?, 0)?;
    let rest = bench.settled(other).await;
    bench.agrees(&*bench.provider).await?;
    refused(bench, group, machine).await?;
    bench.expect(other, rest, 0, "its machine was named in another group's deletion").await
}

async fn foreign_machine_is_refused(bench: &Bench) -> Verdict {
    bench.needs(|can| can.strangers, "sees its own machines only")?;
    let group = bench.group(Role::Plain)?;
    let foreign = bench.foreign().await?;
    bench.agrees(&*bench.provider).await?;
    refused(bench, group, foreign.id).await
}

async fn foreign_machine_is_left_alone(bench: &Bench) -> Verdict {
    bench.needs(|can| !can.strangers, "sees machines that no group has")?;
    let group = bench.group(Role::Plain)?;
    let foreign = bench.foreign().await?.id;
    let own = pick(&bench.running(group, 3).await?, 0)?;
    let start = bench.settled(group).await;
    for answer in delete(&*bench.provider, group, std::slice::from_ref(&foreign)).await? {
        fails(&format!("deletion of {foreign}"), Class::NotFound, answer.outcome)?;
    }
    ensure!(bench.lives(&foreign).await, "{foreign} belongs to no group, and is deleted");
    bench.expect(group, start, 0, "a machine of no group was named alone").await?;
    let answers = delete(&*bench.provider, group, &[foreign.clone(), own]).await?;
    answer_is(bench, answers.first(), Class::NotFound)?;
    holds(bench, answers.get(1..).unwrap_or_default()).await?;
    ensure!(bench.lives(&foreign).await, "{foreign} belongs to no group, and is deleted");
    if bench.provider.capabilities().single_deletions {
        bench.expect(group, start, -1, "one was deleted beside one of no group").await?;
    }
    Ok(())
}

async fn protected_machine_is_refused(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let named: Vec<_> = bench.running(group, 4).await?.into_iter().take(3).collect();
    let start = bench.settled(group).await;
    let kept = pick(&named, 1)?;
    bench.turn(Knob::Protect(kept.clone())).await?;
    match bench.provider.delete(group, &named).await {
        Ok(answers) => {
            holds(bench, &answers).await?;
            answer_is(bench, answers.get(1), Class::Invalid)?;
        }
        Err(error) if !bench.provider.capabilities().single_deletions => {
            ensure!(error.class() == Class::Invalid, "refused as {}: {error}", error.class());
        }
        Err(error) => return Err(unexpected("deletion with a protected machine", &error)),
    }
    ensure!(bench.lives(&kept).await, "{kept} is protected, and is deleted");
    if bench.provider.capabilities().single_deletions {
        bench.expect(group, start, -2, "2 were deleted beside a protected one").await?;
    }
    let now = bench.settled(group).await;
    ensure!(now.is_even(), "with a protected machine: {now:?}");
    Ok(())
}
