//! Any upstream-style external gRPC server, as a provider.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use plimsoll_model::{GroupOptions, Symbol};
use plimsoll_provider::{
    Capabilities, Deletion, Error, Home, Inventory, NodeIdentity, Order, Provider, Whose,
};
use tonic::Request;

use crate::{proto::external::CleanupRequest, turns::Turns};
use calls::Calls;
use known::Extras;
use memory::Memory;

pub use config::{CertificateFiles, CloudConfig, ConfigError};

mod calls;
mod config;
mod extras;
mod known;
mod memory;
mod refresh;
mod wishes;

/// An external provider behind the upstream protocol.
///
/// The protocol has no names for orders: [`Order::from`] tells whether one has been served, and a server of this project is told
/// the name as well. A call that is not answered in time may have taken effect; it is reported as
/// [`Retry`](plimsoll_provider::Class::Retry), and the next attempt looks first.
///
/// Servers of the protocol keep the minimum of a group themselves, and a machine that no group has looks like one that is gone.
pub struct ExternalGrpc {
    name: String,
    calls: Calls,
    /// What the server is told of settings, to be given back with the group's own over them.
    defaults: GroupOptions,
    home: Home,
    memory: Mutex<Memory>,
    turns: Turns,
}

/// No call but a refresh makes more requests than this, one after the other.
const MOST_REQUESTS: u32 = 8;

// === impl ExternalGrpc ===

impl ExternalGrpc {
    /// A provider called `name` over the server that `config` names. Nothing is contacted before the first call.
    pub fn new(name: &str, config: CloudConfig, defaults: GroupOptions, home: Home) -> Self {
        Self {
            name: name.to_owned(),
            calls: Calls::new(config, home.fence.clone()),
            defaults,
            home,
            memory: Mutex::default(),
            turns: Turns::default(),
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Provider for ExternalGrpc {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        let memory = self.memory();
        let mut extras = memory.extras.values();
        let unasked = extras.len() == 0;
        Capabilities {
            prices: unasked || extras.clone().any(|group| !group.price.is_missing()),
            templates: unasked || extras.clone().any(|group| group.template.value().is_some()),
            options: unasked || extras.any(|group| !group.options.is_missing()),
            groups: false,
            stock: false,
            order_ids: false,
            single_deletions: false,
            strangers: false,
            keeps_minimum: true,
            counts_orders: false,
        }
    }

    /// Every request has a limit of its own, and a refresh makes as many as there are groups.
    fn deadline(&self, method: &str, usual: Duration) -> Duration {
        match method {
            "refresh" => Duration::MAX,
            _ => usual.max(self.calls.timeout().saturating_mul(MOST_REQUESTS)),
        }
    }

    fn introduce(&self, _: Symbol, instance: &str, node: &NodeIdentity) {
        self.memory().introduce(instance, node);
    }

    fn remarks(&self, group: Symbol) -> Vec<String> {
        self.memory().extras.get(group.as_str()).map(Extras::problems).unwrap_or_default()
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        self.look().await
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        // The protocol has no number in its answer.
        self.raise(order).await.map(|()| order.count)
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        self.lower(group, target).await
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        self.remove(group, instances).await
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        self.owner_of(node).await
    }

    /// Tells the server; whether it hears is its own affair.
    async fn close(&self) {
        let request = Request::new(CleanupRequest {});
        let _ =
            self.calls
                .call("Cleanup", request, |mut client, request| async move {
                    client.cleanup(request).await
                })
                .await;
    }
}

impl fmt::Debug for ExternalGrpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalGrpc").field("name", &self.name).finish_non_exhaustive()
    }
}
