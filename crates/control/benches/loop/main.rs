//! Figures of the running loop: from a pod's creation to the call to the provider, what it costs when little happens, and a whole
//! pass in a large cluster.
//!
//! `cargo bench -p plimsoll-control --bench loop`, with numbers of nodes and pods as its arguments for another size. The cluster runs
//! in a process of its own, so that the figures are the autoscaler's alone.

mod cluster;
mod figures;
mod shop;

use std::{
    error::Error,
    fs,
    io::{BufRead as _, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use figures::{cpu_seconds, millis, resident_bytes, say};
use plimsoll_cluster::{
    connect::{Connection, connect},
    lease::{Leadership, Standing},
};
use plimsoll_control::{
    engine::{Engine, Handle, Parts},
    fault::Faults,
    settings::Settings,
};
use plimsoll_net::{Clock, Fence, Shutdown};
use plimsoll_provider::{Binding, Fleet, Upkeep};
use shop::Shop;
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

/// What goes wrong in a benchmark ends it.
type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if let [_, word, nodes, pods, file] = arguments.as_slice()
        && word == "--serve"
    {
        return runtime.block_on(cluster::serve(nodes.parse()?, pods.parse()?, Path::new(file)));
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
    // New nodes are taken to look like those that have been up for a minute: nothing can be bought before.
    stage.pod_to_call().await?;
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
        let shop = Shop::new(nodes, sender);
        let clock = Clock::system();
        let fleet = Fleet::new(vec![Arc::new(shop)], clock, Upkeep::default())?;
        let standing = watch::Sender::new(Standing::Leading);
        let settings = watch::Sender::new(Arc::new(Settings::default()));
        let started = Instant::now();
        let engine = Engine::new(Parts {
            client: connect(&connection, &Fence::open()).await?,
            fleet: Arc::new(fleet),
            clock,
            settings: settings.subscribe(),
            standing: standing.subscribe(),
            leadership: Leadership::alone(),
            cluster: Binding::unbound(),
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
        let called = timeout(Duration::from_mins(2), self.calls.recv()).await?;
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
