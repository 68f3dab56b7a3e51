//! Connections that freeze without an error: half-open TCP, a proxy that forwards nothing any more.

use plimsoll_control::engine::HeldBack;

use crate::{
    gate::{NewWatches, State},
    stage::{Stage, TWO_GROUPS, of},
};

/// One node on which nothing has run for a minute. After another minute it would be removed.
async fn an_idle_node() -> Stage {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(300).await;
    stage.scale("web", 0);
    stage.until("nothing runs", |stage| stage.list("pods").is_empty()).await;
    stage.pass(45).await;
    assert_eq!((stage.machines(), stage.is_all_open()), (1, true));
    stage
}

fn is_stale(stage: &Stage) -> bool {
    matches!(stage.last_pass().held_back, Some(HeldBack::Stale(_)))
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_starts_while_watches_are_frozen_keeps_its_machine() {
    for new_watches in [NewWatches::Hang, NewWatches::AreMute] {
        let stage = an_idle_node().await;
        stage.gate.set(State::Frozen(new_watches));
        stage.deploy("late", 3, "1");
        // What is known is 30 seconds old at most, and a pass is made every ten.
        stage.pass(45).await;
        assert!(is_stale(&stage), "{new_watches:?}: {:?}", stage.last_pass().held_back);
        assert!(!stage.handle().is_warm(stage.own_clock.now()), "{new_watches:?}");
        stage.until("late pods run", |stage| stage.running("late") == 3).await;
        stage.pass(900).await;
        assert!(is_stale(&stage), "{new_watches:?}: {:?}", stage.last_pass().held_back);
        assert_eq!((stage.machines(), stage.running("late")), (1, 3), "{new_watches:?}");
        assert!(stage.is_all_open(), "{new_watches:?}: {:?}", stage.nodes());

        stage.gate.set(State::Open);
        stage.until("it goes on", |stage| stage.last_pass().held_back.is_none()).await;
        assert!(stage.handle().is_warm(stage.own_clock.now()), "{new_watches:?}");
        stage.pass(300).await;
        assert_eq!((stage.machines(), stage.running("late")), (1, 3), "{new_watches:?}");
        stage.scale("late", 0);
        stage.until("the machine is deleted", |stage| stage.machines() == 0).await;
        assert_eq!(stage.bought(), of("cheap", 1), "{new_watches:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cluster_in_which_nothing_happens_is_never_taken_for_one_that_is_not_heard_of() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    let mut passes = stage.handle().each_pass();
    for _ in 0..60 {
        stage.pass(60).await;
        while let Ok(pass) = passes.try_recv() {
            assert_eq!(pass.held_back, None);
        }
        assert!(stage.handle().is_warm(stage.own_clock.now()));
    }
}
