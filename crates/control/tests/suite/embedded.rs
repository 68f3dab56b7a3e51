//! What only the embedded cluster can be made to do, or to do in time: it can forget its history at will, and it is never slower than
//! the clock that it is measured by.

use crate::{
    gate::State,
    stage::{Stage, TWO_GROUPS},
};

#[tokio::test(start_paused = true)]
async fn the_first_call_comes_within_a_second() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.pass(3).await;
    stage.deploy("web", 1, "1");
    stage.until("the pod is there", |stage| !stage.list("pods").is_empty()).await;
    let seen = stage.clock.now();
    stage.until("something is bought", |stage| stage.machines() == 1).await;
    let waited = stage.clock.now().duration_since(seen);
    assert!(waited.as_millis() <= 500, "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_breaks_misses_nothing_even_when_its_version_is_gone() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    for round in 1..=3 {
        stage.gate.set(State::Refusing);
        stage.scale("web", 3 + 3 * round);
        stage.pass(1).await;
        let api = stage.ground.cluster.api();
        api.compact(api.revision());
        stage.gate.set(State::Open);
        let wanted = usize::try_from(3 + 3 * round).unwrap();
        stage.until("all pods run", |stage| stage.running("web") == wanted).await;
    }
    // Quiet kinds are heard of as well: nothing is held back long after.
    stage.pass(300).await;
    assert_eq!(stage.last_pass().held_back, None);
    stage.scale("web", 0);
    stage.until("all nodes are gone", |stage| stage.node_names().is_empty()).await;
}
