//! `plimsoll minicluster`: a Kubernetes cluster in one process.

use std::{
    fs,
    io::{self, Write as _},
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::anyhow;
use clap::Args;
use plimsoll_manifest::duration;
use plimsoll_minicluster::{
    Minicluster,
    kubelet::Behaviour,
    minicluster::{Settings, StartError},
};
use plimsoll_model::Quantity;
use plimsoll_net::{Clock, Shutdown, tls};
use serde_json::{Value, json};

use crate::{failure::Failure, listen, log};

/// Where the kubeconfig goes when nobody says.
const KUBECONFIG: &str = "plimsoll.kubeconfig";

/// What was typed.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where to write the kubeconfig. Without it: ./plimsoll.kubeconfig, which is taken away at the end.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Where to listen, with TLS; port 0 is any that is free.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = listen::parse)]
    listen: SocketAddr,
    /// How many nodes there are from the start, node-0 and so on.
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    nodes: u32,
    /// What a node has.
    #[arg(long, value_name = "QUANTITY", default_value = "4", value_parser = quantity)]
    node_cpu: String,
    /// What a node has.
    #[arg(long, value_name = "QUANTITY", default_value = "16Gi", value_parser = quantity)]
    node_memory: String,
    /// How many pods a node takes.
    #[arg(long, value_name = "NUMBER", default_value_t = 110)]
    node_pods: u32,
    /// From the start of a machine until its node is there.
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = time)]
    boot_time: Duration,
    /// From the binding of a pod until it runs.
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = time)]
    pull_time: Duration,
    /// How long pods take to end when they are deleted, if their grace period lasts that long.
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = time)]
    termination_time: Duration,
    /// Nodes say that they are not ready, this time after they registered.
    #[arg(long, value_name = "DURATION", value_parser = time)]
    unready_after: Option<Duration>,
    /// Machines fall silent, this time after they registered.
    #[arg(long, value_name = "DURATION", value_parser = time)]
    vanish_after: Option<Duration>,
    /// The file in which the cluster outlives the process; read if it is there.
    #[arg(long, value_name = "FILE")]
    persist: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    log::start();
    tls::install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Running(error.into()))?;
    runtime.block_on(keep(arguments))
}

/// Runs the cluster until the process is asked to end.
async fn keep(arguments: &Arguments) -> Result<(), Failure> {
    let kubeconfig = arguments.kubeconfig.clone().unwrap_or_else(|| PathBuf::from(KUBECONFIG));
    // Whoever asks for the end while the cluster starts is heard, too.
    let shutdown = Shutdown::new();
    let signals = shutdown.clone();
    let listening = tokio::spawn(async move { signals.on_signal().await });
    let cluster = Minicluster::start(Clock::system(), arguments.settings(&kubeconfig)).await;
    let cluster = cluster.map_err(|error| blame(&error))?;
    introduce(&cluster, &kubeconfig)?;
    shutdown.wait().await;
    // The signal was given, so this has ended.
    let _ = listening.await;
    let stopped = cluster.stop().await;
    if arguments.kubeconfig.is_none() {
        // It may have been taken away already.
        let _ = fs::remove_file(&kubeconfig);
    }
    stopped.map_err(|error| Failure::Running(anyhow!("{error}")))
}

/// How to use it.
fn introduce(cluster: &Minicluster, kubeconfig: &Path) -> Result<(), Failure> {
    let path = std::path::absolute(kubeconfig).unwrap_or_else(|_| kubeconfig.to_owned());
    let mut out = io::stdout().lock();
    writeln!(out, "A cluster runs at {} until Ctrl-C. Use it with", cluster.url().unwrap_or("-"))?;
    writeln!(out)?;
    writeln!(out, "  export KUBECONFIG={}", path.display())?;
    writeln!(out, "  kubectl get nodes")?;
    writeln!(out, "  kubectl create deployment web --image=registry.example/web:1 --replicas=3")?;
    out.flush()?;
    Ok(())
}

/// What was typed is at fault where a file or an address is. The error's own words name their cause already.
pub(crate) fn blame(error: &StartError) -> Failure {
    let told = anyhow!("{error}");
    match error {
        StartError::Certificates(_) => Failure::Running(told),
        _ => Failure::Input(told),
    }
}

// === impl Arguments ===

impl Arguments {
    fn settings(&self, kubeconfig: &Path) -> Settings {
        Settings {
            listen: Some(self.listen),
            kubeconfig: Some(kubeconfig.to_owned()),
            persist: self.persist.clone(),
            nodes: (0..self.nodes).map(|number| self.node(number)).collect(),
            behaviour: Behaviour {
                boot: self.boot_time,
                pull: self.pull_time,
                termination: Some(self.termination_time),
                unready_after: self.unready_after,
                vanish_after: self.vanish_after,
                ..Behaviour::default()
            },
            ..Settings::default()
        }
    }

    fn node(&self, number: u32) -> Value {
        let room = json!({
            "cpu": self.node_cpu,
            "memory": self.node_memory,
            "pods": self.node_pods.to_string(),
            "ephemeral-storage": "100Gi",
        });
        json!({
            "metadata": { "name": format!("node-{number}") },
            "status": { "capacity": room },
        })
    }
}

/// Reads a duration, for a flag.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let read = duration::parse(text).and_then(|duration| Duration::try_from(duration).ok());
    read.ok_or_else(|| format!("\"{text}\" is not a duration, such as 30s or 1m30s"))
}

/// Checks a quantity, for a flag. It is kept as it was typed.
fn quantity(text: &str) -> Result<String, String> {
    let problem = |error| anyhow!("\"{text}\" is not a quantity, such as 4, 500m or 16Gi: {error}");
    text.parse::<Quantity>().map_err(problem).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}
