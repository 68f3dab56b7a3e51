//! What is asked for beside the ordinary: buffers, requests for room, quotas.

use jiff::SignedDuration;
use plimsoll_cluster::source::{Kinds, Watched};
use plimsoll_control::settings::Settings;
use plimsoll_model::{BufferSettings, Units};
use serde_json::{Value, json};

use super::{Stage, settings};
use crate::shipped;

const TEMPLATES: &str = "/api/v1/namespaces/default/podtemplates";
const BUFFERS: &str = "/apis/autoscaling.x-k8s.io/v1beta1/namespaces/default/capacitybuffers";
const QUOTAS: &str = "/apis/autoscaling.x-k8s.io/v1beta1/capacityquotas";
const REQUESTS: &str = "/apis/autoscaling.x-k8s.io/v1/namespaces/default/provisioningrequests";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_optional_rights_are_all_that_is_used() {
    let stage = Stage::set(shipped::OPTIONAL).await;
    let process = stage.run("only", with_all_of_it()).await;
    let unit = json!({ "metadata": { "name": "unit" }, "template": template("100m") });
    stage.make(TEMPLATES, "v1", "PodTemplate", unit).await;
    stage.buffer("template", json!({ "podTemplateRef": { "name": "unit" } })).await;
    for (path, version, kind, spec) in scalable() {
        let name = kind.to_lowercase();
        let group = if version == "v1" { "core" } else { version.split('/').next().unwrap() };
        let object = json!({ "metadata": { "name": name }, "spec": spec });
        stage.make(path, version, kind, object).await;
        let owner = json!({ "apiGroup": group, "kind": kind, "name": name });
        stage.buffer(&name, json!({ "scalableRef": owner })).await;
    }
    stage.until("all buffers have a unit", async || stage.units().await == vec![1; 6]).await;
    // What a unit looks like is written once more when it looks otherwise.
    let other = json!({ "template": template("200m") });
    stage.admin.merge(&format!("{TEMPLATES}/unit"), &other).await.unwrap();
    let made = format!("{TEMPLATES}/capacitybuffer-template-pod-template");
    let amount = "/template/spec/containers/0/resources/requests/cpu";
    stage
        .until("it is", async || {
            stage.admin.get(&made).await.unwrap().pointer(amount) == Some(&json!("200m"))
        })
        .await;

    let limits = json!({ "resources": { "nodes": 3 } });
    let quota = json!({ "metadata": { "name": "all" }, "spec": { "limits": limits } });
    stage.make(QUOTAS, "autoscaling.x-k8s.io/v1beta1", "CapacityQuota", quota).await;
    let used = "/status/used/resources/nodes";
    stage
        .until("it is told what is used", async || {
            stage.admin.get(&format!("{QUOTAS}/all")).await.unwrap().pointer(used).is_some()
        })
        .await;

    for name in ["job", "old"] {
        stage.request(name).await;
        stage.until("room is found for it", async || stage.is_provisioned(name).await).await;
    }
    // Nothing is left to be said of it, so what is said now stays.
    let long_ago = stage.clock.now() - SignedDuration::from_hours(24 * 8);
    let failed = json!([{
        "type": "Failed", "status": "True", "reason": "Expired", "message": "it is",
        "lastTransitionTime": long_ago.to_string(),
    }]);
    let status = json!({ "status": { "conditions": failed } });
    stage.admin.merge(&format!("{REQUESTS}/old/status"), &status).await.unwrap();
    stage.until("it is deleted", async || stage.count(REQUESTS).await == 1).await;

    // Somebody on another machine asks how it is.
    let token = stage.viewer().await;
    stage
        .until("who may look is answered", async || process.answers("/status", &token).await == 200)
        .await;
    process.stop().await;
    stage.all_rights_are_used(shipped::OPTIONAL);
}

/// Everything that can be asked for.
fn with_all_of_it() -> Settings {
    let mut settings = settings();
    settings.plan.scale_up.buffers =
        BufferSettings { resolve: true, inject: true, units: Units::AsAdmitted };
    settings.plan.requests.served = true;
    settings.kinds = Kinds::default()
        .and(Watched::CapacityBuffers)
        .and(Watched::CapacityQuotas)
        .and(Watched::Deployments)
        .and(Watched::PodTemplates)
        .and(Watched::Requests)
        .and(Watched::ResourceQuotas);
    settings
}

