//! Configuration that changes under open orders.

use crate::slicer::stage::{INI, Stage};

#[tokio::test(start_paused = true)]
async fn a_group_that_is_taken_out_of_the_file_forgets_no_machine() {
    let stage = Stage::new().await;
    stage.deploy("web", 3);
    stage.until("three pods run", |stage| stage.running() == 3).await;
    stage.pass(300).await;
    // Somebody asks for a delay, so that there is time between the taint and the deletion.
    let node = stage.nodes().remove(0);
    stage.ground.modify("nodes", "", &node, |node| {
        let key = "delay-deletion.cluster-autoscaler.kubernetes.io/backup";
        node["metadata"]["annotations"][key] = "true".into();
    });
    stage.scale("web", 0);
    stage.until("the node is tainted", Stage::is_tainted).await;
    stage.write(&INI.replace(r#"[nodegroup "api"]"#, r#"[nodegroup "spare"]"#));
    stage.pass(480).await;
    // Nobody says of the machine that it is gone, and it is not: the node is given back to whoever has the group now.
    assert_eq!((stage.machines(), stage.nodes().len()), (1, 1), "{:?}", stage.orders());
    assert!(!stage.is_tainted());
    let orders = stage.orders();
    assert!(orders.iter().any(|order| order.starts_with("Retire Released")), "{orders:?}");
}
