//! Pods that claim devices get nodes that have them.

use serde_json::json;

use crate::stage::{Stage, of};

const GROUPS: &str = "
name: simulated
groups:
- {id: plain, max: 5, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
- {id: gpu, min: 1, max: 5, price: 2.00, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
";

/// What the driver of a node says once it runs: there is one GPU.
fn publish(stage: &Stage, node: &str) {
    let slice = json!({
        "metadata": { "name": format!("{node}-gpu") },
        "spec": {
            "driver": "gpu.example.com",
            "nodeName": node,
            "pool": { "name": node, "generation": 1, "resourceSliceCount": 1 },
            "devices": [{ "name": "gpu-0", "attributes": { "model": { "string": "A100" } } }],
        },
    });
    stage.create("resourceslices.resource.k8s.io", slice);
}

#[tokio::test(start_paused = true)]
async fn claims_buy_nodes_that_have_the_devices() {
    let stage = Stage::with(GROUPS).await;
    stage.until("one node is there", |stage| stage.node_names().len() == 1).await;
    let first = stage.node_names();
    publish(&stage, &first[0]);
    let selector = r#"device.attributes["gpu.example.com"].model == "A100""#;
    let class = json!({
        "metadata": { "name": "gpu" },
        "spec": { "selectors": [{ "cel": { "expression": selector } }] },
    });
    stage.create("deviceclasses.resource.k8s.io", class);
    let requests = json!([{ "name": "gpu", "exactly": { "deviceClassName": "gpu" } }]);
    let template = json!({
        "metadata": { "name": "one-gpu" },
        "spec": { "spec": { "devices": { "requests": requests } } },
    });
    stage.create("resourceclaimtemplates.resource.k8s.io", template);
    stage.pass(90).await;
    stage.deploy_as("train", 3, "500m", |template| {
        let claim = json!({ "name": "gpu", "resourceClaimTemplateName": "one-gpu" });
        template["spec"]["resourceClaims"] = json!([claim]);
    });
    stage.until("three nodes are there", |stage| stage.node_names().len() == 3).await;
    assert_eq!(stage.running("train"), 1, "the others wait for the drivers of their nodes");
    // Nodes whose drivers have not spoken are waited for, and not bought again.
    stage.pass(60).await;
    for node in stage.node_names().iter().filter(|node| !first.contains(node)) {
        publish(&stage, node);
    }
    stage.until("all pods run", |stage| stage.running("train") == 3).await;
    assert_eq!(stage.bought(), of("gpu", 3));
}
