//! Machines that vanish without being asked.

use plimsoll_providers::stackpoint::emulator::Reach;

use super::Stage;

#[tokio::test(start_paused = true)]
async fn a_machine_that_vanishes_leaves_no_node_behind_and_is_replaced_if_pods_wait() {
    let stage = Stage::new().await;
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    let machine = stage.machines().remove(0);
    assert!(stage.emulator.vanish(&machine.instance_id));
    let node = machine.node_name();
    stage.until("its node is removed", |stage| !stage.nodes().contains(&node)).await;
    stage.until("two pods run again", |stage| stage.running("web") == 2).await;
    assert_eq!((stage.machines().len(), stage.nodes().len()), (1, 3));
    stage.assert_others_untouched();
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_not_ready_is_told_from_one_whose_machine_is_gone() {
    let mut stage = Stage::new().await;
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    let node = stage.machines().remove(0).node_name();
    // Its machine runs, and nothing is heard of it.
    stage.ground.kubelets().vanish(&node);
    stage.pass(300).await;
    assert!(stage.nodes().contains(&node));
    // That is all the same whether the service can be asked or not, and whoever asks.
    stage.emulator.set_reach(Reach::Down);
    stage.kill().await;
    stage.start();
    stage.pass(300).await;
    assert!(stage.nodes().contains(&node));
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_is_deleted_behind_the_service_is_replaced_after_the_unready_time() {
    let stage = Stage::new().await;
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    let machine = stage.machines().remove(0);
    let node = machine.node_name();
    // The service lists it as before, and nothing is heard of it any more.
    stage.ground.kubelets().vanish(&node);
    stage.until("its node is removed", |stage| !stage.nodes().contains(&node)).await;
    stage.until("two pods run again", |stage| stage.running("web") == 2).await;
    stage.until("its machine is deleted", |stage| stage.machines().len() == 1).await;
    assert_ne!(stage.machines().remove(0).instance_id, machine.instance_id);
    stage.assert_others_untouched();
}
