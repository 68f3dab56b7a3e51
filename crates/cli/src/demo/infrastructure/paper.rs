//! Machines that exist on paper only.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Home, Provider};
use plimsoll_providers::{
    Joins,
    simulated::{Catalogue, Cloud, Simulated},
};

use super::Infrastructure;

/// What it offers.
const CATALOGUE: &str = include_str!("catalogue.yaml");

/// The simulated infrastructure.
#[derive(Debug)]
pub(super) struct Paper {
    cloud: Cloud,
    provider: Arc<Simulated>,
}

// === impl Paper ===

impl Paper {
    pub(super) fn open(seed: u64, clock: Clock) -> Result<Self> {
        let catalogue = Catalogue::read("the catalogue of the demo", CATALOGUE)?;
        let cloud = Cloud::new(Catalogue { seed, ..catalogue }, clock);
        let provider = Arc::new(Simulated::new(cloud.clone(), Home::alone(clock)));
        Ok(Self { cloud, provider })
    }
}

#[async_trait]
impl Infrastructure for Paper {
    fn about(&self) -> String {
        "Its machines exist on paper only.".to_owned()
    }

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
