//! Deletions: the machines that were named, and the target with them.

use super::{
    Doing, Knob, Role,
    bench::{Bench, Finding, Verdict, all_deleted, delete, ensure, fails, pick, place, unexpected},
};
use crate::{Class, Deletion};

super::topic! { "deletions";
    deletion_takes_the_named_only:
        "Exactly the machines that were named go: their pods have been moved, those of others have not.",
    deletion_lowers_the_target:
        "The target falls by as many as were deleted, or the infrastructure would replace them.",
    deletion_answers_in_the_order_asked:
        "There is an answer for every machine, in the order in which they were named.",
    deletion_twice_is_deletion_once:
        "The same deletion again is fine and lowers the target no second time, while the machine goes and after it has gone.",
    deletion_asked_again_is_not_begun_anew:
        "A machine that is on its way out goes on going when it is named again: its deletion does not begin from the start.",
    deletion_of_one_named_twice_counts_once:
        "A machine that stands twice in one call lowers the target once.",
    deletion_after_a_lost_reply_counts_once:
        "A deletion that took effect while its answer was lost may be repeated, and counts once.",
    deletion_of_nothing_does_nothing:
        "A call that names no machine is fine and changes nothing.",
    deletion_of_all_leaves_the_group:
        "A group whose last machine was deleted is still there, with a target of zero.",
    deletion_of_a_machine_being_made:
        "A machine that is not up yet can be deleted by name.",
    unknown_machine_is_not_found:
        "A machine that never was is NotFound for that machine; the others named with it are deleted.",
    vanished_machine_is_not_found:
        "A machine that vanished behind our back is gone, which is what was wanted; the others named with it are deleted.",
    deletion_of_a_mixed_bag:
        "Living, dying, vanished and unknown machines in one call: each is answered for itself, and the target counts the living.",
}

/// What is said to be gone has to be gone or going; what is refused has to stay.
pub(super) async fn holds(bench: &Bench, answers: &[Deletion]) -> Verdict {
    for Deletion { instance, outcome } in answers {
        let lives = bench.lives(instance).await;
        match outcome.as_ref().map_err(crate::Error::class) {
            Ok(()) => ensure!(!lives, "{instance} was to be deleted, and lives"),
            Err(Class::NotFound) => ensure!(!lives, "{instance} is NotFound, and lives"),
            Err(_) => {}
        }
    }
    Ok(())
}

/// The answer for one of several machines, where the provider gives one for each.
pub(super) fn answer_is(bench: &Bench, answer: Option<&Deletion>, class: Class) -> Verdict {
    let (Some(answer), true) = (answer, bench.provider.capabilities().single_deletions) else {
        return Ok(());
    };
    let what = format!("deletion of {}", answer.instance);
    fails(&what, class, answer.outcome.clone()).map(drop)
}

async fn deletion_takes_the_named_only(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 5).await?;
    let (keep, go): (Vec<_>, Vec<_>) =
        machines.into_iter().enumerate().partition(|(place, _)| place % 2 == 0);
    let go: Vec<_> = go.into_iter().map(|(_, id)| id).collect();
    let answers = delete(&*bench.provider, group, &go).await?;
    all_deleted(&answers)?;
    holds(bench, &answers).await?;
    bench.agrees(&*bench.provider).await?;
    bench.testbed.settle().await;
    holds(bench, &answers).await?;
    for (_, id) in keep {
        ensure!(bench.lives(&id).await, "{id} was not named, and is gone");
    }
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn deletion_lowers_the_target(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 4).await?;
    let start = bench.settled(group).await;
    let go: Vec<_> = machines.into_iter().take(2).collect();
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    let target = bench.testbed.target(group).await;
    ensure!(
        target + 2 == start.target,
        "2 were deleted: the target was {} and at once is {target}",
        start.target
    );
    bench.expect(group, start, -2, "after a deletion of 2").await?;
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn deletion_answers_in_the_order_asked(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let mut go: Vec<_> = bench.running(group, 4).await?.into_iter().take(3).collect();
    go.sort_unstable();
    go.reverse();
    go.swap(0, 1);
    all_deleted(&delete(&*bench.provider, group, &go).await?)
}

async fn deletion_twice_is_deletion_once(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 3).await?.into_iter().take(1).collect();
    let start = bench.settled(group).await;
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    let at_once = delete(&*bench.provider, group, &go).await?;
    let is_fine = |answer: &Deletion| match &answer.outcome {
        Ok(()) => true,
        Err(error) => error.class() == Class::NotFound,
    };
    ensure!(at_once.iter().all(is_fine), "the same deletion at once: {at_once:?}");
    bench.expect(group, start, -1, "one machine was deleted twice at once").await?;
    let later = delete(&*bench.provider, group, &go).await?;
    ensure!(later.iter().all(is_fine), "the same deletion later: {later:?}");
    bench.expect(group, start, -1, "one machine was deleted again after it had gone").await
}

async fn deletion_asked_again_is_not_begun_anew(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 3).await?.into_iter().take(1).collect();
    let machine = pick(&go, 0)?;
    if bench.testbed.deletions_begun(&machine).await.is_none() {
        let missing = "the emulator does not count deletions";
        return Err(Finding::NotApplicable(missing.to_owned()));
    }
    for _ in 0..3 {
        holds(bench, &delete(&*bench.provider, group, &go).await?).await?;
    }
    holds(bench, &delete(&*bench.restart().await, group, &go).await?).await?;
    let begun = bench.testbed.deletions_begun(&machine).await.unwrap_or_default();
    ensure!(begun == 1, "{machine} was named four times, and its deletion was begun {begun} times");
    Ok(())
}

