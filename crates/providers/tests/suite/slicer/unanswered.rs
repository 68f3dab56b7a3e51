//! Requests that take long or are not answered: whatever becomes of them, nothing is made twice, and what was is found.

use std::{sync::Arc, time::Duration};

use plimsoll_model::Symbol;
use plimsoll_provider::{Class, Order, Provider as _};
use plimsoll_providers::slicer::Slicer;

use super::stage::{Stage, buy, identity, machines, order, pass, see};

/// Longer than anybody waits for a machine to be made.
const TOO_LONG: Duration = Duration::from_secs(150);

/// Asks for a machine that is made when its caller has stopped waiting.
async fn order_in_vain(stage: &Stage, provider: &Slicer, id: &str, time: Duration) {
    stage.host().set_creation_time(1, time);
    let error = buy(provider, id, "api", 1).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Retry, "Unreachable"), "{error}");
    assert_eq!(stage.host().machines().len(), 0);
}

async fn code(provider: &Slicer, order: &Order) -> String {
    let error = provider.increase(order).await.unwrap_err();
    assert_eq!(error.class(), Class::Retry, "{error}");
    error.code().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_machine_whose_image_is_unpacked_first_is_waited_for() {
    let stage = Stage::usual();
    let provider = stage.provider();
    stage.host().set_creation_time(1, Duration::from_secs(90));
    assert_eq!(provider.increase(&order("o-1", "api", 1)).await, Ok(1));
    assert_eq!(stage.host().machines().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_after_a_timeout_finds_the_machine_by_its_tag() {
    let stage = Stage::usual();
    let provider = stage.provider();
    order_in_vain(&stage, &provider, "o-1", TOO_LONG).await;
    for _ in 0..3 {
        assert_eq!(code(&provider, &order("o-1", "api", 1)).await, "Unsettled");
        assert_eq!(stage.host().machines().len(), 0);
    }
    pass(60).await;
    assert_eq!(provider.increase(&order("o-1", "api", 1)).await, Ok(1));
    pass(600).await;
    assert_eq!(provider.increase(&order("o-1", "api", 1)).await, Ok(1));
    assert_eq!(stage.host().machines().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_in_doubt_of_an_order_is_made() {
    let stage = Stage::usual();
    let provider = stage.provider();
    stage.host().set_creation_time(1, TOO_LONG);
    assert_eq!(code(&provider, &order("o-1", "api", 3)).await, "Unreachable");
    // Two are missing for certain, the third may come.
    assert_eq!(code(&provider, &order("o-1", "api", 3)).await, "Unsettled");
    assert_eq!(stage.host().machines().len(), 2);
    pass(60).await;
    assert_eq!(provider.increase(&order("o-1", "api", 3)).await, Ok(3));
    assert_eq!(stage.host().machines().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_later_order_buys_nothing_that_an_earlier_one_may_still_bring() {
    let stage = Stage::usual();
    let provider = stage.provider();
    order_in_vain(&stage, &provider, "o-1", TOO_LONG).await;
    // Whoever ordered has given up, and decides anew while there is no machine.
    let later = order("o-2", "api", 1);
    assert_eq!(code(&provider, &later).await, "Unsettled");
    pass(60).await;
    assert_eq!(provider.increase(&later).await, Ok(1));
    assert_eq!(provider.increase(&later).await, Ok(1), "asked again it says the same");
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-1"]);
    // An order that was decided with the machine in sight is for another one.
    assert_eq!(provider.increase(&Order { from: 1, ..order("o-3", "api", 1) }).await, Ok(1));
    assert_eq!(stage.host().machines().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_was_in_sight_when_a_later_order_was_decided_is_not_counted_for_it() {
    let stage = Stage::usual();
    let provider = stage.provider();
    order_in_vain(&stage, &provider, "o-1", TOO_LONG).await;
    pass(60).await;
    let later = Order { from: 1, ..order("o-2", "api", 1) };
    assert_eq!(provider.increase(&later).await, Ok(1));
    assert_eq!(stage.host().machines().len(), 2);
}

/// A machine that was made in place of one that appears an hour later, when nobody expects it any more.
async fn made_twice(stage: &Stage, provider: &Slicer) {
    provider.refresh().await.unwrap();
    order_in_vain(stage, provider, "o-1", Duration::from_hours(1)).await;
    pass(200).await;
    assert_eq!(provider.increase(&order("o-1", "api", 1)).await, Ok(1));
    provider.refresh().await.unwrap();
    pass(60).await;
    assert_eq!(stage.nodes.count(), 1);
    for node in stage.nodes.all() {
        provider.owner(&identity(&node)).await.unwrap();
    }
    while stage.host().machines().len() < 2 {
        pass(1).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_surplus_that_appears_later_is_told_and_can_be_deleted() {
    let stage = Stage::usual();
    let provider = stage.provider();
    made_twice(&stage, &provider).await;
    assert_eq!(
        machines(&provider, "api").await,
        ["slicer://api/api-1", "slicer://api/api-2 Surplus"]
    );
    let ids = ["slicer://api/api-2".into()];
    let deleted = provider.delete(Symbol::new("api"), &ids).await.unwrap();
    assert_eq!(deleted[0].outcome, Ok(()));
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-1"]);
}

#[tokio::test(start_paused = true)]
async fn a_surplus_that_may_have_carried_pods_is_left_to_a_drain() {
    let stage = Stage::usual();
    let provider = stage.provider();
    made_twice(&stage, &provider).await;
    let both = ["slicer://api/api-1", "slicer://api/api-2"];
    // A process that has just started knows nothing of the past of either, not even that one lost its node.
    let after = stage.provider();
    assert_eq!(machines(&after, "api").await, both);
    assert_eq!(machines(&after, "api").await, both);
    // And one that has seen a node of each spares both, also when a Node is deleted.
    provider.refresh().await.unwrap();
    pass(60).await;
    for node in stage.nodes.all() {
        provider.owner(&identity(&node)).await.unwrap();
    }
    assert_eq!(machines(&provider, "api").await, both);
}

#[tokio::test(start_paused = true)]
async fn an_order_that_takes_long_is_answered_with_what_it_has() {
    let stage = Stage::usual();
    let provider = stage.provider();
    stage.host().set_latency(Duration::from_secs(4));
    let made = provider.increase(&order("o-1", "api", 8)).await.unwrap();
    assert!((1..8).contains(&made), "{made}");
    assert_eq!(stage.host().machines().len(), usize::try_from(made).unwrap());
    assert_eq!(provider.increase(&order("o-1", "api", 8)).await, Ok(made));
    assert_eq!(see(&provider, "api").await.group.target, made);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_made_for_a_caller_that_gave_up_before_its_turn() {
    let stage = Stage::usual();
    let provider = Arc::new(stage.provider());
    stage.host().set_creation_time(1, Duration::from_mins(1));
    let first = tokio::spawn({
        let provider = Arc::clone(&provider);
        async move { buy(&provider, "o-1", "api", 1).await }
    });
    pass(1).await;
    let second = order("o-2", "api", 1);
    let waited = tokio::time::timeout(Duration::from_secs(30), provider.increase(&second));
    waited.await.unwrap_err();
    first.await.unwrap().unwrap();
    pass(600).await;
    assert_eq!(stage.host().machines().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_machine_is_begun_for_a_caller_that_has_left() {
    let stage = Stage::usual();
    let provider = stage.provider();
    buy(&provider, "o-0", "api", 1).await.unwrap();
    stage.host().set_creation_time(1, Duration::from_mins(1));
    let asked = order("o-1", "api", 3);
    let waited = tokio::time::timeout(Duration::from_secs(30), provider.increase(&asked));
    waited.await.unwrap_err();
    pass(600).await;
    assert_eq!(stage.host().machines().len(), 2, "the one that was begun");
    assert_eq!(provider.increase(&asked).await, Ok(3));
    assert_eq!(stage.host().machines().len(), 4);
}
