//! The simulated infrastructure.

use std::fmt::Write as _;

use jiff::Timestamp;
use plimsoll_model::{InstanceState, Symbol};
use plimsoll_net::Clock;
use plimsoll_provider::{Error, Home, Order, OrderId, Provider as _};
use plimsoll_providers::simulated::{Catalogue, Cloud, Simulated};

mod books;
mod calls;
mod catalogue;
mod conformance;
mod joins;
mod machines;
mod refused;

/// When every test begins.
const START: &str = "2026-01-01T12:00:00Z";

/// An infrastructure, and a provider over it.
struct World {
    cloud: Cloud,
    provider: Simulated,
}

// === impl World ===

impl World {
    fn new(catalogue: &str) -> Self {
        let catalogue = Catalogue::read("catalogue.yaml", catalogue).unwrap();
        let clock = Clock::starting_at(START.parse::<Timestamp>().unwrap());
        let cloud = Cloud::new(catalogue, clock);
        Self { provider: Simulated::new(cloud.clone(), Home::alone(clock)), cloud }
    }

    async fn buy(&self, group: &str, order: &str, count: u32) -> Result<(), Error> {
        let id = OrderId::new(order).unwrap();
        let group = Symbol::new(group);
        let from = self.cloud.target(group);
        self.provider.increase(&Order { id, group, count, from }).await.map(drop)
    }

    /// The ids of a group's machines.
    fn ids(&self, group: &str) -> Vec<Box<str>> {
        let own = self.cloud.instances().into_iter().filter(|(of, _)| of.as_str() == group);
        own.map(|(_, instance)| instance.id).collect()
    }

    /// How many machines of a group are in this state, failed ones left out.
    fn count(&self, group: &str, state: InstanceState) -> usize {
        let instances = self.cloud.instances();
        let is_meant = instances.iter().filter(|(of, instance)| {
            of.as_str() == group && instance.state == state && instance.error.is_none()
        });
        is_meant.count()
    }

    /// How many more of a group can be had.
    async fn stock(&self, group: &str) -> Option<u32> {
        let inventory = self.provider.refresh().await.unwrap();
        inventory.group(Symbol::new(group)).unwrap().group.stock
    }

    /// Everything that happened, a line each.
    fn journal(&self) -> String {
        let mut lines = String::new();
        for entry in self.cloud.journal() {
            writeln!(lines, "{entry}").unwrap();
        }
        lines
    }
}

/// Lets time pass.
async fn pass(seconds: u64) {
    tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
}
