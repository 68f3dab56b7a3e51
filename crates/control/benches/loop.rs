//! Figures of the running loop: from a pod's creation to the call to the provider, what it costs when little happens, and a whole
//! pass in a large cluster.
//!
//! `cargo bench -p plimsoll-control --bench loop`, with numbers of nodes and pods as its arguments for another size. The cluster runs in a process of its own, so that the figures are the
//! autoscaler's alone.

use std::{
    error::Error,
    fs,
    io::{BufRead as _, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use plimsoll_cluster::{
    connect::{Connection, connect},
    lease::Standing,
};
use plimsoll_control::{
    engine::{Engine, Handle, Parts},
    fault::Faults,
    settings::Settings,
};
use plimsoll_minicluster::{
    Api, Kind, Minicluster,
    api::{Target, WriteOptions},
    minicluster::{self, Part},
};
use plimsoll_model::{Group, GroupOptions, Instance, InstanceState, Symbol};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{
    Capabilities, Deletion, Fleet, GroupState, Inventory, NodeIdentity, Order, Overrides, Owner,
    Provider, Upkeep,
};
use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep, timeout},
};

/// How large, and how many pods are created one after the other for the first figure.
const ORDINARY: (u32, u32) = (1_000, 30_000);
const LARGE: (u32, u32) = (5_000, 150_000);
const SAMPLES: usize = 100;
/// How long is watched what it costs when little happens.
const QUIET: Duration = Duration::from_mins(1);
/// A node says that it is well so often, as kubelets do.
const HEARTBEAT: Duration = Duration::from_mins(5);
/// Clock ticks per second in `/proc`, which is the same on every Linux that matters.
const TICKS: f64 = 100.0;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if let [_, word, nodes, pods, file] = arguments.as_slice()
        && word == "--serve"
    {
        return runtime.block_on(serve(nodes.parse()?, pods.parse()?, Path::new(file)));
    }
    let asked: Vec<u32> = arguments.iter().filter_map(|text| text.parse().ok()).collect();
    if let [nodes, pods] = asked.as_slice() {
        return runtime.block_on(ordinary((*nodes, *pods)));
    }
    runtime.block_on(ordinary(ORDINARY))?;
    runtime.block_on(large())
}

async fn ordinary(size: (u32, u32)) -> Outcome {
    let mut stage = Stage::set(size).await?;
    let mut waited = Vec::new();
    for _ in 0..SAMPLES {
        // Each at another moment of the loop's own rhythm.
        sleep(Duration::from_millis(730)).await;
        waited.push(stage.pod_to_call().await?);
    }
    waited.sort_unstable();
    let at = |percent: usize| waited.get((waited.len() - 1) * percent / 100).copied();
    for percent in [50, 99, 100] {
        let what = format!("pod to call, p{percent}");
        say(&what, &at(percent).map_or_else(String::new, millis))?;
    }
    sleep(Duration::from_secs(20)).await;
    let (before, passes) = (cpu_seconds(), stage.passes());
    sleep(QUIET).await;
    let share = (cpu_seconds() - before) / QUIET.as_secs_f64();
    say("CPU when little happens", &format!("{:.2} % of a core", share * 100.0))?;
    say("passes in that time", &(stage.passes() - passes).to_string())?;
    say("memory", &format!("{} MiB", resident_bytes() >> 20))?;
    stage.clear()
}

async fn large() -> Outcome {
    let mut stage = Stage::set(LARGE).await?;
    let mut passes = stage.handle.passes();
    for round in 1..=3 {
        stage.pod_to_call().await?;
        passes.changed().await?;
        let took = passes.borrow_and_update().as_ref().map(|pass| pass.took);
        let took = took.ok_or("there was a pass")?;
        let all = took.observe + took.plan + took.act;
        let parts = format!(
            "{} (observe {}, plan {}, act {})",
            millis(all),
            millis(took.observe),
            millis(took.plan),
            millis(took.act)
        );
        say(&format!("whole pass {round}"), &parts)?;
    }
    say("memory", &format!("{} MiB", resident_bytes() >> 20))?;
    stage.clear()
}

/// The loop, and the process in which the cluster is.
struct Stage {
    cluster: Child,
    orders: ChildStdin,
    calls: mpsc::UnboundedReceiver<Instant>,
    handle: Handle,
    file: PathBuf,
    shutdown: Shutdown,
    /// Kept, so that the loop leads and has its settings.
    _wishes: (watch::Sender<Standing>, watch::Sender<Arc<Settings>>),
}

