//! An autoscaler as words of the command line want it, in a cluster and on an infrastructure of its own. Time is tokio's, and paused.

use std::{collections::BTreeMap, fs, sync::Arc, time::Duration};

use axum::{Router, body::Body};
use http_body_util::BodyExt as _;
use jiff::SignedDuration;
use plimsoll_cluster::connect;
use plimsoll_control::{autoscaler::Autoscaler, settings::Settings};
use plimsoll_minicluster::{
    Minicluster,
    api::{ListQuery, Target, WriteOptions},
    kubelet::Behaviour,
    minicluster,
};
use plimsoll_net::{Clock, Shutdown, listen::Peer};
use plimsoll_providers::{
    joins,
    simulated::{Cloud, Happening},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{sync::watch, time::sleep};
use tower::ServiceExt as _;

use self::gate::Gate;
use super::process;
use crate::run::{Ready, assemble, prepare, process::Process};

pub(crate) mod gate;

/// Two kinds of machines of which one is cheaper.
const MACHINES: &str = "
name: simulated
groups:
- {id: cheap, max: 20, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
- {id: dear, max: 20, price: 0.50, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
";

pub(crate) struct Stage {
    pub clock: Clock,
    pub cluster: Minicluster,
    pub gate: Gate,
    pub process: Box<Process>,
    cloud: Option<Cloud>,
    router: Router,
    /// Until it begins.
    autoscaler: Option<Box<Autoscaler>>,
    _settings: watch::Sender<Arc<Settings>>,
    _folder: TempDir,
}

// === impl Stage ===

impl Stage {
    /// Everything is there, and the autoscaler has not begun.
    pub(crate) async fn set(words: &[String]) -> Self {
        Box::pin(Self::set_with(MACHINES, words)).await
    }

    /// The same, with other machines.
    pub(crate) async fn set_with(machines: &str, words: &[String]) -> Self {
        let clock = Clock::starting_at("2026-03-01T12:00:00Z".parse().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("machines.yaml");
        fs::write(&file, machines).unwrap();
        let file = format!("--cloud-config={}", file.display());
        let given = words.iter().map(String::as_str);
        let all: Vec<&str> =
            ["--cloud-provider=simulated", &file].into_iter().chain(given).collect();
        let process = process(&all).unwrap();
        let termination = Some(Duration::from_secs(2));
        let behaviour = Behaviour { termination, ..Behaviour::default() };
        let settings = minicluster::Settings { behaviour, ..minicluster::Settings::default() };
        let cluster = Minicluster::start(clock, settings).await.unwrap();
        let Ready { home, leadership, fleet, clouds, adviser, .. } =
            prepare(&process, clock).unwrap();
        for cloud in clouds.clone() {
            let (coming, going) = (cluster.kubelets().clone(), cluster.kubelets().clone());
            let machines = joins(move |node| coming.add(node), move |name| going.remove(name));
            tokio::spawn(async move { cloud.run(&machines, Shutdown::new()).await });
        }
        let gate = Gate::new(cluster.service(), clock);
        let client = connect::limited(gate.clone(), &process.connection);
        let settings = watch::Sender::new(Arc::new(process.settings.clone()));
        let ready = (fleet, leadership, home.cluster, adviser);
        let autoscaler = assemble(&process, client, ready, clock, settings.subscribe());
        let stage = Self {
            clock,
            cluster,
            gate,
            process: Box::new(process),
            cloud: clouds.into_iter().next(),
            router: autoscaler.router(),
            autoscaler: Some(Box::new(autoscaler)),
            _settings: settings,
            _folder: folder,
        };
        stage.pass(5).await;
        stage
    }

    /// Everything is there, and the autoscaler runs.
    pub(crate) async fn begun(words: &[String]) -> Self {
        let mut stage = Box::pin(Self::set_with(MACHINES, words)).await;
        stage.begin();
        stage
    }

    /// A client as the words want it.
    pub(crate) fn client(&self) -> connect::Client {
        connect::limited(self.gate.clone(), &self.process.connection)
    }

    pub(crate) fn begin(&mut self) {
        let autoscaler = self.autoscaler.take().unwrap();
        tokio::spawn(autoscaler.run(Shutdown::new()));
    }

    /// Lets time pass.
    pub(crate) async fn pass(&self, seconds: u64) {
        sleep(Duration::from_secs(seconds)).await;
    }

    /// Lets time pass until `is_so`, for three hours at most. Answers with the seconds that it took.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) -> i64 {
        let begun = self.clock.now();
        loop {
            let waited = self.clock.now().duration_since(begun);
            if is_so(self) {
                return waited.round(jiff::Unit::Second).unwrap().as_secs();
            }
            assert!(waited < SignedDuration::from_hours(3), "{what} did not come about");
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Asks the autoscaler for text.
    pub(crate) async fn get(&self, path: &str) -> (u16, String) {
        let (code, body) = self.fetch(path).await;
        (code, String::from_utf8(body).unwrap())
    }

    /// Asks the autoscaler from the machine itself.
    pub(crate) async fn fetch(&self, path: &str) -> (u16, Vec<u8>) {
        self.fetch_from([127, 0, 0, 1], path).await
    }

    /// Asks the autoscaler from the machine with this address.
    pub(crate) async fn fetch_from(&self, caller: [u8; 4], path: &str) -> (u16, Vec<u8>) {
        let peer = Peer { address: (caller, 40_000).into(), certificate: None };
        let request = http::Request::get(path).extension(peer).body(Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let code = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (code, body.to_vec())
    }

    /// The value of a metric without labels.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").await.1;
        let mut samples = text.lines().filter_map(|line| line.split_once(' '));
        let sample = samples.find(|(series, _)| series.trim_end_matches("{}") == name);
        sample.unwrap().1.parse().unwrap()
    }

    /// Objects of a kind such as `deployments.apps`.
    pub(crate) fn list(&self, resource: &str) -> Vec<Value> {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let version = if group == "plimsoll.dev" { "v1alpha1" } else { "v1" };
        let Some(kind) = self.cluster.api().kind(group, version, plural) else { return Vec::new() };
        let listing = self.cluster.api().list(&kind, &ListQuery::default()).unwrap();
        listing.items.iter().map(|item| item.value()).collect()
    }

    /// Objects of a kind as `namespace/name`, those of the cluster's own nodes and namespaces left out.
    pub(crate) fn names(&self, resource: &str) -> Vec<String> {
        let names = self.list(resource).into_iter().map(|object| {
            format!("{}/{}", text(&object, "/metadata/namespace"), text(&object, "/metadata/name"))
        });
        let is_own = |name: &String| {
            !name.starts_with("kube-node-lease/") && !name.ends_with("/kube-root-ca.crt")
        };
        let mut names: Vec<String> = names.filter(is_own).collect();
        names.sort();
        names
    }

    pub(crate) fn create(&self, resource: &str, object: Value) {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let kind = self.cluster.api().kind(group, "v1", plural).unwrap();
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        self.cluster.api().create(&kind, namespace, object, &WriteOptions::default()).unwrap();
    }

    pub(crate) fn modify(&self, resource: &str, name: &str, change: impl Fn(&mut Value)) {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let kind = self.cluster.api().kind(group, "v1", plural).unwrap();
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        let at = Target::new(namespace, name);
        self.cluster.api().modify(&kind, &at, |object| change(object)).unwrap();
    }

    /// Pods that somebody keeps running: so many of so many cores. `special` is about their template.
    pub(crate) fn deploy(
        &self,
        name: &str,
        replicas: u32,
        cpu: &str,
        special: impl FnOnce(&mut Value),
    ) {
        let labels = json!({ "app": name });
        let requests = json!({ "cpu": cpu, "memory": "100Mi" });
        let container =
            json!({ "name": "main", "image": "i", "resources": { "requests": requests } });
        let mut template =
            json!({ "metadata": { "labels": labels }, "spec": { "containers": [container] } });
        special(&mut template);
        let selector = json!({ "matchLabels": labels });
        let spec = json!({ "replicas": replicas, "selector": selector, "template": template });
        self.create("deployments.apps", json!({ "metadata": { "name": name }, "spec": spec }));
    }

    pub(crate) fn scale(&self, name: &str, replicas: u32) {
        self.modify("deployments.apps", name, |object| {
            object["spec"]["replicas"] = replicas.into();
        });
    }

    /// How many pods of a deployment run.
    pub(crate) fn running(&self, app: &str) -> usize {
        let pods = self.list("pods").into_iter().filter(|pod| {
            text(pod, "/metadata/labels/app") == app
                && text(pod, "/status/phase") == "Running"
                && pod.pointer("/metadata/deletionTimestamp").is_none()
        });
        pods.count()
    }

    /// What is on each node that keeps pods away: `closed ToBeDeletedByClusterAutoscaler`.
    pub(crate) fn marks(&self) -> Vec<String> {
        let nodes = self.list("nodes").into_iter().map(|node| {
            let mut marks = Vec::new();
            if node.pointer("/spec/unschedulable") == Some(&json!(true)) {
                marks.push("closed".to_owned());
            }
            let taints = node.pointer("/spec/taints").and_then(Value::as_array).cloned();
            let keys = taints.unwrap_or_default().into_iter().map(|taint| text(&taint, "/key"));
            marks.extend(keys.filter(|key| key.ends_with("ClusterAutoscaler")));
            marks.sort_unstable();
            marks.join(" ")
        });
        nodes.collect()
    }

    /// Whether a node is on its way out.
    pub(crate) fn has_leaving(&self) -> bool {
        self.marks().iter().any(|marks| marks.contains("ToBeDeleted"))
    }

    /// The infrastructure.
    pub(crate) fn cloud(&self) -> &Cloud {
        self.cloud.as_ref().unwrap()
    }

    /// How many machines of each group were ever bought: `cheap 2`.
    pub(crate) fn bought(&self) -> String {
        let mut bought: BTreeMap<String, usize> = BTreeMap::new();
        for entry in self.cloud().journal() {
            if let Happening::Bought(Some(_)) = entry.what {
                *bought.entry(entry.machine.group.to_string()).or_default() += 1;
            }
        }
        let bought: Vec<String> =
            bought.into_iter().map(|(group, count)| format!("{group} {count}")).collect();
        bought.join(", ")
    }

    /// Whether the infrastructure was asked to delete a machine.
    pub(crate) fn has_deleted(&self) -> bool {
        let journal = self.cloud().journal();
        journal.iter().any(|entry| entry.what == Happening::Deleting)
    }
}

pub(crate) fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}
