//! Two Nodes with one provider id: neither is touched, nor is the machine.

use serde_json::{Value, json};

use crate::{
    ground::Ground,
    slicer, stackpoint,
    stage::{Stage, TWO_GROUPS, text},
};

/// A Node that says that it is the machine of the one that is there, and carries nothing.
fn impostor_of(ground: &Ground, victim: &str) {
    let nodes = ground.list("nodes");
    let victim = nodes.iter().find(|node| text(node, "/metadata/name") == victim).unwrap();
    let resources = json!({ "cpu": "4", "memory": "16Gi", "pods": "110" });
    // It takes no pods, so that nothing but its claim speaks for it.
    let taint = json!({ "key": "impostor", "effect": "NoSchedule" });
    let node: Value = json!({
        "metadata": { "name": "impostor", "labels": victim["metadata"]["labels"] },
        "spec": { "providerID": victim["spec"]["providerID"], "taints": [taint] },
        "status": { "capacity": resources, "allocatable": resources },
    });
    ground.kubelets().add(node);
}

#[tokio::test(start_paused = true)]
async fn a_second_node_with_its_provider_id_costs_nobody_a_machine() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 1, "3");
    stage.until("the pod runs", |stage| stage.running("web") == 1).await;
    let victim = stage.node_names().pop().unwrap();
    impostor_of(&stage.ground, &victim);
    stage.until("both are there", |stage| stage.node_names().len() == 2).await;
    stage.pass(4 * 3600).await;
    assert_eq!((stage.machines(), stage.running("web"), stage.node_names().len()), (1, 1, 2));
    assert!(stage.is_all_open(), "{:?}", stage.nodes());
    let contested = stage.last_pass().plan.contested.clone();
    let nodes: Vec<_> = contested.iter().flat_map(|machine| machine.nodes.iter()).collect();
    assert_eq!(nodes, [&victim.as_str().into(), &"impostor".into()]);
    // Whoever is empty and alone is given back again.
    stage.ground.kubelets().remove("impostor");
    stage.until("the impostor is gone", |stage| stage.node_names().len() == 1).await;
    stage.scale("web", 0);
    stage.until("no machine is left", |stage| stage.machines() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_names_no_nodes_is_not_led_astray_either() {
    let stage = slicer::stage::Stage::new().await;
    stage.deploy("web", 3);
    stage.until("three pods run", |stage| stage.running() == 3).await;
    let victim = stage.nodes().pop().unwrap();
    impostor_of(&stage.ground, &victim);
    stage.until("both are there", |stage| stage.nodes().len() == 2).await;
    stage.pass(4 * 3600).await;
    assert_eq!((stage.machines(), stage.running(), stage.nodes().len()), (1, 3, 2));
    assert_eq!(stage.last_pass().plan.contested.len(), 1);
    stage.ground.kubelets().remove("impostor");
    stage.until("the impostor is gone", |stage| stage.nodes().len() == 1).await;
    stage.scale("web", 0);
    stage.until("no machine is left", |stage| stage.machines() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_second_node_with_its_labels_or_address_costs_nobody_a_machine() {
    for claim in ["labels", "address"] {
        let stage = stackpoint::Stage::new().await;
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
