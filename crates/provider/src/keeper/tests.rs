use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_net::{Clock, Shutdown};
use tokio::sync::Notify;

use super::Keeper;
use crate::{
    Error,
    scripted::{Act, Scripted},
};

const EVERY: Duration = Duration::from_secs(10);

/// A keeper that runs, and its clock.
fn keep(service: &Arc<Scripted>) -> (Arc<Keeper>, Clock) {
    let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
    let keeper = Arc::new(Keeper::new(service.clone(), clock));
    let running = keeper.clone();
    tokio::spawn(async move { running.run(EVERY, &Shutdown::new()).await });
    (keeper, clock)
}

#[tokio::test(start_paused = true)]
async fn what_is_known_is_never_older_than_the_interval() {
    let service = Scripted::new("s", &["a"]);
    let (keeper, clock) = keep(&service);
    assert!(keeper.latest().inventory.is_none());
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(3_700)).await;
        let age = clock.now().duration_since(keeper.latest().as_of.unwrap());
        assert!(age.as_secs() <= 10, "{age:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_keeps_what_was_seen_with_its_age_and_the_reason() {
    let service = Scripted::new("s", &["a"]);
    let (keeper, _) = keep(&service);
    tokio::time::sleep(Duration::from_secs(1)).await;
    service.fail(6, &Error::retry("gone fishing"));
    tokio::time::sleep(Duration::from_secs(58)).await;

    let kept = keeper.latest();
    assert_eq!(kept.inventory.unwrap().groups.len(), 1);
    assert_eq!(kept.as_of, Some(Timestamp::UNIX_EPOCH));
    let (since, error) = kept.failing.unwrap();
    assert_eq!((since.as_second(), error.to_string().as_str()), (10, "gone fishing"));

    tokio::time::sleep(Duration::from_secs(12)).await;
    let kept = keeper.latest();
    assert!(kept.failing.is_none());
    assert_eq!(kept.as_of.map(Timestamp::as_second), Some(70));
}

#[tokio::test(start_paused = true)]
async fn a_nudge_is_answered_by_a_refresh_that_begins_after_it() {
    let service = Scripted::new("s", &["a"]);
    let (keeper, _) = keep(&service);
    tokio::time::sleep(Duration::from_secs(1)).await;

    // One refresh is under way, has looked already and is slow to answer.
    let gate = Arc::new(Notify::new());
    service.then(Act::Wait(gate.clone()));
    keeper.nudge();
    tokio::time::sleep(Duration::from_secs(1)).await;
    service.calls();
    let ticket = keeper.nudge();
    gate.notify_one();
    let kept = keeper.wait(ticket).await;
    assert_eq!(service.calls(), ["refresh"]);
    assert_eq!(kept.as_of.map(Timestamp::as_second), Some(2));
}
