//! Room that users want to be kept, from the first word on it to the pods that take it.

use plimsoll_cluster::source::{Kinds, Watched};
use plimsoll_control::fault::Faults;
use plimsoll_model::{BufferSettings, Units};
use serde_json::{Value, json};

use crate::stage::{Stage, TWO_GROUPS, of, text};

const DEFINITION: &str = include_str!("../../../../deploy/crds/capacitybuffers.yaml");
const BUFFERS: &str = "capacitybuffers.autoscaling.x-k8s.io";

/// The loop, which keeps room for buffers, and a buffer.
async fn begun(spec: Value) -> Stage {
    let mut stage = Stage::set(TWO_GROUPS).await;
    stage.settings.plan.scale_up.buffers =
        BufferSettings { resolve: true, inject: true, units: Units::AsAdmitted };
    stage.settings.kinds = Kinds::default()
        .and(Watched::CapacityBuffers)
        .and(Watched::PodTemplates)
        .and(Watched::Deployments)
        .and(Watched::ResourceQuotas);
    let definition = serde_saphyr::from_str(DEFINITION).unwrap();
    stage.create("customresourcedefinitions.apiextensions.k8s.io", definition);
    let requests = json!({ "requests": { "cpu": "2", "memory": "100Mi" } });
    let container = json!({ "name": "main", "image": "pause", "resources": requests });
    let template = json!({ "spec": { "containers": [container] } });
    stage.create("podtemplates", json!({ "metadata": { "name": "unit" }, "template": template }));
    let (version, kind) = ("autoscaling.x-k8s.io/v1beta1", "CapacityBuffer");
    let metadata = json!({ "name": "spare" });
    stage.create(
        BUFFERS,
        json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec }),
    );
    stage.start(Faults::default());
    stage
}

/// `ReadyForProvisioning=True`, in the order in which they stand there.
fn said(stage: &Stage) -> String {
    let buffers = stage.list(BUFFERS);
    let conditions = buffers.first().and_then(|buffer| buffer.pointer("/status/conditions"));
    let conditions = conditions.and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lines: Vec<String> = conditions
        .iter()
        .map(|one| format!("{}={}", text(one, "/type"), text(one, "/status")))
        .collect();
    lines.sort();
    lines.join(", ")
}

/// How many units there are, by the status.
fn units(stage: &Stage) -> Option<i64> {
    stage.list(BUFFERS).first()?.pointer("/status/replicas")?.as_i64()
}

/// Sets the quota. Whoever counts says then what holds; where nobody does, it is said for them.
fn allow(stage: &Stage, cores: &str) {
    let hard = json!({ "requests.cpu": cores });
    stage.modify("resourcequotas", "small", |quota| quota["spec"]["hard"] = hard.clone());
    stage.modify_status("resourcequotas", "small", |quota| {
        quota["status"] = json!({ "hard": hard, "used": { "requests.cpu": "0" } });
    });
}

#[tokio::test(start_paused = true)]
async fn room_is_kept_and_bought_again_when_pods_take_it() {
    let stage = begun(json!({ "podTemplateRef": { "name": "unit" }, "replicas": 2 })).await;
    stage.until("a node is there", |stage| stage.nodes().len() == 1).await;
    let ready = "LimitedByQuotas=False, Provisioning=True, ReadyForProvisioning=True";
    stage.until("all is said", |stage| said(stage) == ready).await;
    assert_eq!(units(&stage), Some(2));
    stage.pass(600).await;
    assert_eq!(stage.nodes().len(), 1, "a node that nobody uses is kept for it");
    assert!(stage.is_all_open());
    // Two pods take what was kept, at once, and as much is bought again.
    stage.deploy("web", 2, "1500m");
    stage.until("they run", |stage| stage.running("web") == 2).await;
    assert_eq!(stage.nodes().len(), 1, "they need not wait for a node");
    stage.until("there is room again", |stage| stage.nodes().len() == 2).await;
    stage.pass(600).await;
    assert_eq!(stage.bought(), of("cheap", 2));
}

#[tokio::test(start_paused = true)]
async fn a_quota_of_the_namespace_bounds_a_buffer_and_lets_it_grow_again() {
    let stage = begun(json!({ "podTemplateRef": { "name": "unit" }, "replicas": 4 })).await;
    stage.until("there are four", |stage| units(stage) == Some(4)).await;
    stage.create("resourcequotas", json!({ "metadata": { "name": "small" } }));
    allow(&stage, "5");
    stage.until("there are two", |stage| units(stage) == Some(2)).await;
    assert!(said(&stage).contains("LimitedByQuotas=True"), "{}", said(&stage));
    stage.until("a node is given back", |stage| stage.nodes().len() == 1).await;
    allow(&stage, "100");
    stage.until("there are four again", |stage| units(stage) == Some(4)).await;
    stage.until("a node is bought", |stage| stage.nodes().len() == 2).await;
}
