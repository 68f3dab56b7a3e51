//! When something is done, and whether at all.

use std::time::Duration;

use plimsoll_providers::simulated::Happening;

use super::{Effect, Time::Paused, Words, check};
use crate::run::tests::stage::Stage;

/// Two pods need a machine of each.
const ONE_OF_EACH: &str = "
name: simulated
groups:
- {id: cheap, max: 1, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
- {id: dear, max: 1, price: 0.50, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
";

pub(super) const TABLE: &[Effect] = &[
    Effect {
        flag: "scan-interval",
        cases: [("10s", "6 passes in a minute"), ("20s", "3 passes in a minute")],
        with: &[],
        look: |words| Box::pin(passes_while_nothing_happens(words)),
        time: Paused,
    },
    Effect {
        flag: "frequent-loops-enabled",
        cases: [("true", "bought after 0 s"), ("false", "bought after 30 s")],
        with: &["--scan-interval=1m"],
        look: |words| Box::pin(from_pod_to_purchase(words)),
        time: Paused,
    },
    Effect {
        flag: "parallel-scale-up",
        cases: [("true", "bought 0 s apart"), ("false", "bought 2 s apart")],
        with: &[],
        look: |words| Box::pin(between_two_purchases(words)),
        time: Paused,
    },
    Effect {
        flag: "dry-run",
        cases: [("false", "bought cheap 1"), ("true", "bought ")],
        with: &[],
        look: |words| Box::pin(what_is_bought(words)),
        time: Paused,
    },
];

#[test]
fn flags_about_the_pace_are_seen_from_outside() {
    check(TABLE);
}

async fn passes_while_nothing_happens(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(125).await;
    let before = stage.metric("plimsoll_pass_number").await;
    stage.pass(60).await;
    format!("{} passes in a minute", stage.metric("plimsoll_pass_number").await - before)
}

/// The pod comes half a minute after a pass.
async fn from_pod_to_purchase(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(30).await;
    let begun = stage.metric("plimsoll_pass_number").await;
    while stage.metric("plimsoll_pass_number").await <= begun {
        stage.pass(1).await;
    }
    stage.pass(30).await;
    stage.deploy("web", 1, "1", |_| {});
    let seconds = stage.until("it is bought for", |stage| !stage.bought().is_empty()).await;
    format!("bought after {} s", (seconds + 2) / 10 * 10)
}

async fn what_is_bought(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.deploy("web", 1, "1", |_| {});
    stage.pass(60).await;
    format!("bought {}", stage.bought())
}

/// Every call takes two seconds.
async fn between_two_purchases(words: Words) -> String {
    let mut stage = Box::pin(Stage::set_with(ONE_OF_EACH, &words)).await;
    stage.cloud().set_latency(Duration::from_secs(2));
    stage.begin();
    stage.deploy("web", 2, "3", |_| {});
    stage.until("both are bought for", |stage| stage.bought() == "cheap 1, dear 1").await;
    let journal = stage.cloud().journal();
    let bought = journal.iter().filter(|entry| matches!(entry.what, Happening::Bought(Some(_))));
    let moments: Vec<_> = bought.map(|entry| entry.at).collect();
    format!("bought {} s apart", moments[1].duration_since(moments[0]).as_secs())
}
