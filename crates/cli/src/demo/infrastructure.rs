//! Where the machines of the demo come from.

use std::{fmt, sync::Arc};

use anyhow::{Context as _, Result};
use async_trait::async_trait;
use clap::ValueEnum;
use plimsoll_model::Symbol;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::Provider;
use plimsoll_providers::{
    Joins,
    simulated::{Catalogue, Cloud, Simulated},
};

/// What the simulated infrastructure offers.
const CATALOGUE: &str = include_str!("catalogue.yaml");

/// Which infrastructure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choice {
    /// Machines that exist on paper only.
    Simulated,
}

/// Where machines come from: groups `small`, `large` and `gpu`, and what the play does to them.
#[async_trait]
pub(super) trait Infrastructure: fmt::Debug + Send + Sync {
    /// How the autoscaler uses it.
    fn provider(&self) -> Arc<dyn Provider>;

    /// Lets machines come and go, and tells whom they join, until `shutdown`.
    async fn run(&self, joins: Arc<dyn Joins>, shutdown: Shutdown);

    /// Has no more machines of a group, until it is restocked.
    fn sell_out(&self, group: &str) -> Result<()>;

    /// Has as many machines of a group as anybody wants.
    fn restock(&self, group: &str) -> Result<()>;

    /// Lets a machine die.
    fn kill(&self, instance: &str) -> Result<()>;
}

/// Machines that exist on paper only.
#[derive(Debug)]
struct Paper {
    cloud: Cloud,
    provider: Arc<Simulated>,
}

/// Opens what was chosen. Whatever happens by chance follows from the seed.
pub(super) fn open(choice: Choice, seed: u64, clock: Clock) -> Result<Box<dyn Infrastructure>> {
    match choice {
        Choice::Simulated => {
            let catalogue = Catalogue::read("the catalogue of the demo", CATALOGUE)?;
            let cloud = Cloud::new(Catalogue { seed, ..catalogue }, clock);
            let provider = Arc::new(Simulated::new(cloud.clone()));
            Ok(Box::new(Paper { cloud, provider }))
        }
    }
}

// === impl Paper ===

#[async_trait]
impl Infrastructure for Paper {
    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider) as Arc<dyn Provider>
    }

    async fn run(&self, joins: Arc<dyn Joins>, shutdown: Shutdown) {
        self.cloud.run(&*joins, shutdown).await;
    }

    fn sell_out(&self, group: &str) -> Result<()> {
        let done = self.cloud.set_stock(Symbol::new(group), Some(0));
        done.with_context(|| format!("cannot sell out {group}"))
    }

    fn restock(&self, group: &str) -> Result<()> {
        let done = self.cloud.set_stock(Symbol::new(group), None);
        done.with_context(|| format!("cannot restock {group}"))
    }

    fn kill(&self, instance: &str) -> Result<()> {
        self.cloud.vanish(instance).with_context(|| format!("cannot let {instance} die"))
    }
}