impl Stage {
    async fn set((nodes, pods): (u32, u32)) -> Outcome<Self> {
        say("", &format!("{nodes} nodes, {pods} pods"))?;
        let file = std::env::temp_dir().join(format!("plimsoll-loop-{}", std::process::id()));
        let mut cluster = Command::new(std::env::current_exe()?)
            .arg("--serve")
            .args([nodes.to_string(), pods.to_string()])
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = cluster.stdin.take().ok_or("the cluster has an input")?;
        let mut told = BufReader::new(cluster.stdout.take().ok_or("the cluster has an output")?);
        told.read_line(&mut String::new())?;
        let connection = Connection {
            kubeconfig: Some(file.clone()),
            master: None,
            rate: 0.0,
            burst: 0,
            user_agent: "plimsoll".to_owned(),
        };
        let (sender, calls) = mpsc::unbounded_channel();
        let shop = Shop { nodes, target: AtomicU32::new(nodes), calls: sender };
        let clock = Clock::system();
        let fleet = Fleet::new(vec![Arc::new(shop)], clock, Upkeep::default())?;
        let standing = watch::Sender::new(Standing::Leading);
        let settings = watch::Sender::new(Arc::new(Settings::default()));
        let started = Instant::now();
        let engine = Engine::new(Parts {
            client: connect(&connection).await?,
            fleet: Arc::new(fleet),
            clock,
            settings: settings.subscribe(),
            standing: standing.subscribe(),
            adviser: None,
            faults: Faults::default(),
        });
        let (handle, shutdown) = (engine.handle(), Shutdown::new());
        tokio::spawn(engine.run(shutdown.clone()));
        handle.passes().wait_for(Option::is_some).await?;
        say("start to first pass", &millis(started.elapsed()))?;
        let wishes = (standing, settings);
        Ok(Self { cluster, orders, calls, handle, file, shutdown, _wishes: wishes })
    }

    /// Creates a pod that nobody has room for, and waits until the provider is called.
    async fn pod_to_call(&mut self) -> Outcome<Duration> {
        let created = Instant::now();
        writeln!(self.orders, "pod")?;
        self.orders.flush()?;
        let called = timeout(Duration::from_mins(1), self.calls.recv()).await?;
        Ok(called.ok_or("the provider is there")?.duration_since(created))
    }

    fn passes(&self) -> u64 {
        self.handle.passes().borrow().as_ref().map_or(0, |pass| pass.number)
    }

    fn clear(mut self) -> Outcome {
        self.shutdown.trigger();
        self.cluster.kill()?;
        self.cluster.wait()?;
        fs::remove_file(self.file)?;
        Ok(())
    }
}

/// A provider that takes every order, and whose new machines never come.
#[derive(Debug)]
struct Shop {
    nodes: u32,
    target: AtomicU32,
    calls: mpsc::UnboundedSender<Instant>,
}

#[async_trait]
impl Provider for Shop {
    fn name(&self) -> &'static str {
        "shop"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    async fn refresh(&self) -> Result<Inventory, plimsoll_provider::Error> {
        let instances = (0..self.nodes).map(|number| Instance {
            id: format!("shop://node-{number}").into(),
            node: None,
            state: InstanceState::Running,
            created: None,
            error: None,
        });
        let group = Group {
            id: Symbol::new("group"),
            min: 0,
            max: 100_000,
            target: self.target.load(Ordering::Relaxed),
            price: None,
            template: None,
            instances: instances.collect(),
            options: GroupOptions::default(),
            stock: None,
            frozen: None,
        };
        let state = GroupState {
            group,
            overrides: Overrides::default(),
            boot_time: None,
            about: "".into(),
        };
        Ok(Inventory { groups: vec![state], ..Inventory::default() })
    }

    async fn increase(&self, order: &Order) -> Result<(), plimsoll_provider::Error> {
        self.target.store(order.from + order.count, Ordering::Relaxed);
        // Nobody waits for calls in the end.
        let _ = self.calls.send(Instant::now());
        Ok(())
    }

    async fn lower_target(&self, _: Symbol, target: u32) -> Result<u32, plimsoll_provider::Error> {
        Ok(target)
    }

    async fn delete(
        &self,
        _: Symbol,
        _: &[Box<str>],
    ) -> Result<Vec<Deletion>, plimsoll_provider::Error> {
        Ok(Vec::new())
    }

    async fn owner(&self, _: &NodeIdentity) -> Result<Option<Owner>, plimsoll_provider::Error> {
        Ok(None)
    }
}

