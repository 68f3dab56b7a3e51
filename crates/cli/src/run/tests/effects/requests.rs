//! Requests for room.

use serde_json::{Value, json};

use super::{Effect, Time::Paused, Words, check};
use crate::run::tests::stage::{Stage, text};

const DEFINITION: &str = include_str!("../../../../../../deploy/crds/provisioningrequests.yaml");
const REQUESTS: &str = "provisioningrequests.autoscaling.x-k8s.io";

const SERVED: &[&str] = &["--enable-provisioning-requests"];

pub(super) const TABLE: &[Effect] = &[
    Effect {
        flag: "enable-provisioning-requests",
        cases: [("false", ": bought cheap 1"), ("true", "Accepted, Provisioned: bought cheap 2")],
        with: &[],
        look: |words| Box::pin(a_job_and_a_pod_that_consumes_its_room(words)),
        time: Paused,
    },
    Effect {
        flag: "provisioning-request-initial-backoff-time",
        cases: [
            ("1m", "tried again after 1, 2, 4, 8 min"),
            ("2m", "tried again after 2, 4, 8, 10 min"),
        ],
        with: SERVED,
        look: |words| Box::pin(a_job_that_is_too_large(words)),
        time: Paused,
    },
    Effect {
        flag: "provisioning-request-max-backoff-time",
        cases: [
            ("10m", "tried again after 1, 2, 4, 8 min"),
            ("3m", "tried again after 1, 2, 3, 3 min"),
        ],
        with: SERVED,
        look: |words| Box::pin(a_job_that_is_too_large(words)),
        time: Paused,
    },
    Effect {
        flag: "provisioning-request-max-backoff-cache-size",
        cases: [
            ("1000", "tried again after 1, 2, 4, 8 min"),
            ("0", "tried again after 1, 1, 1, 1 min"),
        ],
        with: SERVED,
        look: |words| Box::pin(a_job_that_is_too_large(words)),
        time: Paused,
    },
    Effect {
        flag: "check-capacity-processor-instance",
        cases: [("", "plain"), ("mine", "named")],
        with: SERVED,
        look: |words| Box::pin(requests_of_two_instances(words)),
        time: Paused,
    },
];

#[test]
fn flags_about_requests_for_room_are_seen_from_outside() {
    check(TABLE);
}

/// The kind, and a template of pods of three cores.
async fn begun(words: &Words) -> Stage {
    let stage = Stage::begun(words).await;
    let definition = serde_saphyr::from_str(DEFINITION).unwrap();
    stage.create("customresourcedefinitions.apiextensions.k8s.io", definition);
    let requests = json!({ "requests": { "cpu": "3", "memory": "100Mi" } });
    let container = json!({ "name": "main", "image": "i", "resources": requests });
    let template = json!({ "spec": { "containers": [container] } });
    stage.create("podtemplates", json!({ "metadata": { "name": "wide" }, "template": template }));
    stage
}

fn request(stage: &Stage, name: &str, class: &str, count: u32, parameters: &Value) {
    let sets = json!([{ "podTemplateRef": { "name": "wide" }, "count": count }]);
    let class = format!("{class}.autoscaling.x-k8s.io");
    let spec = json!({ "provisioningClassName": class, "podSets": sets, "parameters": parameters });
    let (version, kind) = ("autoscaling.x-k8s.io/v1", "ProvisioningRequest");
    let metadata = json!({ "name": name });
    stage.create(
        REQUESTS,
        json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec }),
    );
}

fn conditions(stage: &Stage, name: &str) -> Vec<Value> {
    let all = stage.list(REQUESTS);
    let found = all.iter().find(|request| text(request, "/metadata/name") == name);
    let conditions =
        found.and_then(|found| found.pointer("/status/conditions")?.as_array().cloned());
    conditions.unwrap_or_default()
}

async fn a_job_and_a_pod_that_consumes_its_room(words: Words) -> String {
    let stage = begun(&words).await;
    request(&stage, "job", "best-effort-atomic-scale-up", 2, &json!({}));
    stage.deploy("worker", 1, "3", |template| {
        let key = "autoscaling.x-k8s.io/consume-provisioning-request";
        template["metadata"]["annotations"] = json!({ key: "job" });
    });
    stage.pass(120).await;
    let conditions = conditions(&stage, "job").into_iter();
    let said: Vec<String> = conditions.map(|condition| text(&condition, "/type")).collect();
    format!("{}: bought {}", said.join(", "), stage.bought())
}

async fn a_job_that_is_too_large(words: Words) -> String {
    let stage = begun(&words).await;
    request(&stage, "job", "check-capacity", 2, &json!({}));
    let tried = |stage: &Stage| {
        let conditions = conditions(stage, "job");
        let found = conditions.iter().find(|one| text(one, "/type") == "Provisioned");
        found.map(|found| text(found, "/lastTransitionTime"))
    };
    stage.until("it is tried", |stage| tried(stage).is_some()).await;
    let mut minutes = Vec::new();
    for _ in 0..4 {
        let last = tried(&stage);
        let seconds = stage.until("it is tried again", |stage| tried(stage) != last).await;
        minutes.push((seconds / 60).to_string());
    }
    format!("tried again after {} min", minutes.join(", "))
}

async fn requests_of_two_instances(words: Words) -> String {
    let stage = begun(&words).await;
    request(&stage, "plain", "check-capacity", 2, &json!({}));
    request(&stage, "named", "check-capacity", 2, &json!({ "processorInstance": "mine" }));
    stage.pass(60).await;
    let names = ["plain", "named"].into_iter();
    let served: Vec<&str> = names.filter(|name| !conditions(&stage, name).is_empty()).collect();
    served.join(" and ")
}
