//! A provider of which only some groups are used.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Capabilities, Deletion, Error, GroupSpec, Inventory, NodeIdentity, Order, Provider, Whose,
};
use tracing::warn;

use super::{Groups, Pick};

/// A provider of which only some groups are used. Nodes of the others are nobody's.
#[derive(Debug)]
pub(in crate::run) struct Chosen {
    provider: Arc<dyn Provider>,
    groups: Groups,
    /// The groups that are used, as of the last look.
    used: Mutex<Option<BTreeSet<Symbol>>>,
}

// === impl Chosen ===

impl Chosen {
    pub(in crate::run) fn new(provider: Arc<dyn Provider>, groups: Groups) -> Self {
        Self { provider, groups, used: Mutex::new(None) }
    }

    /// Says once, after the first look, which groups the user named and nobody has.
    fn miss(&self, inventory: &Inventory) {
        let provider = self.provider.name();
        let has = |pick: &Pick| {
            let mut ids = inventory.groups.iter().map(|state| state.group.id.as_str());
            ids.any(|id| pick.id == id || pick.id == format!("{provider}/{id}"))
        };
        for pick in self.groups.picks.iter().filter(|pick| !has(pick)) {
            warn!(group = pick.id, provider, "there is no such group here");
        }
    }

    /// Whether a group is used: what an earlier run ordered of another one is not carried out.
    fn check(&self, group: Symbol) -> Result<(), Error> {
        let known = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().ok_or_else(|| self.unread())?.contains(&group) {
            return Ok(());
        }
        let name = self.provider.name();
        Err(Error::not_found(format!("{group} of {name} is not among the groups that are used")))
    }

    fn unread(&self) -> Error {
        Error::retry(format!("{} has not been read yet", self.provider.name()))
    }
}

#[async_trait]
impl Provider for Chosen {
    fn name(&self) -> &str {
        self.provider.name()
    }

    /// Groups that the user did not choose are not made.
    fn capabilities(&self) -> Capabilities {
        Capabilities { groups: false, ..self.provider.capabilities() }
    }

    fn introduce(&self, group: Symbol, instance: &str, node: &NodeIdentity) {
        self.provider.introduce(group, instance, node);
    }

    fn remarks(&self, group: Symbol) -> Vec<String> {
        self.provider.remarks(group)
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        let mut inventory = self.provider.refresh().await?;
        let mut known = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            self.miss(&inventory);
        }
        inventory.groups.retain_mut(|state| {
            let chosen = self.groups.choose(self.provider.name(), &state.group);
            chosen.map(|group| state.group = group).is_some()
        });
        *known = Some(inventory.groups.iter().map(|state| state.group.id).collect());
        Ok(inventory)
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        self.check(order.group)?;
        self.provider.increase(order).await
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        self.check(group)?;
        self.provider.lower_target(group, target).await
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        self.check(group)?;
        self.provider.delete(group, instances).await
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        let whose = self.provider.owner(node).await?;
        let known = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let used = known.as_ref().ok_or_else(|| self.unread())?;
        Ok(whose.renamed(|group| used.contains(&group).then_some(group)))
    }

    async fn create_group(&self, spec: &GroupSpec) -> Result<Symbol, Error> {
        Err(Error::unsupported(format!("{} is not among the groups that are used", spec.name)))
    }

    async fn close(&self) {
        self.provider.close().await;
    }
}
