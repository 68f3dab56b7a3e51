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
