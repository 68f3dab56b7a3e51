//! Slicer: an emulated host for each group, so that one host can be full while the others are not.

use std::{fs, path::Path, sync::Arc};

use anyhow::{Context as _, Result, ensure};
use async_trait::async_trait;
use futures::future::join_all;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Home, Provider};
use plimsoll_providers::{
    Joins,
    rest::{Endpoint, Rest, Trust},
    slicer::{
        Connector, Slicer, Source,
        emulator::{Emulator, HostSettings},
    },
};

use super::{Infrastructure, Way, site::Site};
use crate::demo::play::{GPU, LARGE, SMALL};

/// What the provider is told, with the address of each group's host left open.
const CONFIG: &str = include_str!("slicer.ini");

/// What each host offers, beside the name of the group.
const HOSTS: [(&str, &str); 3] = [
    (SMALL, "cpus: 4, ram: 16Gi, boot: 2s"),
    (LARGE, "cpus: 8, ram: 64Gi, boot: 2500ms"),
    (GPU, "cpus: 8, ram: 64Gi, gpus: 1, boot: 2500ms"),
];

/// Emulated Slicer hosts.
#[derive(Debug)]
pub(super) struct Hosts {
    hosts: Vec<Host>,
    provider: Arc<Slicer>,
}

#[derive(Debug)]
struct Host {
    group: &'static str,
    emulator: Emulator,
    site: Site,
}

// === impl Hosts ===

impl Hosts {
    /// Opens the hosts; the provider's file is written to `folder`.
    pub(super) async fn open(clock: Clock, way: Way, folder: &Path) -> Result<Self> {
        let (mut hosts, mut config) = (Vec::new(), CONFIG.to_owned());
        for (group, machine) in HOSTS {
            let host = Host::open(group, machine, clock, way).await?;
            config = config.replace(&format!("{{{group}}}"), host.site.url());
            hosts.push(host);
        }
        let file = folder.join("cloud-config.ini");
        fs::write(&file, config).with_context(|| format!("cannot write {}", file.display()))?;
        let home = Home::alone(clock);
        let provider = match way {
            Way::Sockets => Slicer::open("slicer", file, home)?,
            Way::Direct => Slicer::new("slicer", Source::File(file), home, connector(&hosts))?,
        };
        Ok(Self { hosts, provider: Arc::new(provider) })
    }

    fn host(&self, group: &str) -> Result<&Emulator> {
        let host = self.hosts.iter().find(|host| host.group == group);
        Ok(&host.with_context(|| format!("there is no host of {group}"))?.emulator)
    }
}

#[async_trait]
impl Infrastructure for Hosts {
    fn about(&self) -> String {
        let places: Vec<String> = (self.hosts.iter())
            .map(|host| format!("{} at {}", host.group, host.site.url()))
            .collect();
        format!("Its machines come from emulated Slicer hosts: {}.", places.join(", "))
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider) as Arc<dyn Provider>
    }

    async fn run(&self, joins: Arc<dyn Joins>, shutdown: Shutdown) {
        let all = self.hosts.iter().map(|host| async {
            tokio::join!(host.site.serve(&shutdown), host.emulator.run(&*joins, shutdown.clone()));
        });
        join_all(all).await;
    }

    /// A host on trial has as many machines as it may have; what a full one says is not known.
    fn sell_out(&self, group: &str) -> Result<()> {
        self.host(group)?.set_trial_left(0);
        Ok(())
    }

    fn restock(&self, group: &str) -> Result<()> {
        self.host(group)?.set_trial_left(u32::MAX);
        Ok(())
    }

    fn kill(&self, instance: &str) -> Result<()> {
        // slicer://GROUP/HOSTNAME
        let mut parts = instance.rsplit('/');
        let (hostname, group) = (parts.next().unwrap_or_default(), parts.next());
        let died = self.host(group.unwrap_or_default())?.remove(hostname);
        ensure!(died, "there is no machine {instance} that could die");
        Ok(())
    }
}

// === impl Host ===

impl Host {
    async fn open(group: &'static str, machine: &str, clock: Clock, way: Way) -> Result<Self> {
        let settings = format!(
            "{{token: demo-host, k3sToken: demo-k3s, groups: [{{name: {group}, {machine}}}]}}"
        );
        let settings = HostSettings::read("the hosts of the demo", &settings)?;
        let emulator = Emulator::new(settings, clock);
        let site = Site::open(group, emulator.router(), way).await?;
        Ok(Self { group, emulator, site })
    }
}

/// Asks hosts without sockets.
fn connector(hosts: &[Host]) -> Connector {
    let ways: Vec<(Endpoint, Rest)> =
        (hosts.iter()).map(|host| (host.site.endpoint().clone(), host.site.directly())).collect();
    Arc::new(move |wanted: &Endpoint, _: &Trust| {
        let found = ways.iter().find(|(endpoint, _)| endpoint == wanted);
        found.map(|(_, rest)| rest.clone()).ok_or_else(|| format!("there is no host {wanted}"))
    })
}
