//! Machines that are not this cluster's, on a host that this cluster uses.

use serde_json::{Value, json};

use crate::slicer::stage::Stage;

/// A Node that says that it is this machine of the host group `api`.
fn node_of(name: &str, hostname: &str, provider_id: &str) -> Value {
    json!({
        "metadata": {
            "name": name,
            "labels": { "slicer/hostgroup": "api", "slicer/hostname": hostname },
        },
        "spec": { "providerID": provider_id },
        "status": { "capacity": { "cpu": "4", "memory": "16Gi", "pods": "110" } },
    })
}

/// The names of the host's machines.
fn machines(stage: &Stage) -> Vec<String> {
    stage.host.machines().into_iter().map(|machine| machine.hostname.into_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_hand_made_vm_is_not_deleted_after_a_node_carried_its_labels_for_a_while() {
    for provider_id in ["k3s://guest", "slicer://api/api-1"] {
        let stage = Stage::new().await;
        let by_hand = stage.host.add("api", &[], "").unwrap();
        assert_eq!(&*by_hand, "api-1");
        stage.ground.kubelets().add(node_of("guest", &by_hand, provider_id));
        // Empty, and of no group: neither the node nor the machine is anybody's to remove.
        stage.pass(1_800).await;
        assert_eq!(
            (machines(&stage), stage.nodes()),
            (vec!["api-1".to_owned()], vec!["guest".to_owned()])
        );
        stage.cut_off("guest");
        stage.ground.delete("nodes", "", "guest");
        stage.pass(7_200).await;
        assert_eq!(machines(&stage), ["api-1"], "{provider_id}");
        // The loop is at work all the same.
        stage.deploy("web", 3);
        stage.until("three pods run", |stage| stage.running() == 3).await;
        assert_eq!(machines(&stage), ["api-1", "api-2"], "{provider_id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_is_pointed_at_another_cluster_deletes_and_makes_no_machine() {
    let mut stage = Stage::new().await;
    stage.deploy("web", 7);
    stage.until("seven pods run", |stage| stage.running() == 7).await;
    let before = machines(&stage);
    assert_eq!(before.len(), 2);
    stage.stop().await;

    let mut other = stage.beside().await;
    other.deploy("web", 20);
    other.pass(7_200).await;
    assert_eq!((machines(&other), other.running()), (before.clone(), 0));
    // A restart believes nothing else.
    other.restart().await;
    other.pass(7_200).await;
    assert_eq!(machines(&other), before);
    other.stop().await;

    stage.restart().await;
    stage.pass(600).await;
    assert_eq!((machines(&stage), stage.running()), (before, 7));
}
