//! Machines that end by themselves, and nodes that only seem to have lost theirs.

use plimsoll_providers::slicer::emulator::Reach;

use super::stage::{INI, Stage};

/// Machines whose host keeps nothing of them once their guest has ended.
fn ephemeral() -> String {
    INI.replace("max-size = 20", "max-size = 20\npersistent = false")
}

/// A cluster with three pods on the only machine, and the node that it became.
async fn three_pods(ini: &str) -> (Stage, String) {
    let stage = Stage::with(ini).await;
    stage.deploy("web", 3);
    stage.until("three pods run", |stage| stage.running() == 3).await;
    assert_eq!(stage.machines(), 1);
    let node = stage.nodes().pop().unwrap();
    (stage, node)
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_ends_by_itself_is_noticed_its_node_removed_and_replaced_if_pods_wait() {
    let (stage, node) = three_pods(&ephemeral()).await;
    assert!(stage.host.end("api-1"));
    assert_eq!(stage.machines(), 0);
    stage.until("its node is removed", |stage| !stage.nodes().contains(&node)).await;
    stage.until("three pods run again", |stage| stage.running() == 3).await;
    assert_eq!((stage.machines(), stage.nodes().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_ends_by_itself_is_not_replaced_if_nobody_waits() {
    let (stage, _) = three_pods(&ephemeral()).await;
    stage.scale("web", 0);
    stage.until("no pod runs", |stage| stage.running() == 0).await;
    assert!(stage.host.end("api-1"));
    stage.until("its node is removed", |stage| stage.nodes().is_empty()).await;
    stage.pass(600).await;
    assert_eq!((stage.machines(), stage.nodes().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_its_host_keeps_when_it_has_ended_is_deleted_with_its_node() {
    let (stage, node) = three_pods(INI).await;
    assert!(stage.host.end("api-1"));
    assert_eq!(stage.machines(), 1, "it is stopped");
    stage.until("another is bought", |stage| stage.machines() == 2).await;
    stage.until("three pods run on it", |stage| stage.running() == 3).await;
    // Its pods never end, for nobody is there to end them.
    stage.until("its node is removed", |stage| !stage.nodes().contains(&node)).await;
    assert_eq!((stage.machines(), stage.running(), stage.nodes().len()), (1, 3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_was_left_before_the_loop_started_is_removed() {
    let (mut stage, node) = three_pods(&ephemeral()).await;
    assert!(stage.host.end("api-1"));
    // The one that saw the machine end is gone as well, with all that it had not written down.
    stage.restart().await;
    stage.until("its node is removed", |stage| !stage.nodes().contains(&node)).await;
    stage.until("three pods run again", |stage| stage.running() == 3).await;
}

#[tokio::test(start_paused = true)]
async fn neither_an_outage_nor_a_restart_removes_a_node_that_is_cut_off() {
    let (mut stage, node) = three_pods(&ephemeral()).await;
    stage.host.set_reach(Reach::Down);
    stage.cut_off(&node);
    // Twenty minutes after this it may be given back for being unready, which is another matter.
    stage.pass(300).await;
    assert!(stage.nodes().contains(&node), "the host is away, which says nothing of its machines");
    stage.restart().await;
    stage.pass(300).await;
    assert!(stage.nodes().contains(&node), "whoever has not looked does not know");
    stage.host.set_reach(Reach::Up);
    stage.pass(180).await;
    assert!(stage.nodes().contains(&node), "its machine is there, whatever the node reports");
    // What the host tells is cut short again and again: that is no list without the machine.
    for _ in 0..20 {
        stage.host.cut_list(0);
        stage.pass(10).await;
    }
    assert!(stage.nodes().contains(&node));
}
