//! CapacityQuotas bound what is bought, and say what is used of them.

use plimsoll_cluster::source::{Kinds, Watched};
use plimsoll_control::fault::Faults;
use serde_json::{Value, json};

use crate::stage::{Stage, TWO_GROUPS, of};

const DEFINITION: &str = include_str!("../../../../deploy/crds/capacityquotas.yaml");
const QUOTAS: &str = "capacityquotas.autoscaling.x-k8s.io";

/// What is used of the quota, by resource.
fn used(stage: &Stage) -> Value {
    let quotas = stage.list(QUOTAS);
    let used = quotas.first().and_then(|quota| quota.pointer("/status/used/resources"));
    used.cloned().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn no_more_is_bought_than_a_quota_allows_also_after_a_restart() {
    let mut stage = Stage::set(TWO_GROUPS).await;
    stage.settings.kinds = Kinds::default().and(Watched::CapacityQuotas);
    let definition = serde_saphyr::from_str(DEFINITION).unwrap();
    stage.create("customresourcedefinitions.apiextensions.k8s.io", definition);
    let limits = json!({ "resources": { "cpu": 9, "nodes": 5 } });
    let quota = json!({
        "apiVersion": "autoscaling.x-k8s.io/v1beta1", "kind": "CapacityQuota",
        "metadata": { "name": "small" }, "spec": { "limits": limits },
    });
    stage.create(QUOTAS, quota);
    stage.start(Faults::default());
    stage.deploy("web", 4, "3");
    stage.until("two run", |stage| stage.running("web") == 2).await;
    stage.until("it is told", |stage| used(stage) == json!({ "cpu": "8", "nodes": "2" })).await;
    stage.kill().await;
    stage.start(Faults::default());
    stage.pass(300).await;
    assert_eq!(stage.bought(), of("cheap", 2), "the quota has room for a core and no node");
    stage.modify(QUOTAS, "small", |quota| {
        quota["spec"]["limits"]["resources"]["cpu"] = json!(16);
    });
    stage.until("all run", |stage| stage.running("web") == 4).await;
    stage.until("it is told", |stage| used(stage) == json!({ "cpu": "16", "nodes": "4" })).await;
    stage.scale("web", 1);
    stage.until("one is left", |stage| used(stage) == json!({ "cpu": "4", "nodes": "1" })).await;
}
