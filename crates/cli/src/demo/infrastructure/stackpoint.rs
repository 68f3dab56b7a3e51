//! StackPoint: the emulated service, with a pool for each group.

use std::{fs, path::Path, sync::Arc};

use anyhow::{Context as _, Result, anyhow, ensure};
use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Home, Provider};
use plimsoll_providers::{
    Joins,
    stackpoint::{
        Config, StackPoint,
        emulator::{Emulator, Offer},
    },
};

use super::{Infrastructure, Way, site::Site};

/// What the service offers.
const OFFER: &str = include_str!("stackpoint.yaml");

/// The emulated service.
#[derive(Debug)]
pub(super) struct Service {
    emulator: Emulator,
    site: Site,
    provider: Arc<StackPoint>,
}

// === impl Service ===

impl Service {
    /// Opens the service; the provider's files are written to `folder`.
    pub(super) async fn open(clock: Clock, way: Way, folder: &Path) -> Result<Self> {
        let offer = Offer::read("the offer of the demo", OFFER)?;
        let (file, token) = (folder.join("spc.yaml"), folder.join("token"));
        let write = |file: &Path, text: &str| {
            fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
        };
        write(&token, &offer.token)?;
        let numbers = (offer.organization, offer.cluster);
        let emulator = Emulator::new(offer, clock);
        let site = Site::open("stackpoint", emulator.router(), way).await?;
        write(&file, &config(site.url(), numbers))?;
        // What the user has in the environment is for another cluster.
        let config = Config::load(&file, &|_| None)?;
        let home = Home::alone(clock);
        let provider = match way {
            Way::Sockets => StackPoint::new(None, config, home)
                .map_err(|problem| anyhow!("cannot ask the emulated service: {problem}"))?,
            Way::Direct => StackPoint::over(None, config, site.directly(), home),
        };
        Ok(Self { emulator, site, provider: Arc::new(provider) })
    }

    fn set_stock(&self, group: &str, machines: u32) -> Result<()> {
        let id = Symbol::new(&format!("autoscaling-{group}"));
        ensure!(self.emulator.set_stock(id, machines), "there is no group {id}");
        Ok(())
    }
}

#[async_trait]
impl Infrastructure for Service {
    fn about(&self) -> String {
        format!("Its machines come from an emulated StackPoint at {}.", self.site.url())
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider) as Arc<dyn Provider>
    }

    async fn run(&self, joins: Arc<dyn Joins>, shutdown: Shutdown) {
        tokio::join!(self.site.serve(&shutdown), self.emulator.run(&*joins, shutdown.clone()));
    }

    fn sell_out(&self, group: &str) -> Result<()> {
        self.set_stock(group, 0)
    }

    fn restock(&self, group: &str) -> Result<()> {
        self.set_stock(group, u32::MAX)
    }

    fn kill(&self, instance: &str) -> Result<()> {
        ensure!(self.emulator.vanish(instance), "there is no machine {instance} that could die");
        Ok(())
    }
}

/// What the provider is told. The service does not say what machines cost. A machine that dies in the play is noticed at once.
fn config(url: &str, (organization, cluster): (i64, i64)) -> String {
    format!(
        "base-url: {url}\n\
         organization-id: {organization}\n\
         cluster-id: {cluster}\n\
         token-file: token\n\
         poll-seconds: 0\n\
         prices: {{m5.xlarge: 0.20, m5.2xlarge: 0.44, p3.2xlarge: 1.20}}\n"
    )
}
