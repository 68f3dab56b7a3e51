//! Requests for room, from the first word on them to the last.

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::source::{Kinds, Watched};
use plimsoll_control::fault::Faults;
use plimsoll_plan::Outcome;
use serde_json::{Value, json};

use crate::stage::{Stage, TWO_GROUPS, of, text};

const DEFINITION: &str = include_str!("../../../../deploy/crds/provisioningrequests.yaml");
const REQUESTS: &str = "provisioningrequests.autoscaling.x-k8s.io";
const CHECK: &str = "check-capacity.autoscaling.x-k8s.io";
const ATOMIC: &str = "best-effort-atomic-scale-up.autoscaling.x-k8s.io";

/// Machines are there in the beginning.
const TWO_NODES: &str = "
name: simulated
groups:
- {id: cheap, max: 20, initial: 2, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
";

/// Everything but the loop, which will serve requests; and room for pods of one core.
async fn set(catalogue: &str) -> Stage {
    let mut stage = Stage::set(catalogue).await;
    stage.settings.plan.requests.served = true;
    stage.settings.kinds = Kinds::default().and(Watched::Requests).and(Watched::PodTemplates);
    let requests = json!({ "requests": { "cpu": "1", "memory": "100Mi" } });
    let container = json!({ "name": "main", "image": "pause", "resources": requests });
    let template = json!({ "spec": { "containers": [container] } });
    stage.create("podtemplates", json!({ "metadata": { "name": "core" }, "template": template }));
    stage
}

fn define(stage: &Stage) {
    let definition = serde_saphyr::from_str(DEFINITION).unwrap();
    stage.create("customresourcedefinitions.apiextensions.k8s.io", definition);
}

async fn begun(catalogue: &str) -> Stage {
    let mut stage = set(catalogue).await;
    define(&stage);
    stage.start(Faults::default());
    stage
}

fn request(stage: &Stage, name: &str, class: &str, cores: u32) {
    let sets = json!([{ "podTemplateRef": { "name": "core" }, "count": cores }]);
    let spec = json!({ "provisioningClassName": class, "podSets": sets });
    let (version, kind) = ("autoscaling.x-k8s.io/v1", "ProvisioningRequest");
    let metadata = json!({ "name": name });
    stage.create(
        REQUESTS,
        json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec }),
    );
}

/// What is said of a request: `Accepted=True Accepted, Provisioned=True CapacityIsFound`.
fn said(stage: &Stage, name: &str) -> String {
    let lines = conditions(stage, name).into_iter().map(|one| {
        format!("{}={} {}", text(&one, "/type"), text(&one, "/status"), text(&one, "/reason"))
    });
    lines.collect::<Vec<_>>().join(", ")
}

fn conditions(stage: &Stage, name: &str) -> Vec<Value> {
    let all = stage.list(REQUESTS);
    let found = all.iter().find(|request| text(request, "/metadata/name") == name);
    let conditions =
        found.and_then(|found| found.pointer("/status/conditions")?.as_array().cloned());
    conditions.unwrap_or_default()
}

/// When a condition last changed.
fn at(stage: &Stage, name: &str, condition: &str) -> Option<Timestamp> {
    let all = conditions(stage, name);
    let found = all.iter().find(|one| text(one, "/type") == condition)?;
    text(found, "/lastTransitionTime").parse().ok()
}

fn consumes(request: &str) -> impl FnOnce(&mut Value) {
    let key = "autoscaling.x-k8s.io/consume-provisioning-request";
    let annotations = json!({ key: request });
    move |template| template["metadata"]["annotations"] = annotations
}

#[tokio::test(start_paused = true)]
async fn room_is_found_kept_and_used() {
    let stage = begun(TWO_NODES).await;
    stage.until("nodes are there", |stage| stage.nodes().len() == 2).await;
    request(&stage, "job", CHECK, 5);
    let found = "Accepted=True Accepted, Provisioned=True CapacityIsFound";
    stage.until("room is found", |stage| said(stage, "job") == found).await;
    stage.pass(400).await;
    assert_eq!(stage.nodes().len(), 2, "nodes that nobody uses are kept for it");
    assert!(stage.is_all_open());
    stage.deploy_as("worker", 5, "1", consumes("job"));
    stage.until("all run", |stage| stage.running("worker") == 5).await;
    let used = format!("{found}, BookingExpired=True CapacityBookingConsumed");
    stage.until("the booking is over", |stage| said(stage, "job") == used).await;
    stage.pass(600).await;
    assert_eq!(said(&stage, "job"), used);
    assert_eq!(stage.bought(), of("cheap", 2), "nothing is bought for it");
}

