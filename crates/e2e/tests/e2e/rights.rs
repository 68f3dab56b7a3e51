//! The rights that are shipped are enough for everything that the autoscaler does, and none of them is idle.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use axum::{Router, body::Body};
use futures::StreamExt as _;
use jiff::SignedDuration;
use plimsoll_cluster::{
    connect::{Connection, connect},
    identity,
    lease::{Candidacy, Leadership, Timings},
    priorities,
};
use plimsoll_control::{
    autoscaler::{Autoscaler, Equipment},
    record::RecordSettings,
    settings::Settings,
};
use plimsoll_e2e::{Api, ControlPlane, Flavour, Request};
use plimsoll_minicluster::kubelet::{Behaviour, Kubeconfig, Kubelets, Remote};
use plimsoll_net::{Clock, Fence, Shutdown, listen::Peer};
use plimsoll_provider::{Binding, Fleet, Home, Provider, Upkeep};
use plimsoll_providers::{
    Joins,
    simulated::{Catalogue, Cloud, Simulated},
};
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle, time::sleep};
use tower::ServiceExt as _;

use crate::shipped;

mod optional;

const CATALOGUE: &str = "
name: simulated
groups:
- {id: only, max: 5, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 1s, deletion: 1s}
";

/// How often something is looked at that comes about by itself, before the test gives up on it.
const LOOKS: u32 = 1500;
/// And how long it is left alone in between.
const PAUSE: Duration = Duration::from_millis(200);

const NAMESPACE: &str = "kube-system";
const ACCOUNT: &str = "plimsoll";

/// A cluster whose autoscaler has the rights that are shipped.
struct Stage {
    plane: ControlPlane,
    admin: Api,
    cloud: Cloud,
    clock: Clock,
}

/// Machines become nodes; somebody else has to delete the Nodes of those that are gone.
struct Machines(Kubelets);

/// A process that autoscales, so to speak.
struct Process {
    task: JoinHandle<()>,
    shutdown: Shutdown,
    router: Router,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shipped_rights_are_all_that_is_used() {
    let stage = Stage::set(&[]).await;
    let first = stage.run("first", settings()).await;
    // Two pods on two nodes, and two more that would fit on one.
    stage.deploy("wide", 2, "3").await;
    stage.until("wide pods run", async || stage.running("wide").await == 2).await;
    stage.deploy("small", 2, "500m").await;
    stage.until("small pods run", async || stage.running("small").await == 2).await;
    stage.deploy("huge", 1, "40").await;
    stage
        .until("it is said that nobody takes it", async || {
            stage.said("NotTriggerScaleUp").await == 1
        })
        .await;
    stage.scale("wide", 0).await;
    stage.until("a node is given back", async || stage.count("/api/v1/nodes").await == 1).await;
    stage.until("small pods run", async || stage.running("small").await == 2).await;
    first.stop().await;

    // Whoever comes next finds everything where it was left, and says again what is still so.
    let second = stage.run("second", settings()).await;
    stage.until("it is said again", async || stage.said("NotTriggerScaleUp").await == 2).await;
    stage.scale("small", 0).await;
    stage.until("all nodes are given back", async || stage.count("/api/v1/nodes").await == 0).await;
    stage.until("removals are forgotten", async || stage.removals().await == 0).await;
    second.stop().await;

    stage.all_rights_are_used(shipped::CORE);
}

// === impl Stage ===

impl Stage {
    /// A cluster with what everybody needs, and with what these files say.
    async fn set(more: &[&str]) -> Self {
        let plane = ControlPlane::start(Flavour::Whole).await.unwrap();
        let admin = plane.api().unwrap();
        shipped::install(&admin, shipped::CORE).await;
        shipped::install(&admin, more).await;
        let clock = Clock::system();
        let remote = Remote::new(&Kubeconfig::read(&plane.kubeconfig()).unwrap()).unwrap();
        let kubelets = Kubelets::new(Arc::new(remote), clock, Behaviour::default());
        let running = kubelets.clone();
        tokio::spawn(async move { running.run(&Shutdown::new()).await });
        let cloud = Cloud::new(Catalogue::read("catalogue.yaml", CATALOGUE).unwrap(), clock);
        let machines = cloud.clone();
        tokio::spawn(async move { machines.run(&Machines(kubelets), Shutdown::new()).await });
        Self { plane, admin, cloud, clock }
    }

    /// Starts the autoscaler with the rights that are shipped.
    async fn run(&self, name: &str, settings: Settings) -> Process {
        let kubeconfig = self.plane.kubeconfig_of(NAMESPACE, ACCOUNT).await.unwrap();
        let connection = Connection {
            kubeconfig: Some(kubeconfig),
            master: None,
            rate: 0.0,
            burst: 0,
            user_agent: "plimsoll-e2e".to_owned(),
        };
        let client = connect(&connection, &Fence::open()).await.unwrap();
        let cluster = Binding::pending();
        cluster.bind(&identity::uid(&client).await.unwrap());
        let provider: Arc<dyn Provider> =
            Arc::new(Simulated::new(self.cloud.clone(), Home::alone(self.clock)));
        let fleet = Fleet::new(vec![provider], self.clock, Upkeep::default()).unwrap();
        let seconds = Duration::from_secs;
        let autoscaler = Autoscaler::new(Equipment {
            client: client.clone(),
            fleet: Arc::new(fleet),
            clock: self.clock,
            settings: watch::channel(Arc::new(settings)).1,
            election: Some(Candidacy {
                namespace: NAMESPACE.to_owned(),
                name: "cluster-autoscaler".to_owned(),
                identity: name.to_owned(),
                timings: Timings { lease: seconds(15), renew: seconds(10), retry: seconds(2) },
            }),
            leadership: Leadership::contested(self.clock),
            cluster,
            record: RecordSettings::default(),
            adviser: None,
        });
        let (router, shutdown) = (autoscaler.router(), Shutdown::new());
        let end = shutdown.clone();
        let task = tokio::spawn(async move {
            // As the program does; nobody listens here.
            let lists = priorities::follow(&client, NAMESPACE).for_each(|_| std::future::ready(()));
            tokio::select! {
                () = autoscaler.run(end) => {}
                () = lists => {}
            }
        });
        Process { task, shutdown, router }
    }

