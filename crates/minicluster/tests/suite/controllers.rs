//! Controllers at work: a cluster in paused time, with nodes whose kubelets start and end pods within a second.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_minicluster::{
    Api, Kind,
    api::{DeleteOptions, ListQuery, Target, WriteOptions},
    controllers,
    special::binding::bind,
    store::LabelSelector,
};
use plimsoll_net::{Clock, Shutdown};
use serde_json::{Value, json};
use tokio::time::sleep;

mod budgets;
mod deployments;
mod garbage;
mod jobs;
mod nodes;
mod sets;

/// A cluster with all controllers. Everything is in the namespace `default`.
struct Cluster {
    api: Api,
}

impl Cluster {
    fn start() -> Self {
        let api =
            Api::new(Clock::starting_at("2026-01-01T00:00:00Z".parse::<Timestamp>().unwrap()));
        controllers::start(&api, &Shutdown::new());
        Self { api }
    }

    /// With a node named `node`, and kubelets: see [`look_after_pods`].
    fn with_kubelets() -> Self {
        let cluster = Self::with_kubelets_alone();
        cluster.node("node", &json!({}));
        cluster
    }

    /// With kubelets of nodes that are made later.
    fn with_kubelets_alone() -> Self {
        let cluster = Self::start();
        tokio::spawn(look_after_pods(cluster.api.clone()));
        cluster
    }

    fn kind(&self, resource: &str) -> Arc<Kind> {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        self.api.kind(group, "v1", plural).unwrap()
    }

    fn create(&self, resource: &str, object: Value) -> Value {
        let kind = self.kind(resource);
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        let made = self.api.create(&kind, namespace, object, &WriteOptions::default());
        made.unwrap().object.value()
    }

    fn find(&self, resource: &str, name: &str) -> Option<Value> {
        let kind = self.kind(resource);
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        self.api.get(&kind, namespace, name).ok().map(|object| object.value())
    }

    fn get(&self, resource: &str, name: &str) -> Value {
        self.find(resource, name).unwrap()
    }

    /// Objects that labels select.
    fn list(&self, resource: &str, labels: &str) -> Vec<Value> {
        let query = ListQuery::default().labels(LabelSelector::parse(labels).unwrap());
        let listing = self.api.list(&self.kind(resource), &query).unwrap();
        listing.items.iter().map(|item| item.value()).collect()
    }

    fn names(&self, resource: &str, labels: &str) -> Vec<String> {
        self.list(resource, labels).iter().map(|object| text(object, "/metadata/name")).collect()
    }

    fn change(&self, resource: &str, name: &str, patch: &Value) {
        self.change_at(resource, Target::new(self.place(resource), name), patch);
    }

    fn change_status(&self, resource: &str, name: &str, patch: &Value) {
        self.change_at(resource, Target::status(self.place(resource), name), patch);
    }

    fn change_at(&self, resource: &str, at: Target<'_>, patch: &Value) {
        let kind = self.kind(resource);
        self.api.modify(&kind, &at, |object| merge(object, patch)).unwrap();
    }

    fn delete(&self, resource: &str, name: &str, options: &DeleteOptions) {
        let at = Target::new(self.place(resource), name);
        self.api.delete(&self.kind(resource), &at, options).unwrap();
    }

    fn place(&self, resource: &str) -> &'static str {
        if self.kind(resource).is_namespaced() { "default" } else { "" }
    }

    fn node(&self, name: &str, labels: &Value) {
        self.create(
            "nodes",
            json!({
                "metadata": { "name": name, "labels": labels },
                "status": { "conditions": [{ "type": "Ready", "status": "True" }] },
            }),
        );
    }
}

/// As long as controllers and kubelets need for whatever there is to do at the moment.
async fn settle() {
    sleep(Duration::from_secs(20)).await;
}

/// Every second: binds what has no node to the node it is made for, or to `node`; says that what is bound is running and ready; and
/// ends what is being deleted.
async fn look_after_pods(api: Api) {
    let pods = api.kind("", "v1", "pods").unwrap();
    loop {
        sleep(Duration::from_secs(1)).await;
        for pod in api.list(&pods, &ListQuery::default()).unwrap().items {
            let value = pod.value();
            let (namespace, name) = (&*pod.key.namespace, &*pod.key.name);
            if value.pointer("/metadata/deletionTimestamp").is_some() {
                let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
                let _ = api.delete(&pods, &Target::new(namespace, name), &options);
            } else if text(&value, "/spec/nodeName").is_empty() {
                let terms = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution\
                             /nodeSelectorTerms/0/matchFields/0/values/0";
                let made_for = text(&value, terms);
                let node = if made_for.is_empty() { "node".to_owned() } else { made_for };
                let binding = json!({ "metadata": { "name": name }, "target": { "name": node } });
                let at = Target::new(namespace, name);
                bind(&api, &pods, &at, &binding, &WriteOptions::default()).unwrap();
            } else if text(&value, "/status/phase") == "Pending" {
                let now = api.clock().now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
                let ready = json!({ "type": "Ready", "status": "True", "lastTransitionTime": now });
                let status = json!({ "status": { "phase": "Running", "conditions": [ready] } });
                api.modify(&pods, &Target::status(namespace, name), |pod| merge(pod, &status))
                    .unwrap();
            }
        }
    }
}

fn merge(object: &mut Value, patch: &Value) {
    let (Value::Object(object), Value::Object(patch)) = (&mut *object, patch) else {
        *object = patch.clone();
        return;
    };
    for (name, value) in patch {
        if value.is_null() {
            object.remove(name);
        } else {
            merge(object.entry(name).or_insert(Value::Null), value);
        }
    }
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn number(value: &Value, pointer: &str) -> i64 {
    value.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array);
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

fn is_leaving(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some()
}

/// The status of a condition.
fn condition(object: &Value, kind: &str) -> String {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    let mut conditions = conditions.into_iter().flatten();
    let found = conditions.find(|condition| condition["type"] == kind);
    found.map(|condition| text(condition, "/status")).unwrap_or_default()
}

/// A template of pods with one container.
fn template(app: &str, image: &str) -> Value {
    json!({
        "metadata": { "labels": { "app": app } },
        "spec": { "containers": [{ "name": "c", "image": image }] },
    })
}

/// The spec of a workload.
fn workload(app: &str, replicas: i64, more: &Value) -> Value {
    let mut object = json!({
        "metadata": { "name": app },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "app": app } },
            "template": template(app, "image:1"),
        },
    });
    merge(&mut object, &json!({ "spec": more }));
    object
}
