//! Failures of the service: told by class and in words, without secrets, and over when they are over.

use super::{
    Knob, Role,
    bench::{
        Bench, Verdict, all_deleted, delete, ensure, fails, place, place_persistently, unexpected,
    },
    orders::SLOW,
};
use crate::{Class, Error};

super::topic! { "failures";
    service_that_is_away_is_retry:
        "When the service cannot be reached every call fails as Retry; above all, refresh does not say that nothing is there.",
    service_that_came_back_is_used:
        "After an outage the same provider works again, without being made anew.",
    orders_during_an_outage_buy_nothing:
        "A call that failed because the service was away has no effect later.",
    refused_credentials_are_auth:
        "Credentials that are refused are Auth for every call, so that a person is told and nothing is tried for ever.",
    overloaded_service_is_retry:
        "A service that is overloaded or broken for a moment is Retry for every call.",
    quota_answer_is_quota:
        "An order that the service refuses for a quota is Quota: the group rests, others are tried.",
    failed_deletion_is_not_told_as_done:
        "A deletion that failed is an error for the call or for the machine, and may be repeated.",
    failed_lowering_may_be_repeated:
        "A lowering that failed may be repeated, and is then answered with what is so.",
    slow_service_is_served:
        "Calls to a slow service succeed when they are given the time.",
    errors_are_told_in_words:
        "Every error says what happened in at least a word, on one line.",
    errors_contain_no_secret:
        "Neither an error nor the provider's Debug output shows a token or key, whatever the service sends back.",
}

/// Every call that reaches the service, named, with its error if it has one.
async fn errors(bench: &Bench) -> Verdict<Vec<(&'static str, Option<Error>)>> {
    let group = bench.group(Role::Plain)?;
    let machines = bench.staying(group).await;
    let go: Vec<_> = machines.into_iter().map(|machine| machine.id).take(1).collect();
    let order = bench.order(group, 1).await?;
    let deletion = bench
        .provider
        .delete(group, &go)
        .await
        .and_then(|answers| answers.into_iter().next().map_or(Ok(()), |answer| answer.outcome));
    Ok(vec![
        ("refresh", bench.provider.refresh().await.err()),
        ("increase", bench.provider.increase(&order).await.err()),
        ("lower_target", bench.provider.lower_target(group, 0).await.err()),
        ("delete", deletion.err()),
    ])
}

/// With every request failing, every call has to fail with this class.
async fn all_fail(bench: &Bench, class: Class) -> Verdict {
    for (call, error) in errors(bench).await? {
        fails(&format!("{call} while the service fails"), class, error.map_or(Ok(()), Err))?;
    }
    Ok(())
}

/// More requests than any check sends.
pub(super) const MANY: u32 = 10_000;

async fn service_that_is_away_is_retry(bench: &Bench) -> Verdict {
    bench.running(bench.group(Role::Plain)?, 2).await?;
    bench.agrees(&*bench.provider).await?;
    bench.turn(Knob::Down).await?;
    all_fail(bench, Class::Retry).await
}

async fn service_that_came_back_is_used(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 3).await?.into_iter().take(1).collect();
    let start = bench.settled(group).await;
    bench.agrees(&*bench.provider).await?;
    bench.turn(Knob::Down).await?;
    let answer = bench.provider.refresh().await;
    fails("refresh while the service is away", Class::Retry, answer)?;
    bench.turn(Knob::Up).await?;
    bench.agrees(&*bench.provider).await?;
    place(&*bench.provider, &bench.order(group, 2).await?).await?;
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    bench.expect(group, start, 1, "after an outage 2 were ordered and 1 deleted").await
}

async fn orders_during_an_outage_buy_nothing(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    let start = bench.settled(group).await;
    bench.turn(Knob::Down).await?;
    errors(bench).await?;
    bench.turn(Knob::Up).await?;
    bench.expect(group, start, 0, "after calls while the service was away").await?;
    bench.agrees(&*bench.provider).await.map(drop)
}

async fn refused_credentials_are_auth(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    let start = bench.settled(group).await;
    bench.turn(Knob::Fail { after: 0, requests: MANY, class: Class::Auth }).await?;
    all_fail(bench, Class::Auth).await?;
    bench.expect(group, start, 0, "after calls with refused credentials").await
}

async fn overloaded_service_is_retry(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    let start = bench.settled(group).await;
    bench.turn(Knob::Fail { after: 0, requests: MANY, class: Class::Retry }).await?;
    all_fail(bench, Class::Retry).await?;
    bench.expect(group, start, 0, "after calls to an overloaded service").await
}

async fn quota_answer_is_quota(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let start = bench.settled(group).await;
    bench.turn(Knob::Fail { after: 0, requests: MANY, class: Class::Quota }).await?;
    let order = bench.order(group, 1).await?;
    let answer = bench.provider.increase(&order).await;
    fails("an order that is refused for a quota", Class::Quota, answer)?;
    bench.expect(group, start, 0, "after an order that was refused for a quota").await
}

