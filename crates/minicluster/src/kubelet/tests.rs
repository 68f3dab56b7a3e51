use std::{sync::Arc, time::Duration};

use plimsoll_net::{Clock, Shutdown};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Behaviour, Cluster, Kubelets, Local};
use crate::{
    Api, Kind,
    api::{DeleteOptions, ListQuery, Target, WatchEvent, WatchQuery, WriteOptions},
};

mod kubeconfig;
mod life;
mod nodes;

/// A cluster without controllers and scheduler, with kubelets, in paused time: it passes when nobody has anything to do.
struct Bed {
    api: Api,
    kubelets: Kubelets,
}

// === impl Bed ===

impl Bed {
    fn new(behaviour: Behaviour) -> Self {
        let clock = Clock::starting_at("2026-01-01T00:00:00Z".parse().unwrap());
        let api = Api::new(clock);
        let local: Arc<dyn Cluster> = Arc::new(Local::new(api.clone()));
        let kubelets = Kubelets::new(local, clock, behaviour);
        let running = kubelets.clone();
        tokio::spawn(async move { running.run(&Shutdown::new()).await });
        Self { api, kubelets }
    }

    /// With a node `n` that is there.
    async fn with_node(behaviour: Behaviour) -> Self {
        let bed = Self::new(behaviour);
        bed.kubelets.add(json!({ "metadata": { "name": "n" } }));
        sleep(Duration::from_millis(1)).await;
        bed
    }

    fn kind(&self, plural: &str) -> Arc<Kind> {
        self.api.kinds().into_iter().find(|kind| &*kind.plural == plural).unwrap()
    }

    fn make(&self, plural: &str, object: Value) -> Value {
        let kind = self.kind(plural);
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        let options = WriteOptions::manager("test");
        self.api.create(&kind, namespace, object, &options).unwrap().object.value()
    }

    /// A pod that is bound to a node.
    fn pod(&self, name: &str, node: &str, annotations: &Value, spec: &Value) {
        let mut pod = json!({
            "metadata": { "name": name, "annotations": annotations },
            "spec": { "nodeName": node, "containers": [{ "name": "c", "image": "app:1" }] },
        });
        for (field, value) in spec.as_object().into_iter().flatten() {
            pod["spec"][field] = value.clone();
        }
        self.make("pods", pod);
    }

    fn get(&self, plural: &str, namespace: &str, name: &str) -> Option<Value> {
        self.api.get(&self.kind(plural), namespace, name).ok().map(|object| object.value())
    }

    fn status(&self, pod: &str) -> Value {
        self.get("pods", "default", pod).unwrap()["status"].clone()
    }

    fn delete(&self, plural: &str, name: &str) {
        let kind = self.kind(plural);
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        let at = Target::new(namespace, name);
        self.api.delete(&kind, &at, &DeleteOptions::default()).unwrap();
    }

    /// What time the lease of a node was last renewed.
    fn renewed(&self, node: &str) -> Option<String> {
        let lease = self.get("leases", "kube-node-lease", node)?;
        lease["spec"]["renewTime"].as_str().map(str::to_owned)
    }
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}
