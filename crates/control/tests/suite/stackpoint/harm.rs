//! What must never happen where nodes are joined to machines by their labels and addresses.

use serde_json::{Value, json};

use super::Stage;

#[tokio::test(start_paused = true)]
async fn a_node_with_other_addresses_than_its_machine_keeps_it() {
    let stage = Stage::new().await;
    stage.deploy("web", 2);
    stage.until("two pods run", |stage| stage.running("web") == 2).await;
    let machine = stage.machines().remove(0);
    let node = machine.node_name();
    // Behind a second network: label and kubelet are the machine's, and the addresses are none that the service knows.
    let move_away = |object: &mut Value| {
        object["status"]["addresses"] = json!([{ "type": "InternalIP", "address": "203.0.113.7" }]);
    };
    stage.ground.modify_status("nodes", "", &node, move_away);
    // The machine counts as one without a node from here on, for longer than any may have none.
    for _ in 0..8 {
        stage.pass(900).await;
        let kept = stage.machines().into_iter().find(|one| one.instance_id == machine.instance_id);
        assert_eq!(kept.map(|one| one.state.word()), Some("running"), "{:?}", stage.machines());
        assert!(stage.nodes().contains(&node), "{:?}", stage.nodes());
        assert_eq!(stage.running("web"), 2);
    }
    let nodes = stage.ground.list("nodes");
    let found = nodes.iter().find(|one| one["metadata"]["name"] == node.as_str()).unwrap();
    assert_eq!(found["status"]["addresses"][0]["address"], "203.0.113.7", "it was to stay so");
    stage.assert_others_untouched();
}

#[tokio::test(start_paused = true)]
async fn a_second_node_with_its_labels_and_address_costs_nobody_a_machine() {
    for claim in ["labels", "address"] {
        let stage = Stage::new().await;
        stage.deploy("web", 2);
        stage.until("two pods run", |stage| stage.running("web") == 2).await;
        let machine = stage.machines().remove(0);
        let nodes = stage.ground.list("nodes");
        let victim = nodes.iter().find(|one| one["metadata"]["name"] == *machine.node_name());
        let victim = victim.unwrap();
        let resources = json!({ "cpu": "4", "memory": "16Gi", "pods": "110" });
        let mut status = json!({ "capacity": resources, "allocatable": resources });
        let mut labels = json!({});
        match claim {
            "labels" => labels = victim["metadata"]["labels"].clone(),
            _ => status["addresses"] = victim["status"]["addresses"].clone(),
        }
        // It takes no pods, so that nothing but its claim speaks for it.
        let taint = json!({ "key": "impostor", "effect": "NoSchedule" });
        stage.ground.kubelets().add(json!({
            "metadata": { "name": "impostor", "labels": labels },
            "spec": { "taints": [taint] },
            "status": status,
        }));
        let others = stage.nodes().len();
        stage.until("both are there", |stage| stage.nodes().len() > others).await;
        stage.pass(5400).await;
        let kept = stage.machines().into_iter().find(|one| one.instance_id == machine.instance_id);
        assert_eq!(kept.map(|one| one.state.word()), Some("running"), "by its {claim}");
        assert!(stage.nodes().contains(&machine.node_name()), "by its {claim}");
        assert_eq!(stage.running("web"), 2, "by its {claim}");
        stage.assert_others_untouched();
    }
}