async fn failed_deletion_is_not_told_as_done(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 4).await?.into_iter().take(3).collect();
    let start = bench.settled(group).await;
    for after in 0..4 {
        bench.turn(Knob::Fail { after, requests: 1, class: Class::Retry }).await?;
        let Ok(answers) = bench.provider.delete(group, &go).await else { continue };
        for answer in answers {
            let lives = bench.lives(&answer.instance).await;
            let id = answer.instance;
            match answer.outcome.map_err(|error| error.class()) {
                Ok(()) => ensure!(!lives, "{id} was told to be on its way out, and lives"),
                Err(Class::NotFound) => ensure!(!lives, "{id} was told to be gone, and lives"),
                Err(_) => {}
            }
        }
    }
    bench.turn(Knob::Fail { after: 0, requests: 0, class: Class::Retry }).await?;
    delete(&*bench.provider, group, &go).await?;
    bench.expect(group, start, -3, "a deletion of 3 failed and was repeated").await
}

async fn failed_lowering_may_be_repeated(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    bench.turn(Knob::Fail { after: 0, requests: MANY, class: Class::Retry }).await?;
    let answer = bench.provider.lower_target(group, 0).await;
    fails("lowering while the service fails", Class::Retry, answer)?;
    bench.turn(Knob::Fail { after: 0, requests: 0, class: Class::Retry }).await?;
    let told = bench.provider.lower_target(group, 0).await;
    let told = told.map_err(|error| unexpected("lowering again", &error))?;
    let truth = bench.testbed.target(group).await;
    ensure!(told == truth, "lowering was answered with {told}, the target is {truth}");
    Ok(())
}

async fn slow_service_is_served(bench: &Bench) -> Verdict {
    let group = bench.group(Role::Plain)?;
    let go: Vec<_> = bench.running(group, 2).await?.into_iter().take(1).collect();
    let start = bench.settled(group).await;
    bench.turn(Knob::Slow(SLOW)).await?;
    place_persistently(&*bench.provider, &bench.order(group, 2).await?).await?;
    all_deleted(&delete(&*bench.provider, group, &go).await?)?;
    bench.expect(group, start, 1, "a slow service was asked for 2 and to delete 1").await
}

/// Errors of every kind that the knobs can bring about.
async fn all_errors(bench: &Bench) -> Verdict<Vec<Error>> {
    let group = bench.group(Role::Plain)?;
    bench.running(group, 2).await?;
    let mut found = Vec::new();
    for class in [Class::Auth, Class::Retry, Class::Quota] {
        let knob = Knob::Fail { after: 0, requests: MANY, class };
        if bench.testbed.turn(knob).await.is_ok() {
            found.extend(errors(bench).await?.into_iter().filter_map(|(_, error)| error));
            bench.turn(Knob::Fail { after: 0, requests: 0, class }).await?;
        }
    }
    if bench.testbed.turn(Knob::Truncate { after: 0 }).await.is_ok() {
        found.extend(bench.provider.refresh().await.err());
    }
    if bench.testbed.turn(Knob::Stock { group, machines: 0 }).await.is_ok() {
        found.extend(bench.provider.increase(&bench.order(group, 1).await?).await.err());
    }
    for count in [0, u32::MAX] {
        found.extend(bench.provider.increase(&bench.order(group, count).await?).await.err());
    }
    let nowhere = plimsoll_model::Symbol::new("no-such-group");
    found.extend(bench.provider.increase(&bench.order(nowhere, 1).await?).await.err());
    found.extend(bench.provider.lower_target(nowhere, 1).await.err());
    let unknown = bench.testbed.unknown_machine();
    if let Ok(answers) = bench.provider.delete(group, &[unknown]).await {
        found.extend(answers.into_iter().filter_map(|answer| answer.outcome.err()));
    }
    if bench.testbed.turn(Knob::Down).await.is_ok() {
        found.extend(errors(bench).await?.into_iter().filter_map(|(_, error)| error));
    }
    ensure!(!found.is_empty(), "whatever was done to the service, no call failed");
    Ok(found)
}

async fn errors_are_told_in_words(bench: &Bench) -> Verdict {
    for error in all_errors(bench).await? {
        let message = error.to_string();
        ensure!(!message.trim().is_empty(), "an error of class {} says nothing", error.class());
        ensure!(!message.contains('\n'), "this error has more than one line: {message}");
    }
    Ok(())
}

async fn errors_contain_no_secret(bench: &Bench) -> Verdict {
    let secrets = bench.testbed.secrets();
    if secrets.is_empty() {
        let missing = "the testbed names no secrets".to_owned();
        return Err(super::bench::Finding::NotApplicable(missing));
    }
    let mut said = vec![format!("{:?}", bench.provider)];
    for error in all_errors(bench).await? {
        said.extend([error.to_string(), format!("{error:?}")]);
    }
    said.push(format!("{:?}", bench.provider));
    for text in said {
        // Not quoted: this message must not show it either.
        let leaks = secrets.iter().any(|secret| text.contains(&**secret));
        ensure!(!leaks, "a secret stands in: {}", redact(&text, &secrets));
    }
    Ok(())
}

fn redact(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(&**secret, "(secret)"))
}