    /// Nothing was refused, and no right that these files give was idle.
    fn all_rights_are_used(&self, files: &[&str]) {
        let requests = self.plane.requests_of(NAMESPACE, ACCOUNT).unwrap();
        let refused: BTreeSet<&Request> =
            requests.iter().filter(|request| matches!(request.code, 401 | 403)).collect();
        assert_eq!(refused, BTreeSet::new(), "these were refused");
        let mut idle = shipped::granted(files);
        idle.retain(|right| !requests.iter().any(|request| right.allows(request)));
        assert_eq!(idle, BTreeSet::new(), "nobody uses these rights");
    }

    /// Pods that somebody keeps running: so many of so many cores.
    async fn deploy(&self, name: &str, replicas: u32, cpu: &str) {
        let labels = json!({ "app": name });
        let requests = json!({ "cpu": cpu, "memory": "100Mi" });
        let container =
            json!({ "name": "main", "image": "none", "resources": { "requests": requests } });
        let deployment = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": name },
            "spec": {
                "replicas": replicas,
                "selector": { "matchLabels": labels },
                "template": { "metadata": { "labels": labels }, "spec": {
                    "containers": [container], "terminationGracePeriodSeconds": 1,
                }},
            },
        });
        self.admin
            .create("/apis/apps/v1/namespaces/default/deployments", &deployment)
            .await
            .unwrap();
    }

    async fn scale(&self, name: &str, replicas: u32) {
        let path = format!("/apis/apps/v1/namespaces/default/deployments/{name}");
        self.admin.merge(&path, &json!({ "spec": { "replicas": replicas } })).await.unwrap();
    }

    async fn list(&self, path: &str) -> Vec<Value> {
        self.admin.get(path).await.unwrap()["items"].as_array().unwrap().clone()
    }

    async fn count(&self, path: &str) -> usize {
        self.list(path).await.len()
    }

    /// How many orders to remove a node are kept. Scale-ups are kept longer: the runaway guard counts them.
    async fn removals(&self) -> usize {
        let orders = self.list("/apis/plimsoll.dev/v1alpha1/nodeorders").await;
        orders.iter().filter(|order| order["spec"]["action"] == "Retire").count()
    }

    /// How many pods of a deployment run.
    async fn running(&self, app: &str) -> usize {
        let pods = self.list(&format!("/api/v1/pods?labelSelector=app={app}")).await;
        let runs = |pod: &&Value| {
            pod["status"]["phase"] == "Running" && pod["metadata"]["deletionTimestamp"].is_null()
        };
        pods.iter().filter(runs).count()
    }

    /// How often something was said by events.
    async fn said(&self, reason: &str) -> u64 {
        let events = self.list("/api/v1/namespaces/default/events").await;
        let said = events.iter().filter(|event| event["reason"] == reason);
        said.map(|event| event["count"].as_u64().unwrap_or(1)).sum()
    }

    async fn until(&self, what: &str, is_so: impl AsyncFn() -> bool) {
        for _ in 0..LOOKS {
            if is_so().await {
                return;
            }
            sleep(PAUSE).await;
        }
        let nodes = self.list("/api/v1/nodes").await;
        let names: Vec<_> = nodes.iter().map(|node| node["metadata"]["name"].to_string()).collect();
        let requests = self.plane.requests_of(NAMESPACE, ACCOUNT).unwrap();
        let refused: BTreeSet<&Request> =
            requests.iter().filter(|request| request.code >= 400).collect();
        panic!("{what} did not come about; nodes {names:?}, not granted {refused:#?}");
    }
}

/// As impatient as one may be.
fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.pace.scan = Duration::from_secs(1);
    settings.plan.group.unneeded_time = SignedDuration::from_secs(2);
    settings.plan.scale_down.delay_after_add = SignedDuration::from_secs(2);
    settings.plan.scale_down.delay_after_delete = SignedDuration::ZERO;
    settings.retire.delay_after_taint = SignedDuration::from_secs(1);
    settings.orders.keep = SignedDuration::from_secs(2);
    settings
}

// === impl Process ===

impl Process {
    /// The code of its answer to another machine that shows a token.
    async fn answers(&self, path: &str, token: &str) -> u16 {
        let peer = Peer { address: ([10, 0, 0, 7], 40_000).into(), certificate: None };
        let request = http::Request::get(path).extension(peer);
        let request = request.header("authorization", format!("Bearer {token}"));
        let request = request.body(Body::empty()).unwrap();
        self.router.clone().oneshot(request).await.unwrap().status().as_u16()
    }

    /// Asks it to end, and waits for it.
    async fn stop(self) {
        self.shutdown.trigger();
        self.task.await.unwrap();
    }
}

// === impl Machines ===

#[async_trait::async_trait]
impl Joins for Machines {
    async fn join(&self, node: Value) {
        self.0.add(node);
    }

    async fn leave(&self, name: &str) {
        self.0.vanish(name);
    }
}
