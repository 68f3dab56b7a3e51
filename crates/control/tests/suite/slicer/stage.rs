//! A cluster, an emulated Slicer host and the loop between them, through the provider's own client.

use std::{fs, sync::Arc, time::Duration};

use jiff::SignedDuration;
use plimsoll_cluster::{
    connect, identity,
    lease::{Leadership, Standing},
};
use plimsoll_control::{
    engine::{Engine, Handle, Parts, Pass},
    fault::Faults,
    settings::Settings,
};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Binding, Fleet, Home, Limits, Steady, Upkeep};
use plimsoll_providers::{
    joins,
    rest::{Endpoint, Local, Rest, Trust},
    slicer::{
        Connector, Slicer, Source,
        emulator::{Emulator, HostSettings},
    },
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{sync::watch, task::JoinHandle, time::sleep};

use crate::{ground::Ground, stage::orders};

const HOST: &str = "
token: host-token
k3sToken: k3s-secret
groups: [{name: api, cpus: 4, ram: 16Gi, boot: 30s}, {name: spare, cpus: 4, ram: 16Gi}]
";

/// The file of the provider.
pub(crate) const INI: &str = r#"
[global]
k3s-url = https://k3s.example:6443
k3s-token = k3s-secret
[nodegroup "api"]
slicer-url = https://slicer.example
slicer-token = host-token
max-size = 20
"#;

/// The node that carries the cluster itself.
const SERVER: &str = "k3s-server";

pub(crate) struct Stage {
    pub(crate) host: Emulator,
    clock: Clock,
    pub(crate) ground: Ground,
    /// What the provider knows of the cluster.
    home: Home,
    directory: TempDir,
    engine: Option<JoinHandle<()>>,
    handle: Option<Handle>,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(INI).await
    }

    /// With another file of the provider's.
    pub(crate) async fn with(ini: &str) -> Self {
        let ground = Ground::start().await;
        let host = HostSettings::read("host.yaml", HOST).unwrap();
        let host = Emulator::new(host, ground.clock());
        // Machines that are gone fall silent, and somebody has to delete their Nodes.
        let (coming, going) = (ground.kubelets().clone(), ground.kubelets().clone());
        let machines = joins(move |node| coming.add(node), move |name| going.vanish(name));
        // As in every cluster of k3s. Were all nodes silent, no pod would be asked to leave its own.
        ground.kubelets().add(server());
        let running = host.clone();
        tokio::spawn(async move { running.run(&machines, Shutdown::new()).await });
        Self::over(ground, host, ini).await
    }

    /// Another cluster, empty, with a loop that is told of the same host by the same file.
    pub(crate) async fn beside(&self) -> Self {
        let ground = Ground::start().await;
        ground.kubelets().add(server());
        let ini = fs::read_to_string(self.directory.path().join("cloud-config.ini")).unwrap();
        Self::over(ground, self.host.clone(), &ini).await
    }

    async fn over(ground: Ground, host: Emulator, ini: &str) -> Self {
        let clock = ground.clock();
        let cluster = Binding::pending();
        cluster.bind(&identity::uid(&connect::over(ground.service())).await.unwrap());
        let home = Home { cluster, ..Home::alone(clock) };
        let directory = tempfile::tempdir().unwrap();
        let (engine, handle) = (None, None);
        let mut stage = Self { host, clock, ground, home, directory, engine, handle };
        stage.write(ini);
        stage.start();
        stage.pass(5).await;
        stage
    }

    /// Starts the loop, as a new process that knows nothing.
    fn start(&mut self) {
        let (clock, router) = (self.clock, self.host.router());
        let file = self.directory.path().join("cloud-config.ini");
        let connector: Connector = Arc::new(move |endpoint: &Endpoint, _: &Trust| {
            Ok(Rest::new(Arc::new(Local::new(router.clone())), endpoint.clone(), "test"))
        });
        let home = self.home.clone();
        let provider = Slicer::new("slicer", Source::File(file), home, connector).unwrap();
        let steady = Steady::new(Arc::new(provider), Limits::default());
        let fleet = Fleet::new(vec![Arc::new(steady)], clock, Upkeep::default()).unwrap();
        let mut settings = Settings::default();
        settings.plan.group.unneeded_time = SignedDuration::from_mins(2);
        settings.plan.scale_down.delay_after_add = SignedDuration::from_mins(2);
        let standing = watch::Sender::new(Standing::Leading);
        let settings = watch::Sender::new(Arc::new(settings));
        let engine = Engine::new(Parts {
            client: connect::over(self.ground.service()),
            fleet: Arc::new(fleet),
            clock,
            settings: settings.subscribe(),
            standing: standing.subscribe(),
            leadership: Leadership::alone(),
            cluster: self.home.cluster.clone(),
            adviser: None,
            faults: Faults::default(),
        });
        self.handle = Some(engine.handle());
        self.engine = Some(tokio::spawn(async move {
            let _kept = (standing, settings);
            Box::pin(engine.run(Shutdown::new())).await;
        }));
    }

    /// Ends the loop from one moment to the next, and starts another.
    pub(crate) async fn restart(&mut self) {
        self.stop().await;
        self.start();
    }

    /// Ends the loop from one moment to the next.
    pub(crate) async fn stop(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.abort();
            let _ = engine.await;
        }
    }

    /// Ends the loop, and starts another with the same file of the provider's in a cluster where nothing is. The provider takes the
    /// machines for this cluster's, as one does that cannot mark them.
    pub(crate) async fn move_to_an_empty_cluster(&mut self) {
        self.ground = Ground::start().await;
        self.restart().await;
    }

    pub(crate) fn last_pass(&self) -> Arc<Pass> {
        self.handle.as_ref().unwrap().passes().borrow().clone().unwrap()
    }

    /// Cuts a node off: its machine runs, and nothing is heard of it any more.
    pub(crate) fn cut_off(&self, node: &str) {
        self.ground.kubelets().vanish(node);
    }

    /// Writes the provider's file anew.
    pub(crate) fn write(&self, ini: &str) {
        fs::write(self.directory.path().join("cloud-config.ini"), ini).unwrap();
    }

    /// Lets time pass.
    pub(crate) async fn pass(&self, seconds: u64) {
        sleep(Duration::from_secs(seconds)).await;
    }

    /// Lets time pass until `is_so`, for an hour at most.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        for _ in 0..3_600 {
            if is_so(self) {
                return;
            }
            sleep(Duration::from_secs(1)).await;
        }
        let machines: Vec<_> = self.host.machines().into_iter().map(|one| one.hostname).collect();
        panic!("{what} did not come about; nodes {:?}, machines {machines:?}", self.nodes());
    }

    /// Pods that somebody keeps running: so many of a core each, so four to a machine but for what else is on it.
    pub(crate) fn deploy(&self, name: &str, replicas: u32) {
        let labels = json!({ "app": name });
        let requests = json!({ "requests": { "cpu": "1", "memory": "100Mi" } });
        let container = json!({ "name": "main", "image": "pause", "resources": requests });
        let object = json!({
            "metadata": { "name": name },
            "spec": {
                "replicas": replicas,
                "selector": { "matchLabels": labels },
                "template": { "metadata": { "labels": labels }, "spec": { "containers": [container] } },
            },
        });
        self.ground.create("deployments.apps", "default", object);
    }

    pub(crate) fn scale(&self, name: &str, replicas: u32) {
        let change = |object: &mut Value| object["spec"]["replicas"] = replicas.into();
        self.ground.modify("deployments.apps", "default", name, change);
    }

    /// How many pods run.
    pub(crate) fn running(&self) -> usize {
        let pods = self.ground.list("pods").into_iter().filter(|pod| {
            pod["status"]["phase"] == "Running" && pod["metadata"]["deletionTimestamp"].is_null()
        });
        pods.count()
    }

    /// The nodes but for the server.
    pub(crate) fn nodes(&self) -> Vec<String> {
        let names = self.ground.list("nodes").into_iter();
        let names = names.map(|node| node["metadata"]["name"].as_str().unwrap().to_owned());
        names.filter(|name| name != SERVER).collect()
    }

    /// Whether a node is tainted as one on its way out.
    pub(crate) fn is_tainted(&self) -> bool {
        let nodes = self.ground.list("nodes");
        let taints = nodes.iter().filter_map(|node| node["spec"]["taints"].as_array().cloned());
        taints.flatten().any(|taint| taint["key"] == "ToBeDeletedByClusterAutoscaler")
    }

    /// Orders by action and phase: `Increase Placed`.
    pub(crate) fn orders(&self) -> Vec<String> {
        orders(&self.ground)
    }

    /// How many machines the host has.
    pub(crate) fn machines(&self) -> usize {
        self.host.machines().len()
    }
}

/// Its Node: nothing else runs there.
fn server() -> Value {
    let resources = json!({ "cpu": "2", "memory": "4Gi", "pods": "110" });
    let key = "node-role.kubernetes.io/control-plane";
    json!({
        "metadata": { "name": SERVER, "labels": { key: "true" } },
        "spec": { "taints": [{ "key": key, "effect": "NoSchedule" }] },
        "status": { "capacity": resources, "allocatable": resources },
    })
}