/// The cluster: nodes that are well, pods that run, a scheduler, and a line of input for every pod that is to be created.
async fn serve(nodes: u32, pods: u32, file: &Path) -> Outcome {
    let settings = minicluster::Settings {
        listen: Some(([127, 0, 0, 1], 0).into()),
        kubeconfig: Some(file.to_owned()),
        parts: vec![Part::Scheduler],
        ..minicluster::Settings::default()
    };
    let cluster = Minicluster::start(Clock::system(), settings).await?;
    let api = cluster.api().clone();
    let (node_kind, pod_kind) = (kind(&api, "", "nodes")?, kind(&api, "", "pods")?);
    let options = WriteOptions::default();
    let owners = kind(&api, "apps", "replicasets")?;
    for number in 0..pods / 100 {
        api.create(&owners, "default", replica_set(number), &options)?;
    }
    for number in 0..nodes {
        api.create(&node_kind, "", node(number), &options)?;
        let (name, status) = (format!("node-{number}"), node_status());
        let at = Target::status("", &name);
        api.modify(&node_kind, &at, |node| node["status"] = status.clone())?;
    }
    for number in 0..pods {
        let (name, node) = (format!("pod-{number}"), format!("node-{}", number % nodes));
        api.create(&pod_kind, "default", pod(&name, Some(&node), "400m"), &options)?;
        let at = Target::status("default", &name);
        api.modify(&pod_kind, &at, |pod| pod["status"]["phase"] = json!("Running"))?;
    }
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    out.flush()?;
    tokio::spawn(beat(api.clone(), Arc::clone(&node_kind), nodes));
    let (sender, mut lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let mut created = 0;
    while lines.recv().await.is_some() {
        let name = format!("new-{created}");
        api.create(&pod_kind, "default", pod(&name, None, "15"), &options)?;
        created += 1;
    }
    Ok(())
}

/// Nodes say that they are well, evenly over time.
async fn beat(api: Api, kind: Arc<Kind>, nodes: u32) {
    let mut number = 0;
    loop {
        sleep(HEARTBEAT / nodes).await;
        number = (number + 1) % nodes;
        let (name, now) = (format!("node-{number}"), api.clock().now());
        let now = json!(now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        // A node that cannot be written to is not well, which does not matter here.
        let _ = api.modify(&kind, &Target::status("", &name), |node| {
            node["status"]["conditions"][0]["lastHeartbeatTime"] = now.clone();
        });
    }
}

fn node(number: u32) -> Value {
    let name = format!("node-{number}");
    let zone = ["a", "b", "c"].get(usize::try_from(number % 3).unwrap_or_default());
    json!({
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "topology.kubernetes.io/zone": zone,
            },
        },
        "spec": { "providerID": format!("shop://{name}") },
    })
}

fn node_status() -> Value {
    let resources = json!({ "cpu": "16", "memory": "64Gi", "pods": "110" });
    let ready = json!({ "type": "Ready", "status": "True", "reason": "KubeletReady" });
    json!({ "capacity": resources, "allocatable": resources, "conditions": [ready] })
}

fn replica_set(number: u32) -> Value {
    let labels = json!({ "app": format!("app-{number}") });
    json!({
        "metadata": { "name": format!("app-{number}") },
        "spec": {
            "replicas": 100,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "main", "image": "app" }] },
            },
        },
    })
}

fn pod(name: &str, node: Option<&str>, cpu: &str) -> Value {
    let mut spec = json!({
        "containers": [{
            "name": "main", "image": "registry.example/app:1.2.3",
            "resources": { "requests": { "cpu": cpu, "memory": "256Mi" } },
            "env": [{ "name": "MODE", "value": "production" }],
        }],
    });
    if let Some(node) = node {
        spec["nodeName"] = json!(node);
    }
    let number: u32 = name.rsplit('-').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    let app = format!("app-{}", number / 100);
    json!({
        "metadata": {
            "name": name,
            "labels": { "app": app, "pod-template-hash": "7c5ddbdf54" },
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "controller": true,
                "uid": format!("6f1c1d3e-0f0c-4a53-9a0e-{number:012}"), "blockOwnerDeletion": true,
            }],
        },
        "spec": spec,
    })
}

fn kind(api: &Api, group: &str, plural: &str) -> Outcome<Arc<Kind>> {
    api.kind(group, "v1", plural).ok_or_else(|| format!("no kind {plural}").into())
}

fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the process may have spaces in it; what follows has not.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

fn millis(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}

fn say(what: &str, figure: &str) -> Outcome {
    let mut out = std::io::stdout();
    writeln!(out, "{what:<28}{figure}")?;
    out.flush()?;
    Ok(())
}
