//! Names that come again: a machine is not the Node that an earlier one of its name left behind.

use plimsoll_control::fault::Faults;

use crate::stage::{Stage, of};

/// One pod of three cores fills a machine.
const ONE_GROUP: &str = "
name: simulated
groups:
- {id: pool, max: 20, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 20s, deletion: 20s}
";

#[tokio::test(start_paused = true)]
async fn after_a_restart_one_pod_is_one_order_though_machines_take_the_names_of_dead_nodes() {
    let mut stage = Stage::with(ONE_GROUP).await;
    stage.deploy("web", 5, "3");
    stage.until("five pods run", |stage| stage.running("web") == 5).await;
    assert_eq!(stage.bought(), of("pool", 5));
    stage.pass(60).await;
    stage.stop().await;
    // The simulated infrastructure lives in the process: a new one of the same seed names its machines as the old one did, whose
    // Nodes are there, and Ready until the cluster misses them.
    stage.replace_cloud(ONE_GROUP);
    stage.start(Faults::default());
    stage.scale("web", 6);
    stage.until("something is ordered", |stage| stage.machines() > 0).await;
    for _ in 0..30 {
        stage.pass(1).await;
        assert_eq!(stage.bought(), of("pool", 1), "one order for the one pod");
    }
    // The other nodes are dead, and their pods need machines as well: one each, and never more.
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.pass(1200).await;
    assert!(stage.bought()["pool"] <= 6, "{:?}", stage.bought());
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_took_over_an_old_node_is_kept_with_its_pods() {
    let mut stage = Stage::with(ONE_GROUP).await;
    stage.deploy("web", 1, "3");
    stage.until("the pod runs", |stage| stage.running("web") == 1).await;
    stage.stop().await;
    stage.replace_cloud(ONE_GROUP);
    stage.start(Faults::default());
    stage.scale("web", 2);
    stage.until("a machine is ordered", |stage| stage.machines() == 1).await;
    let name = stage.node_names().pop().unwrap();
    stage.until("its kubelet has the old Node", |stage| stage.running("web") >= 1).await;
    // It registers before the cluster has missed the machine of that name, and its Node is never anything but Ready.
    stage.pass(3600).await;
    assert!(stage.node_names().contains(&name), "{:?}", stage.nodes());
    assert_eq!(stage.running("web"), 2);
    assert!(stage.is_all_open());
}