#[tokio::test(start_paused = true)]
async fn room_that_nobody_uses_is_given_up() {
    let stage = begun(TWO_GROUPS).await;
    request(&stage, "job", ATOMIC, 9);
    let provisioned = "Accepted=True Accepted, Provisioned=True CapacityIsProvisioned";
    stage.until("room is bought", |stage| said(stage, "job") == provisioned).await;
    stage.until("three nodes are there", |stage| stage.nodes().len() == 3).await;
    assert_eq!(stage.bought(), of("cheap", 3));
    stage.pass(480).await;
    assert_eq!(stage.nodes().len(), 3, "nodes that nobody uses are kept for it");
    let expired = format!("{provisioned}, BookingExpired=True CapacityReservationTimeExpired");
    stage.until("the booking is over", |stage| said(stage, "job") == expired).await;
    let lasted = at(&stage, "job", "BookingExpired")
        .unwrap()
        .duration_since(at(&stage, "job", "Provisioned").unwrap());
    assert!((600..620).contains(&lasted.as_secs()), "{lasted:?}");
    stage.until("the nodes are gone", |stage| stage.nodes().is_empty()).await;
    assert_eq!(stage.bought(), of("cheap", 3), "nothing is bought again");
}

#[tokio::test(start_paused = true)]
async fn pods_find_what_was_bought_for_them() {
    let stage = begun(TWO_GROUPS).await;
    request(&stage, "job", ATOMIC, 9);
    stage
        .until("room is bought", |stage| said(stage, "job").contains("CapacityIsProvisioned"))
        .await;
    stage.deploy_as("worker", 9, "1", consumes("job"));
    stage.until("all run", |stage| stage.running("worker") == 9).await;
    stage.until("it is used", |stage| said(stage, "job").contains("CapacityBookingConsumed")).await;
    assert_eq!(stage.bought(), of("cheap", 3));
    // Who comes too late waits, and says for what. It wants a whole node: however the nine are
    // spread, there is one of them on each.
    stage.deploy_as("late", 1, "4", consumes("job"));
    stage.pass(120).await;
    assert_eq!(stage.bought(), of("cheap", 3));
    let pass = stage.last_pass();
    let waiting = pass.plan.pods.iter().map(|report| report.outcome);
    assert!(waiting.eq([Outcome::ConsumesRequest]), "{:?}", pass.plan.pods);
}

#[tokio::test(start_paused = true)]
async fn what_is_too_large_is_tried_again_less_and_less_often_also_after_a_restart() {
    let mut stage = begun(TWO_GROUPS).await;
    request(&stage, "job", ATOMIC, 500);
    let vain = "Accepted=True Accepted, Provisioned=False CapacityIsNotFound";
    stage.until("it is tried", |stage| said(stage, "job") == vain).await;
    let mut tries = vec![at(&stage, "job", "Provisioned").unwrap()];
    for attempt in 0..5 {
        if attempt == 3 {
            stage.kill().await;
            stage.start(Faults::default());
        }
        let last = *tries.last().unwrap();
        stage
            .until("it is tried again", |stage| at(stage, "job", "Provisioned") != Some(last))
            .await;
        tries.push(at(&stage, "job", "Provisioned").unwrap());
    }
    let pauses = tries.windows(2).map(|pair| pair[1].duration_since(pair[0]));
    let minutes: Vec<i64> = pauses.map(|pause| pause.as_secs() / 60).collect();
    assert_eq!(minutes, [1, 2, 4, 8, 10]);
    assert_eq!(said(&stage, "job"), vain);
    assert!(stage.bought().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_cluster_without_the_kind_is_served_and_the_kind_may_come_later() {
    let mut stage = set(TWO_GROUPS).await;
    stage.start(Faults::default());
    stage.deploy("web", 1, "1");
    stage.until("it runs", |stage| stage.running("web") == 1).await;
    define(&stage);
    request(&stage, "job", CHECK, 2);
    stage.until("room is found", |stage| said(stage, "job").contains("CapacityIsFound")).await;
}

#[tokio::test(start_paused = true)]
async fn what_has_been_over_for_a_week_is_deleted() {
    let stage = begun(TWO_GROUPS).await;
    for (name, days) in [("old", 8), ("new", 6)] {
        request(&stage, name, CHECK, 50);
        stage.until("there is nothing left to say", |stage| !said(stage, name).is_empty()).await;
        let at = stage.clock.now() - SignedDuration::from_hours(24 * days);
        let failed = json!([{
            "type": "Failed", "status": "True", "reason": "Expired", "message": "it is",
            "lastTransitionTime": at.to_string(),
        }]);
        stage.modify_status(REQUESTS, name, |request| {
            request["status"]["conditions"] = failed.clone();
        });
    }
    stage.until("one is left", |stage| stage.list(REQUESTS).len() == 1).await;
    assert_eq!(text(&stage.list(REQUESTS)[0], "/metadata/name"), "new");
}