async fn deletion_of_one_named_twice_counts_once(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 3).await?;
    let start = bench.settled(group).await;
    let go: Vec<_> = machines.iter().take(1).chain(machines.iter().take(1)).cloned().collect();
    holds(bench, &delete(&*bench.provider, group, &go).await?).await?;
    bench.expect(group, start, -1, "one machine was named twice in one deletion").await
}

async fn deletion_after_a_lost_reply_counts_once(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 3).await?.into_iter().take(1).collect();
    let start = bench.settled(group).await;
    bench.turn(Knob::LoseReplies(1)).await?;
    match bench.provider.delete(group, &go).await {
        Ok(answers) => holds(bench, &answers).await?,
        Err(error) if error.class() == Class::Retry => {}
        Err(error) => return Err(unexpected("a deletion whose answer was lost", &error)),
    }
    holds(bench, &delete(&*bench.provider, group, &go).await?).await?;
    bench.expect(group, start, -1, "the answer to a deletion was lost, it was repeated").await
}

async fn deletion_of_nothing_does_nothing(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    let start = bench.settled(group).await;
    delete(&*bench.provider, group, &[]).await?;
    bench.expect(group, start, 0, "after a deletion that names nothing").await
}

async fn deletion_of_all_leaves_the_group(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    let go: Vec<_> = bench.staying(group).await.into_iter().map(|machine| machine.id).collect();
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    let now = bench.settled(group).await;
    ensure!(now.target == 0 && now.is_even(), "all were deleted, and {group} has {now:?}");
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn deletion_of_a_machine_being_made(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    place(&*bench.provider, &bench.order(group, 2).await?).await?;
    let machines = bench.staying(group).await;
    let creating = machines.into_iter().filter(|machine| machine.doing == Doing::Creating);
    let go: Vec<_> = creating.map(|machine| machine.id).take(1).collect();
    if go.is_empty() {
        return Err(Finding::NotApplicable("no machine is seen while it is made".to_owned()));
    }
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    bench.expect(group, start, 1, "2 were ordered and one of them deleted").await
}

async fn unknown_machine_is_not_found(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let mut named: Vec<_> = bench.running(group, 3).await?.into_iter().take(2).collect();
    let start = bench.settled(group).await;
    named.insert(1, bench.testbed.unknown_machine());
    let answers = delete(&*bench.provider, group, &named).await?;
    answer_is(bench, answers.get(1), Class::NotFound)?;
    holds(bench, &answers).await?;
    if bench.provider.capabilities().single_deletions {
        bench.expect(group, start, -2, "2 were deleted beside one that never was").await?;
    }
    Ok(())
}

async fn vanished_machine_is_not_found(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let named: Vec<_> = bench.running(group, 4).await?.into_iter().take(2).collect();
    bench.agrees(&*bench.provider).await?;
    let vanished = pick(&named, 0)?;
    bench.turn(Knob::RemoveMachine(vanished.clone())).await?;
    if bench.lives(&vanished).await {
        return Err(Finding::NotApplicable("this service replaces a machine at once".to_owned()));
    }
    let start = bench.testbed.target(group).await;
    let answers = delete(&*bench.provider, group, &named).await?;
    holds(bench, &answers).await?;
    answer_is(bench, answers.first(), Class::NotFound)?;
    if bench.provider.capabilities().single_deletions {
        all_deleted(answers.get(1..).unwrap_or_default())?;
        let target = bench.testbed.target(group).await;
        ensure!(
            target + 1 == start,
            "one was deleted beside one that had vanished: the target was {start} and is {target}"
        );
    }
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn deletion_of_a_mixed_bag(bench: &Bench) -> Verdict {
    bench.needs(|can| can.single_deletions, "gives one answer for all deletions")?;
    let group = bench.group(Role::Plain)?;
    let machines = bench.running(group, 4).await?;
    let (dying, gone) = (pick(&machines, 0)?, pick(&machines, 1)?);
    let (living, rest) = (pick(&machines, 2)?, pick(&machines, 3)?);
    all_deleted(&delete(&*bench.provider, group, std::slice::from_ref(&gone)).await?)?;
    bench.testbed.settle().await;
    all_deleted(&delete(&*bench.provider, group, std::slice::from_ref(&dying)).await?)?;
    let start = bench.testbed.target(group).await;
    let unknown = bench.testbed.unknown_machine();
    let named = [unknown, dying, living, gone];
    let answers = delete(&*bench.provider, group, &named).await?;
    holds(bench, &answers).await?;
    answer_is(bench, answers.first(), Class::NotFound)?;
    answer_is(bench, answers.last(), Class::NotFound)?;
    all_deleted(answers.get(2..3).unwrap_or_default())?;
    let target = bench.testbed.target(group).await;
    ensure!(target + 1 == start, "one of four lived: the target was {start} and is {target}");
    bench.testbed.settle().await;
    ensure!(bench.lives(&rest).await, "{rest} was not named, and is gone");
    bench.agrees(&*bench.provider).await.map(drop)
}
