//! The taint of a whole group: pods are steered away from it, and back again.

use serde_json::Value;

use super::{Stage, group};
use crate::stage::text;

/// How many nodes of the cluster carry the group's taint.
fn tainted(stage: &Stage) -> usize {
    let is_it = |taint: &Value| {
        let pair = (text(taint, "/key"), text(taint, "/value"));
        pair == ("stackpoint.io/node_group".to_owned(), group().to_string())
            && text(taint, "/effect") == "PreferNoSchedule"
    };
    let has = |node: &Value| {
        let taints = node.pointer("/spec/taints").and_then(Value::as_array);
        taints.is_some_and(|taints| taints.iter().any(is_it))
    };
    stage.ground.list("nodes").iter().filter(|node| has(node)).count()
}

#[tokio::test(start_paused = true)]
async fn a_group_that_is_too_large_is_tainted_as_a_whole_until_it_is_not() {
    let mut stage = Stage::with("taint-groups: when-too-large\n").await;
    stage.deploy("web", 6);
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.pass(120).await;
    assert_eq!((stage.machines().len(), stage.nodes().len(), tainted(&stage)), (3, 5, 0));
    stage.emulator.set_bounds(group(), 0, 2);
    stage.until("the nodes of the group are tainted", |stage| tainted(stage) == 3).await;
    assert_eq!(stage.running("web"), 6, "nobody has to leave");
    // Whoever goes on after a restart knows whose taints they are.
    stage.kill().await;
    stage.emulator.set_bounds(group(), 0, 12);
    stage.start();
    stage.until("pods may come again", |stage| tainted(stage) == 0).await;
    stage.assert_others_untouched();
}

#[tokio::test(start_paused = true)]
async fn a_group_that_the_user_wants_avoided_is_tainted_and_others_are_not() {
    let stage = Stage::with("avoid-groups: [general]\n").await;
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    stage.until("the new node is tainted", |stage| tainted(stage) == 1).await;
    stage.pass(120).await;
    assert_eq!((stage.nodes().len(), tainted(&stage)), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn without_the_option_no_taint_is_touched() {
    let stage = Stage::new().await;
    stage.deploy("web", 6);
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.emulator.set_bounds(group(), 0, 1);
    stage.pass(300).await;
    assert_eq!(tainted(&stage), 0);
}
