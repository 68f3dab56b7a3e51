//! What becomes of CapacityBuffers.

use plimsoll_minicluster::api::{Target, WriteOptions};
use serde_json::{Value, json};

use super::{Effect, Time::Paused, Words, check};
use crate::run::tests::stage::{Stage, text};

pub(super) const TABLE: &[Effect] = &[
    Effect {
        flag: "capacity-buffer-controller-enabled",
        cases: [("false", ""), ("true", "3 units of capacitybuffer-spare-pod-template")],
        with: &[],
        look: |words| Box::pin(status(words)),
        time: Paused,
    },
    Effect {
        flag: "capacity-buffer-pod-injection-enabled",
        cases: [("false", ""), ("true", "cheap 2")],
        with: &["--capacity-buffer-controller-enabled"],
        look: |words| Box::pin(bought(words)),
        time: Paused,
    },
    Effect {
        flag: "capacity-buffer-pod-dry-run-enabled",
        cases: [("true", "of priority 7"), ("false", "as it is written")],
        with: &["--capacity-buffer-controller-enabled"],
        look: |words| Box::pin(unit(words)),
        time: Paused,
    },
];

const DEFINITION: &str = include_str!("../../../../../../deploy/crds/capacitybuffers.yaml");

const BOTH: [&str; 2] =
    ["--capacity-buffer-controller-enabled", "--capacity-buffer-pod-injection-enabled"];

#[test]
fn flags_about_buffers_are_seen_from_outside() {
    check(TABLE);
}

/// A cluster that knows buffers, with a pod of two cores written down.
async fn stage(words: &[String]) -> Stage {
    let stage = Box::pin(Stage::set(words)).await;
    let definition: Value = serde_saphyr::from_str(DEFINITION).unwrap();
    stage.create("customresourcedefinitions.apiextensions.k8s.io", definition);
    let class = json!({ "metadata": { "name": "gold" }, "value": 7 });
    stage.create("priorityclasses.scheduling.k8s.io", class);
    let container = json!({
        "name": "main", "image": "i", "resources": { "requests": { "cpu": "2", "memory": "1Gi" } },
    });
    let spec = json!({ "priorityClassName": "gold", "containers": [container] });
    let template = json!({ "metadata": { "name": "unit" }, "template": { "spec": spec } });
    stage.create("podtemplates", template);
    stage
}

fn order(stage: &Stage, spec: &Value) {
    let api = stage.cluster.api();
    let kind = api.kind("autoscaling.x-k8s.io", "v1beta1", "capacitybuffers").unwrap();
    let object = json!({
        "apiVersion": "autoscaling.x-k8s.io/v1beta1",
        "kind": "CapacityBuffer",
        "metadata": { "name": "spare" },
        "spec": spec,
    });
    api.create(&kind, "default", object, &WriteOptions::default()).unwrap();
}

fn buffer(stage: &Stage) -> Value {
    let api = stage.cluster.api();
    let kind = api.kind("autoscaling.x-k8s.io", "v1beta1", "capacitybuffers").unwrap();
    api.get(&kind, "default", "spare").unwrap().value()
}

/// `Provisioning=True FakePodsInjected`, and the message if there is one.
fn condition(stage: &Stage, kind: &str) -> String {
    let buffer = buffer(stage);
    let conditions = buffer.pointer("/status/conditions").and_then(Value::as_array).cloned();
    let found = conditions.into_iter().flatten().find(|one| text(one, "/type") == kind);
    let Some(found) = found else { return String::new() };
    let told = format!(
        "{} {} {}",
        text(&found, "/status"),
        text(&found, "/reason"),
        text(&found, "/message")
    );
    told.trim().to_owned()
}

/// Three units after a minute.
async fn settled(words: Words) -> Stage {
    let mut stage = stage(&words).await;
    order(&stage, &json!({ "podTemplateRef": { "name": "unit" }, "replicas": 3 }));
    stage.begin();
    stage.pass(60).await;
    stage
}

async fn status(words: Words) -> String {
    let stage = settled(words).await;
    let buffer = buffer(&stage);
    let Some(count) = buffer.pointer("/status/replicas") else { return String::new() };
    format!("{count} units of {}", text(&buffer, "/status/podTemplateRef/name"))
}

async fn bought(words: Words) -> String {
    settled(words).await.bought()
}

