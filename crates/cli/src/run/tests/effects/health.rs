//! When the autoscaler counts as ill.

use super::{Effect, Time::Paused, Words, check};
use crate::run::tests::stage::{Stage, gate::State};

pub(super) const TABLE: &[Effect] = &[
    Effect {
        flag: "max-inactivity",
        cases: [("10m", "ill after 10 min"), ("30m", "ill after 30 min")],
        with: &["--scan-interval=5h", "--max-failing-time=4h"],
        look: |words| Box::pin(nothing_calls_for_a_pass(words)),
        time: Paused,
    },
    Effect {
        flag: "max-failing-time",
        cases: [("15m", "ill after 15 min"), ("5m", "ill after 5 min")],
        with: &["--leader-elect=false"],
        look: |words| Box::pin(the_cluster_is_away(words)),
        time: Paused,
    },
    Effect {
        flag: "max-startup-time",
        cases: [("20m", "ill after 20 min"), ("40m", "ill after 40 min")],
        with: &["--leader-elect=false"],
        look: |words| Box::pin(the_cluster_was_never_there(words)),
        time: Paused,
    },
];

#[test]
fn flags_about_health_are_seen_from_outside() {
    check(TABLE);
}

async fn nothing_calls_for_a_pass(words: Words) -> String {
    illness(&Stage::begun(&words).await).await
}

async fn the_cluster_is_away(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(30).await;
    stage.gate.set(State::Closed);
    illness(&stage).await
}

async fn the_cluster_was_never_there(words: Words) -> String {
    let mut stage = Stage::set(&words).await;
    stage.gate.set(State::Closed);
    stage.begin();
    illness(&stage).await
}

/// How long it still counts as well.
async fn illness(stage: &Stage) -> String {
    let begun = stage.clock.now();
    while stage.get("/health-check").await.0 == 200 {
        stage.pass(10).await;
    }
    format!("ill after {} min", stage.clock.now().duration_since(begun).as_mins())
}
