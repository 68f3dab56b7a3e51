//! Pods that have no place get nodes.

use plimsoll_model::Symbol;

use crate::stage::{Stage, TWO_GROUPS, of};

#[tokio::test(start_paused = true)]
async fn from_nothing() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 6, "1");
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    assert_eq!(stage.bought(), of("cheap", 2));
    stage.until("the order is done", |stage| stage.orders() == ["Increase Done"]).await;
    stage.pass(1200).await;
    assert_eq!(stage.orders(), [""; 0], "what is over is removed after a while");
    assert_eq!(stage.bought(), of("cheap", 2), "nothing more is bought later");
}

#[tokio::test(start_paused = true)]
async fn a_burst_is_bought_for_once() {
    let stage = Stage::with(TWO_GROUPS).await;
    for app in ["a", "b", "c", "d", "e"] {
        stage.deploy(app, 8, "500m");
    }
    stage.pass(2).await;
    stage.deploy("late", 8, "500m");
    let running = |stage: &Stage| ["a", "b", "c", "d", "e", "late"].map(|app| stage.running(app));
    stage.until("all pods run", |stage| running(stage) == [8; 6]).await;
    let bought = stage.bought();
    assert!(bought["cheap"] <= 7, "48 half cores fit on 7 nodes of not quite 4: {bought:?}");
    assert_eq!(bought.len(), 1);
}

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
async fn a_group_that_is_sold_out_is_replaced_by_another_at_once() {
    let stage = Stage::set(TWO_GROUPS).await;
    stage.cloud.set_quota_left(100);
    let mut stage = stage;
    stage.start(plimsoll_control::fault::Faults::default());
    stage.pass(3).await;
    // Behind the back of who has just looked.
    stage.cloud.set_stock(Symbol::new("cheap"), Some(0)).unwrap();
    stage.deploy("web", 3, "1");
    stage.until("something is bought", |stage| stage.machines() == 1).await;
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    assert_eq!(stage.bought(), of("dear", 1));
    let memory = &stage.last_pass().memory;
    assert!(memory.backoff.contains_key(&Symbol::new("cheap")), "{:?}", memory.backoff);
}

#[tokio::test(start_paused = true)]
async fn groups_are_raised_to_their_minimum() {
    let stage = Stage::with(
        "
name: simulated
groups:
- {id: few, min: 2, max: 5, template: {cpu: 4, memory: 16Gi}, boot: 10s, deletion: 5s}
",
    )
    .await;
    stage.until("two nodes are there", |stage| stage.node_names().len() == 2).await;
    stage.pass(600).await;
    assert_eq!(stage.bought(), of("few", 2));
}