async fn unit(words: Words) -> String {
    let stage = settled(words).await;
    let name = "capacitybuffer-spare-pod-template";
    let templates = stage.list("podtemplates");
    let made = templates.iter().find(|one| text(one, "/metadata/name") == name).unwrap();
    match made.pointer("/template/spec/priority") {
        Some(priority) => format!("of priority {priority}"),
        None => "as it is written".to_owned(),
    }
}

/// Runs what happens in a cluster in which buffers are resolved and room is kept for them.
fn play<T>(scene: impl AsyncFnOnce(Stage) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let words: Vec<String> = BOTH
        .into_iter()
        .chain(["--scale-down-unneeded-time=1m", "--scale-down-delay-after-add=1m"])
        .map(str::to_owned)
        .collect();
    let played = runtime.block_on(async { scene(stage(&words).await).await });
    runtime.shutdown_background();
    played
}

#[test]
fn room_is_kept_as_long_as_there_is_a_buffer() {
    play(async |mut stage: Stage| {
        order(&stage, &json!({ "podTemplateRef": { "name": "unit" }, "limits": { "cpu": "5" } }));
        stage.begin();
        let two_units = |stage: &Stage| stage.list("nodes").len() == 1;
        stage.until("a node for two units", two_units).await;
        stage.pass(1200).await;
        assert_eq!((stage.bought().as_str(), stage.list("nodes").len()), ("cheap 1", 1));
        assert_eq!(
            condition(&stage, "ReadyForProvisioning"),
            "True AttributesSetSuccessfully ready"
        );
        assert_eq!(condition(&stage, "Provisioning"), "True FakePodsInjected");
        assert_eq!(condition(&stage, "LimitedByQuotas"), "False ResourceQuotasAllocated");
        let node = text(&stage.list("nodes")[0], "/metadata/name");
        let told = stage.get(&format!("/explain?node={node}")).await.1;
        let sentence = "room is kept there for 2 units of CapacityBuffer default/spare";
        assert!(told.contains(sentence), "{told}");

        let api = stage.cluster.api();
        let kind = api.kind("autoscaling.x-k8s.io", "v1beta1", "capacitybuffers").unwrap();
        let at = Target::new("default", "spare");
        api.delete(&kind, &at, &plimsoll_minicluster::api::DeleteOptions::default()).unwrap();
        stage.until("the node to go", |stage| stage.list("nodes").is_empty()).await;
    });
}

#[test]
fn a_share_of_a_deployment_grows_with_it() {
    play(async |mut stage: Stage| {
        stage.deploy("web", 5, "1", |_| {});
        let web = json!({ "apiGroup": "apps", "kind": "Deployment", "name": "web" });
        order(&stage, &json!({ "scalableRef": web, "percentage": 20 }));
        stage.begin();
        let units = |stage: &Stage| buffer(stage).pointer("/status/replicas").cloned();
        stage.until("one unit", |stage| units(stage) == Some(json!(1))).await;
        stage.scale("web", 11);
        stage.until("three units", |stage| units(stage) == Some(json!(3))).await;
        stage.until("all pods to run", |stage| stage.running("web") == 11).await;
        // Eleven pods and three units of a core each on machines of four.
        stage.pass(120).await;
        assert_eq!(stage.list("nodes").len(), 4);
    });
}

#[test]
fn what_stands_in_the_way_is_told_and_goes_when_it_is_put_right() {
    play(async |mut stage: Stage| {
        order(&stage, &json!({ "podTemplateRef": { "name": "other" }, "replicas": 1 }));
        stage.begin();
        stage.pass(60).await;
        assert_eq!(
            condition(&stage, "ReadyForProvisioning"),
            "False error PodTemplate other is not there"
        );
        assert_eq!(
            condition(&stage, "Provisioning"),
            "False NotReadyForProvisioning CapacityBuffer is not ready for provisioning"
        );
        let container = json!({ "name": "main", "image": "i" });
        let wrong = json!({ "priorityClassName": "lead", "containers": [container] });
        let template = json!({ "metadata": { "name": "other" }, "template": { "spec": wrong } });
        stage.create("podtemplates", template);
        stage.pass(60).await;
        let told = condition(&stage, "ReadyForProvisioning");
        assert!(told.contains("no PriorityClass with name lead was found"), "{told}");
        stage.create(
            "priorityclasses.scheduling.k8s.io",
            json!({ "metadata": { "name": "lead" }, "value": 1 }),
        );
        let is_ready = |stage: &Stage| condition(stage, "ReadyForProvisioning").starts_with("True");
        let waited = stage.until("readiness", is_ready).await;
        assert!(waited <= 60, "{waited}");
    });
}
