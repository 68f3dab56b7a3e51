use std::time::Duration;

use plimsoll_net::Clock;
use serde_json::{Value, json};

use super::Scheduler;
use crate::{
    Api, Kind,
    api::{DeleteOptions, ListQuery, Target, WriteOptions},
};

mod agreement;
mod preemption;
mod turns;

/// A cluster with a scheduler, in which time passes only when a test says so.
struct Cluster {
    api: Api,
    scheduler: Scheduler,
}

// === impl Cluster ===

impl Cluster {
    fn new() -> Self {
        let api = Api::new(Clock::starting_at("2026-01-01T00:00:00Z".parse().unwrap()));
        let scheduler = Scheduler::new(&api).unwrap();
        Self { api, scheduler }
    }

    fn kind(&self, plural: &str) -> std::sync::Arc<Kind> {
        let mut kinds = self.api.kinds().into_iter();
        kinds.find(|kind| &*kind.plural == plural).unwrap()
    }

    fn make(&self, plural: &str, object: Value) -> Value {
        let kind = self.kind(plural);
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        let options = WriteOptions::manager("test");
        self.api.create(&kind, namespace, object, &options).unwrap().object.value()
    }

    /// A node, with cpu in thousandths. Whoever takes off the taint of new nodes is not here, so it is done at once.
    fn node(&self, name: &str, cpu: u32, spec: Value) {
        let room = json!({ "cpu": format!("{cpu}m"), "memory": "16Gi", "pods": "110" });
        let labels = json!({ "kubernetes.io/hostname": name });
        self.make(
            "nodes",
            json!({ "metadata": { "name": name, "labels": labels },
                    "status": { "allocatable": room, "capacity": room } }),
        );
        self.change_node(name, |node| node["spec"] = spec);
    }

    fn change_node(&self, name: &str, change: impl FnOnce(&mut Value)) {
        self.api.modify(&self.kind("nodes"), &Target::new("", name), change).unwrap();
    }

    /// A pod that asks for cpu, in thousandths.
    fn pod(&self, name: &str, cpu: u32, spec: Value) -> Value {
        let resources = json!({ "requests": { "cpu": format!("{cpu}m") } });
        let containers = json!([{ "name": "c", "image": "i", "resources": resources }]);
        let mut all = json!({ "containers": containers });
        if let (Value::Object(all), Value::Object(more)) = (&mut all, spec) {
            all.extend(more);
        }
        let labels = json!({ "app": name });
        self.make("pods", json!({ "metadata": { "name": name, "labels": labels }, "spec": all }))
    }

    fn get(&self, plural: &str, name: &str) -> Value {
        let kind = self.kind(plural);
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        self.api.get(&kind, namespace, name).unwrap().value()
    }

    fn node_of(&self, pod: &str) -> Option<String> {
        self.get("pods", pod)["spec"]["nodeName"].as_str().map(str::to_owned)
    }

    /// The sentence that says why a pod has no node.
    fn why(&self, pod: &str) -> String {
        let pod = self.get("pods", pod);
        let condition = &pod["status"]["conditions"][0];
        assert_eq!(condition["type"], "PodScheduled");
        assert_eq!(condition["status"], "False");
        assert_eq!(condition["reason"], "Unschedulable");
        condition["message"].as_str().unwrap().to_owned()
    }

    fn delete(&self, plural: &str, name: &str, options: &DeleteOptions) {
        let kind = self.kind(plural);
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        self.api.delete(&kind, &Target::new(namespace, name), options).unwrap();
    }

    /// A pod goes without delay, as when its kubelet has ended it.
    fn end(&self, pod: &str) {
        let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
        self.delete("pods", pod, &options);
    }

    fn events(&self, reason: &str) -> Vec<Value> {
        let listing = self.api.list(&self.kind("events"), &ListQuery::default()).unwrap();
        let events = listing.items.iter().map(|event| event.value());
        events.filter(|event| event["reason"] == reason).collect()
    }

    fn settle(&mut self) {
        self.scheduler.settle();
    }

    /// Lets enough time pass for every pod to be tried again.
    async fn settle_later(&mut self) {
        self.settle();
        tokio::time::advance(Duration::from_secs(11)).await;
        self.settle();
    }
}
