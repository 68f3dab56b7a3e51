//! Emulated hosts in this process and a provider over them, in time that can be paused.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use jiff::Timestamp;
use plimsoll_model::{Instance, Symbol};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Error, GroupState, Home, NodeIdentity, Order, OrderId, Provider as _};
use plimsoll_providers::{
    Joins,
    rest::{Endpoint, Exchange, Local, Rest, Trust},
    slicer::{
        Connector, Slicer, Source,
        emulator::{Emulator, HostSettings},
    },
};
use serde_json::Value;
use tempfile::TempDir;

/// One host with a group of each kind.
pub(super) const HOST: &str = "
token: host-token
k3sToken: k3s-token
groups:
- {name: api, cpus: 2, ram: 4Gi, boot: 20s}
- {name: arm, cpus: 4, ram: 8Gi, arch: aarch64, boot: 20s}
- {name: gpu, cpus: 8, ram: 32Gi, gpus: 2, boot: 20s}
";

/// The configuration for it.
pub(super) const INI: &str = r#"
[global]
k3s-url = https://k3s.example:6443
k3s-token = k3s-token
[nodegroup "api"]
slicer-url = https://one.example
slicer-token = host-token
[nodegroup "arm"]
slicer-url = https://one.example
slicer-token = host-token
[nodegroup "gpu"]
slicer-url = https://one.example
slicer-token = host-token
"#;

/// Hosts, a file that names them, and a cluster that their machines join.
pub(super) struct Stage {
    pub(super) clock: Clock,
    /// What new providers work for.
    pub(super) home: Home,
    hosts: BTreeMap<String, Emulator>,
    directory: TempDir,
    pub(super) nodes: Nodes,
}

/// A cluster that is only a list of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes(Arc<Mutex<BTreeMap<String, Value>>>);

impl Stage {
    /// Hosts by their names, with what each is.
    pub(super) fn new(hosts: &[(&str, &str)], ini: &str) -> Self {
        let clock = Clock::starting_at(Timestamp::from_second(1_800_000_000).unwrap());
        let nodes = Nodes::default();
        let open = |(name, text): &(&str, &str)| {
            let settings = HostSettings::read("host.yaml", text).unwrap();
            let emulator = Emulator::new(settings, clock);
            let (running, nodes) = (emulator.clone(), nodes.clone());
            tokio::spawn(async move { running.run(&nodes, Shutdown::new()).await });
            ((*name).to_owned(), emulator)
        };
        let hosts = hosts.iter().map(open).collect();
        let (home, directory) = (Home::alone(clock), tempfile::tempdir().unwrap());
        let stage = Self { clock, home, hosts, directory, nodes };
        stage.write(ini);
        stage
    }

    /// The usual host, with the usual file.
    pub(super) fn usual() -> Self {
        Self::new(&[("one.example", HOST)], INI)
    }

    pub(super) fn host(&self) -> &Emulator {
        self.hosts.values().next().unwrap()
    }

    pub(super) fn host_named(&self, name: &str) -> &Emulator {
        &self.hosts[name]
    }

    pub(super) fn file(&self) -> PathBuf {
        self.directory.path().join("cloud-config.ini")
    }

    /// Writes the file anew.
    pub(super) fn write(&self, ini: &str) {
        fs::write(self.file(), ini).unwrap();
    }

    /// A provider that remembers nothing.
    pub(super) fn provider(&self) -> Slicer {
        self.provider_through(|exchange| exchange)
    }

    /// The same with something between it and the hosts.
    pub(super) fn provider_through(
        &self,
        around: impl Fn(Arc<dyn Exchange>) -> Arc<dyn Exchange> + Send + Sync + 'static,
    ) -> Slicer {
        let hosts = self.hosts.clone();
        let connector: Connector = Arc::new(move |endpoint: &Endpoint, _: &Trust| {
            let host = &hosts[endpoint.host().unwrap()];
            let exchange = around(Arc::new(Local::new(host.router())));
            Ok(Rest::new(exchange, endpoint.clone(), "test"))
        });
        Slicer::new("slicer", Source::File(self.file()), self.home.clone(), connector).unwrap()
    }
}

#[async_trait]
impl Joins for Nodes {
    async fn join(&self, node: Value) {
        let name = node["metadata"]["name"].as_str().unwrap().to_owned();
        self.0.lock().unwrap().insert(name, node);
    }

    async fn leave(&self, name: &str) {
        self.0.lock().unwrap().remove(name);
    }
}

impl Nodes {
    pub(super) fn all(&self) -> Vec<Value> {
        self.0.lock().unwrap().values().cloned().collect()
    }

    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// What a provider is told of a node.
pub(super) fn identity(node: &Value) -> NodeIdentity {
    let labels = node["metadata"]["labels"].as_object().unwrap();
    NodeIdentity {
        name: node["metadata"]["name"].as_str().unwrap().to_owned(),
        provider_id: node["spec"]["providerID"].as_str().unwrap_or_default().to_owned(),
        labels: labels
            .iter()
            .map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned()))
            .collect(),
        addresses: node["status"]["addresses"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|address| address["address"].as_str().unwrap().to_owned())
            .collect(),
        ..NodeIdentity::default()
    }
}

pub(super) fn order(id: &str, group: &str, count: u32) -> Order {
    Order { id: OrderId::new(id).unwrap(), group: Symbol::new(group), count, from: 0 }
}

pub(super) async fn buy(provider: &Slicer, id: &str, group: &str, count: u32) -> Result<(), Error> {
    provider.increase(&order(id, group, count)).await.map(drop)
}

/// A group as a refresh tells it.
pub(super) async fn see(provider: &Slicer, group: &str) -> GroupState {
    let inventory = provider.refresh().await.unwrap();
    inventory.group(Symbol::new(group)).unwrap().clone()
}

/// The machines of a group, with their errors.
pub(super) async fn machines(provider: &Slicer, group: &str) -> Vec<String> {
    let shown = |instance: &Instance| match &instance.error {
        Some(error) => format!("{} {}", instance.id, error.code),
        None => instance.id.to_string(),
    };
    see(provider, group).await.group.instances.iter().map(shown).collect()
}

/// Lets time pass.
pub(super) async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}