/// A pod of so many cores.
fn template(cpu: &str) -> Value {
    let requests = json!({ "requests": { "cpu": cpu, "memory": "10Mi" } });
    let container = json!({ "name": "main", "image": "none", "resources": requests });
    json!({ "metadata": { "labels": { "app": "unit" } }, "spec": { "containers": [container] } })
}

/// What pods can be of: where it is, its version and kind, and its spec.
fn scalable() -> [(&'static str, &'static str, &'static str, Value); 5] {
    let template = template("100m");
    let selector = json!({ "matchLabels": { "app": "unit" } });
    let workload = json!({ "replicas": 1, "selector": selector, "template": template });
    let mut with_service = workload.clone();
    with_service["serviceName"] = json!("none");
    let controller = json!({ "replicas": 1, "selector": { "app": "unit" }, "template": template });
    let mut ending = template;
    ending["spec"]["restartPolicy"] = json!("Never");
    let job = json!({ "suspend": true, "template": ending });
    let apps = "apps/v1";
    [
        ("/apis/apps/v1/namespaces/default/deployments", apps, "Deployment", workload.clone()),
        ("/apis/apps/v1/namespaces/default/replicasets", apps, "ReplicaSet", workload),
        ("/apis/apps/v1/namespaces/default/statefulsets", apps, "StatefulSet", with_service),
        (
            "/api/v1/namespaces/default/replicationcontrollers",
            "v1",
            "ReplicationController",
            controller,
        ),
        ("/apis/batch/v1/namespaces/default/jobs", "batch/v1", "Job", job),
    ]
}

// === impl Stage ===

impl Stage {
    async fn make(&self, path: &str, version: &str, kind: &str, mut object: Value) {
        object["apiVersion"] = json!(version);
        object["kind"] = json!(kind);
        self.admin.create(path, &object).await.unwrap();
    }

    /// Room for one of something.
    async fn buffer(&self, name: &str, mut spec: Value) {
        spec["replicas"] = json!(1);
        let object = json!({ "metadata": { "name": name }, "spec": spec });
        self.make(BUFFERS, "autoscaling.x-k8s.io/v1beta1", "CapacityBuffer", object).await;
    }

    /// How many units buffers have, by their status.
    async fn units(&self) -> Vec<i64> {
        let buffers = self.list(BUFFERS).await;
        let units = buffers.iter().map(|one| one.pointer("/status/replicas")?.as_i64());
        units.map(Option::unwrap_or_default).collect()
    }

    async fn is_provisioned(&self, name: &str) -> bool {
        let request = self.admin.get(&format!("{REQUESTS}/{name}")).await.unwrap();
        let conditions = request.pointer("/status/conditions").and_then(Value::as_array).cloned();
        let is_found = |one: &Value| one["type"] == "Provisioned" && one["status"] == "True";
        conditions.unwrap_or_default().iter().any(is_found)
    }

    /// The token of somebody who may look.
    async fn viewer(&self) -> String {
        let account = json!({ "metadata": { "name": "viewer" } });
        self.make("/api/v1/namespaces/default/serviceaccounts", "v1", "ServiceAccount", account)
            .await;
        let rbac = "rbac.authorization.k8s.io";
        let binding = json!({
            "metadata": { "name": "viewer" },
            "roleRef": { "apiGroup": rbac, "kind": "ClusterRole", "name": "plimsoll-debug-viewer" },
            "subjects": [{ "kind": "ServiceAccount", "namespace": "default", "name": "viewer" }],
        });
        let bindings = format!("/apis/{rbac}/v1/clusterrolebindings");
        self.make(&bindings, &format!("{rbac}/v1"), "ClusterRoleBinding", binding).await;
        let wish = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {},
        });
        let path = "/api/v1/namespaces/default/serviceaccounts/viewer/token";
        let granted = self.admin.create(path, &wish).await.unwrap();
        granted["status"]["token"].as_str().unwrap().to_owned()
    }

    /// A request for room for one pod.
    async fn request(&self, name: &str) {
        let sets = json!([{ "podTemplateRef": { "name": "unit" }, "count": 1 }]);
        let class = "check-capacity.autoscaling.x-k8s.io";
        let spec = json!({ "provisioningClassName": class, "podSets": sets });
        let object = json!({ "metadata": { "name": name }, "spec": spec });
        self.make(REQUESTS, "autoscaling.x-k8s.io/v1", "ProvisioningRequest", object).await;
    }
}
