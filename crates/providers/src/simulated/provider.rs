//! The provider over the simulated infrastructure.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use plimsoll_model::{Instance, Symbol};
use plimsoll_provider::{
    Capabilities, Deletion, Error, GroupSpec, Home, Inventory, NodeIdentity, Order, Provider, Whose,
};

use super::{
    cloud::{Cloud, Item, Request, State},
    machine::SCHEME,
};

/// The provider over a [`Cloud`]. A new one over the same infrastructure is what a restart leaves.
#[derive(Debug)]
pub struct Simulated {
    cloud: Cloud,
    home: Home,
    name: Box<str>,
    /// What the last refresh saw.
    seen: Mutex<Option<Inventory>>,
}

// === impl Simulated ===

impl Simulated {
    /// A provider that remembers nothing.
    pub fn new(cloud: Cloud, home: Home) -> Self {
        let name = cloud.catalogue().name.clone();
        Self { cloud, home, name, seen: Mutex::new(None) }
    }

    /// Sends a request that changes something, if this process may.
    async fn change<T>(
        &self,
        effect: impl FnOnce(&mut State, Timestamp) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.home.fence.check()?;
        self.cloud.send(Request::Change, effect).await
    }

    /// All pages of a listing, each of which has to be whole.
    async fn read(&self) -> Result<Inventory, Error> {
        let catalogue = self.cloud.catalogue();
        let mut inventory = Inventory {
            groups: Vec::new(),
            gpu_label: catalogue.gpu_label.clone(),
            gpu_types: catalogue.gpu_types.clone(),
        };
        let mut next = Some(self.cloud.list().await?);
        while let Some(page) = next {
            if !page.is_whole() {
                return Err(Error::retry("a list of the simulated service was cut short"));
            }
            for item in &page.items {
                add(&mut inventory, item, self.cloud.now())?;
            }
            next = self.cloud.list_on(&page).await?;
        }
        Ok(inventory)
    }
}

/// Adds what a listing says to the inventory; groups come before their machines.
fn add(inventory: &mut Inventory, item: &Item, now: Timestamp) -> Result<(), Error> {
    match item {
        Item::Group(group) => inventory.groups.push((**group).clone()),
        Item::Machine(group, instance) => {
            let state = inventory.groups.iter_mut().find(|state| state.group.id == *group);
            let unknown = || Error::bug(format!("{} is in no group that was listed", instance.id));
            // A clock that is ahead of ours must not make a machine younger than it is.
            let created = instance.created.map(|created| created.min(now));
            let instance = Instance { created, ..instance.clone() };
            state.ok_or_else(unknown)?.group.instances.push(instance);
        }
    }
    Ok(())
}

#[async_trait]
impl Provider for Simulated {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            prices: true,
            templates: true,
            options: true,
            groups: true,
            stock: true,
            order_ids: true,
            single_deletions: true,
            strangers: true,
            keeps_minimum: false,
            counts_orders: true,
        }
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        let inventory = self.read().await?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = Some(inventory.clone());
        Ok(inventory)
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        self.change(|state, now| state.increase(order, now)).await
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        self.change(|state, now| state.lower_target(group, target, now)).await
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        self.change(|state, now| state.delete(group, instances, now)).await
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        if !node.provider_id.starts_with(SCHEME) {
            return Ok(Whose::Nobodys);
        }
        let known = {
            let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.as_ref().and_then(|inventory| inventory.owner_by_provider_id(node))
        };
        if let Some(known) = known {
            return Ok(Whose::Machine(known));
        }
        // A machine that is younger than the last refresh, one that is gone, or nobody's.
        self.cloud.send(Request::Read, |state, _| Ok(state.whose(&node.provider_id))).await
    }

    async fn create_group(&self, spec: &GroupSpec) -> Result<Symbol, Error> {
        self.change(|state, _| state.create_group(spec)).await
    }

    async fn delete_group(&self, group: Symbol) -> Result<(), Error> {
        self.change(|state, _| state.delete_group(group)).await
    }
}
