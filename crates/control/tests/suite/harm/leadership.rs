//! Leadership that was lost without the loop noticing.

use crate::{
    outages::Replica,
    stage::{Stage, TWO_GROUPS},
};

/// A replica that leads and is then stopped like a process by `SIGSTOP`: nobody renews its Lease, and when it goes on nobody has told
/// its loop. Another one leads by then, whose own loop is not there to act.
async fn two_leaders(stage: &Stage) -> (Replica, Replica) {
    let one = Replica::start(stage, "one");
    stage.until("one leads", |_| one.leads()).await;
    let two = Replica::start(stage, "two");
    one.election.abort();
    stage.until("two leads", |_| two.leads()).await;
    assert!(one.leads(), "it has not been told");
    two.running.task.abort();
    (one, two)
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_was_paused_orders_nothing() {
    let stage = Stage::set(TWO_GROUPS).await;
    let (one, _two) = two_leaders(&stage).await;
    stage.deploy("web", 3, "1");
    stage.pass(300).await;
    let pass = one.running.handle.passes().borrow().clone().unwrap();
    let tries = !pass.plan.purchases.is_empty() || !pass.orders.is_empty();
    assert!(tries, "it would if it could");
    assert_eq!((stage.machines(), stage.orders()), (0, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_was_paused_removes_nothing() {
    let mut stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.stop().await;
    let (one, _two) = two_leaders(&stage).await;
    stage.scale("web", 0);
    stage.pass(1800).await;
    let pass = one.running.handle.passes().borrow().clone().unwrap();
    assert!(!pass.retirements.is_empty(), "it would if it could");
    assert_eq!((stage.machines(), stage.node_names().len()), (1, 1));
    assert!(stage.is_all_open(), "{:?}", stage.nodes());
}
