//! Pods that have no place get nodes.

use plimsoll_model::Symbol;
use plimsoll_provider::Class;
use serde_json::json;

use crate::stage::{Stage, TWO_GROUPS, of};

#[tokio::test(start_paused = true)]
async fn from_nothing() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 6, "1");
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    assert_eq!(stage.bought(), of("cheap", 2));
    stage.until("the order is done", |stage| stage.orders() == ["Increase Done"]).await;
    stage.pass(1200).await;
    assert_eq!(stage.orders(), [""; 0], "what is over is removed after a while");
    assert_eq!(stage.bought(), of("cheap", 2), "nothing more is bought later");
}

#[tokio::test(start_paused = true)]
async fn a_burst_is_bought_for_once() {
    let stage = Stage::with(TWO_GROUPS).await;
    for app in ["a", "b", "c", "d", "e"] {
        stage.deploy(app, 8, "500m");
    }
    stage.pass(2).await;
    stage.deploy("late", 8, "500m");
    let running = |stage: &Stage| ["a", "b", "c", "d", "e", "late"].map(|app| stage.running(app));
    stage.until("all pods run", |stage| running(stage) == [8; 6]).await;
    let bought = stage.bought();
    assert!(bought["cheap"] <= 7, "48 half cores fit on 7 nodes of not quite 4: {bought:?}");
    assert_eq!(bought.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_group_that_is_sold_out_is_replaced_by_another_at_once() {
    let stage = Stage::set(TWO_GROUPS).await;
    stage.cloud.set_quota_left(100);
    let mut stage = stage;
    stage.start(plimsoll_control::fault::Faults::default());
    stage.pass(3).await;
    // Behind the back of who has just looked.
    stage.cloud.set_stock(Symbol::new("cheap"), Some(0)).unwrap();
    stage.deploy("web", 3, "1");
    stage.until("something is bought", |stage| stage.machines() == 1).await;
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    assert_eq!(stage.bought(), of("dear", 1));
    let memory = &stage.last_pass().memory;
    assert!(memory.backoff.contains_key(&Symbol::new("cheap")), "{:?}", memory.backoff);
}

#[tokio::test(start_paused = true)]
async fn groups_are_raised_to_their_minimum() {
    let stage = Stage::with(
        "
name: simulated
groups:
- {id: few, min: 2, max: 5, template: {cpu: 4, memory: 16Gi}, boot: 10s, deletion: 5s}
",
    )
    .await;
    stage.until("two nodes are there", |stage| stage.node_names().len() == 2).await;
    stage.pass(600).await;
    assert_eq!(stage.bought(), of("few", 2));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_spread_over_zones_gets_a_node_in_each() {
    let group = |zone: &str| {
        format!(
            "- {{id: {zone}, max: 5, price: 0.10, boot: 30s, deletion: 20s, template: \
             {{cpu: 4, memory: 16Gi, labels: {{topology.kubernetes.io/zone: {zone}}}}}}}\n"
        )
    };
    let groups: String = ["a", "b", "c"].map(group).concat();
    let stage = Stage::with(&format!("name: simulated\ngroups:\n{groups}")).await;
    stage.deploy_as("web", 6, "1", |template| {
        template["spec"]["topologySpreadConstraints"] = json!([{
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": { "matchLabels": { "app": "web" } },
        }]);
    });
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    let one_each = ["a", "b", "c"].map(|zone| (zone.to_owned(), 1)).into();
    assert_eq!(stage.bought(), one_each);
}

#[tokio::test(start_paused = true)]
async fn a_job_for_a_gpu_gets_a_node_that_has_one() {
    let stage = Stage::with(
        "
name: simulated
groups:
- {id: plain, max: 5, price: 0.10, template: {cpu: 8, memory: 16Gi}, boot: 30s, deletion: 20s}
- {id: gpu, max: 5, price: 2.00, template: {cpu: 8, memory: 16Gi, gpu: 2}, boot: 30s, deletion: 20s}
",
    )
    .await;
    stage.deploy_as("train", 3, "1", |template| {
        template["spec"]["containers"][0]["resources"]["limits"] = json!({ "nvidia.com/gpu": 1 });
        template["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"] = json!(1);
    });
    stage.until("the job runs", |stage| stage.running("train") == 3).await;
    assert_eq!(stage.bought(), of("gpu", 2));
    // Who wants none takes what is free there, and gets no more of them.
    stage.deploy("web", 20, "1");
    stage.until("the rest runs", |stage| stage.running("web") == 20).await;
    let bought = stage.bought();
    assert_eq!((bought["gpu"], bought["plain"]), (2, 1), "{bought:?}");
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_refuses_is_asked_again_after_a_rest() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.pass(3).await;
    stage.cloud.set_quota_left(0);
    stage.deploy("web", 3, "1");
    stage.pass(120).await;
    // From then on the provider says itself that nothing is to be had.
    assert_eq!(stage.orders(), ["Increase Failed: the quota of machines is used up"]);
    assert!(stage.last_pass().memory.backoff.contains_key(&Symbol::new("cheap")));
    stage.cloud.set_quota_left(10);
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    assert_eq!(stage.machines(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_does_not_come_up_is_replaced_from_another_group() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.pass(3).await;
    stage.cloud.fail_machines(Symbol::new("cheap"), 1, Class::OutOfCapacity).unwrap();
    stage.deploy("web", 3, "1");
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(120).await;
    assert_eq!((stage.bought()["dear"], stage.machines()), (1, 1), "the broken one is gone");
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_never_joins_is_given_up_and_replaced() {
    let stage = Stage::with(
        "
name: simulated
groups:
- {id: slow, max: 5, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 20h, deletion: 20s}
- {id: sure, max: 5, price: 0.50, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
",
    )
    .await;
    stage.deploy("web", 3, "1");
    stage.pass(14 * 60).await;
    assert_eq!(stage.bought(), of("slow", 1));
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    stage.pass(120).await;
    assert_eq!((stage.bought()["sure"], stage.machines()), (1, 1), "the silent one is gone");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_dies_is_replaced() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 6, "1");
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.pass(60).await;
    let (_, instance) = stage.cloud.instances().remove(0);
    stage.cloud.vanish(&instance.id).unwrap();
    stage.until("pods are missed", |stage| stage.running("web") < 6).await;
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    assert_eq!((stage.bought(), stage.machines()), (of("cheap", 3), 2));
}
