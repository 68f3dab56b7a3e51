//! Machines whose nodes are not there: they may run pods all the same.

use crate::{
    slicer::stage::{INI, Stage},
    stackpoint,
};

/// Three pods on a machine that is older than `max-node-provision-time`.
async fn old_machine() -> (Stage, String) {
    let stage = Stage::new().await;
    stage.deploy("web", 3);
    stage.until("three pods run", |stage| stage.running() == 3).await;
    stage.pass(1800).await;
    assert_eq!(stage.machines(), 1);
    let node = stage.nodes().pop().unwrap();
    (stage, node)
}

fn hostnames(stage: &Stage) -> Vec<String> {
    stage.host.machines().into_iter().map(|one| one.hostname.to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_deleted_costs_its_machine_nothing_for_a_while() {
    let (stage, node) = old_machine().await;
    stage.cut_off(&node);
    stage.ground.delete("nodes", "", &node);
    stage.pass(840).await;
    assert!(hostnames(&stage).contains(&"api-1".to_owned()), "{:?}", hostnames(&stage));
    // When it has had its time it is replaced: there was one node, and it went before our eyes.
    stage.until("it is replaced", |stage| !hostnames(stage).contains(&"api-1".to_owned())).await;
    stage.until("three pods run", |stage| stage.running() == 3).await;
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_deleted_is_replaced_when_its_pods_are_pending() {
    let (stage, node) = old_machine().await;
    stage.cut_off(&node);
    stage.ground.delete("nodes", "", &node);
    stage.until("three pods run", |stage| stage.running() == 3 && !stage.nodes().is_empty()).await;
    assert_eq!(hostnames(&stage), ["api-1", "api-2"], "the first one has time left");
    stage.until("the first one is gone", |stage| stage.machines() == 1).await;
    stage.pass(1800).await;
    assert_eq!((stage.machines(), stage.running()), (1, 3), "it was ordered once");
}

#[tokio::test(start_paused = true)]
async fn the_same_holds_for_a_node_of_stackpoint() {
    let stage = stackpoint::Stage::new().await;
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    let machine = stage.machines().remove(0);
    let node = machine.node_name();
    // Its kubelet runs on, and does not register again unless it is restarted.
    stage.ground.kubelets().vanish(&node);
    stage.ground.delete("nodes", "", &node);
    let others = stage.nodes().len();
    stage.until("there is another one", |stage| stage.nodes().len() > others).await;
    stage.until("two pods run again", |stage| stage.running("web") == 2).await;
    let is_kept = |stage: &stackpoint::Stage| {
        stage.machines().iter().any(|one| one.instance_id == machine.instance_id)
    };
    assert!(is_kept(&stage), "the first one has time left");
    stage.until("the first one is gone", |stage| !is_kept(stage)).await;
    assert_eq!(stage.machines().len(), 1);
    stage.assert_others_untouched();
}

#[tokio::test(start_paused = true)]
async fn a_node_of_the_minimum_that_is_deleted_is_replaced_within_two_passes() {
    let stage =
        Stage::with(&INI.replace("[nodegroup \"api\"]", "[nodegroup \"api\"]\nmin-size = 3")).await;
    stage.until("three nodes", |stage| stage.nodes().len() == 3).await;
    stage.pass(1800).await;
    let node = stage.nodes().pop().unwrap();
    stage.cut_off(&node);
    stage.ground.delete("nodes", "", &node);
    stage.pass(21).await;
    assert_eq!(stage.machines(), 4, "another one is ordered");
    stage.until("three nodes", |stage| stage.nodes().len() == 3).await;
    stage.until("the first one is gone", |stage| stage.machines() == 3).await;
    stage.pass(1800).await;
    assert_eq!((stage.machines(), stage.nodes().len()), (3, 3));
}

#[tokio::test(start_paused = true)]
async fn an_empty_cluster_deletes_no_machine_and_says_so() {
    let (mut stage, _) = old_machine().await;
    stage.scale("web", 11);
    stage.until("eleven pods run", |stage| stage.running() == 11).await;
    let machines = stage.machines();
    assert!(machines >= 3, "{machines}");
    stage.move_to_an_empty_cluster().await;
    stage.pass(6 * 3600).await;
    assert_eq!(stage.machines(), machines);
    let contradiction = stage.last_pass().plan.contradiction.unwrap();
    let expected = u32::try_from(machines).unwrap();
    assert_eq!((contradiction.machines, contradiction.without_node), (expected, expected));
}
