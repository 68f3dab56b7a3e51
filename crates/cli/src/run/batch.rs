//! Deletions of a group, collected for a while and asked for at once: `--node-deletion-batcher-interval`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Capabilities, Deletion, Error, GroupSpec, Inventory, NodeIdentity, Order, Provider, Whose,
};
use tokio::sync::watch;

/// A provider whose deletions wait for others of their group.
#[derive(Debug)]
pub(super) struct Batched {
    provider: Arc<dyn Provider>,
    interval: Duration,
    open: Arc<Mutex<BTreeMap<Symbol, Batch>>>,
}

/// Deletions that have not been asked for yet, and whoever waits for the answer.
#[derive(Debug)]
struct Batch {
    instances: Vec<Box<str>>,
    answer: watch::Receiver<Option<Answer>>,
}

/// One answer for all of a batch.
type Answer = Arc<Result<Vec<Deletion>, Error>>;

// === impl Batched ===

impl Batched {
    pub(super) fn new(provider: Arc<dyn Provider>, interval: Duration) -> Self {
        Self { provider, interval, open: Arc::default() }
    }

    /// Joins the batch of the group, or begins one.
    fn join(&self, group: Symbol, instances: &[Box<str>]) -> watch::Receiver<Option<Answer>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(batch) = open.get_mut(&group) {
            for instance in instances {
                if !batch.instances.contains(instance) {
                    batch.instances.push(instance.clone());
                }
            }
            return batch.answer.clone();
        }
        let (sender, answer) = watch::channel(None);
        open.insert(group, Batch { instances: instances.to_vec(), answer: answer.clone() });
        let (provider, interval) = (Arc::clone(&self.provider), self.interval);
        let batches = Arc::clone(&self.open);
        // On its own: whoever began the batch may stop waiting, and the others still want their answer.
        tokio::spawn(async move {
            tokio::time::sleep(interval).await;
            let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).remove(&group);
            let instances = batch.map(|batch| batch.instances).unwrap_or_default();
            let outcome = provider.delete(group, &instances).await;
            // Nobody may be waiting any more.
            let _ = sender.send(Some(Arc::new(outcome)));
        });
        answer
    }
}

#[async_trait]
impl Provider for Batched {
    fn name(&self) -> &str {
        self.provider.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.provider.capabilities()
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        self.provider.refresh().await
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        self.provider.increase(order).await
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        self.provider.lower_target(group, target).await
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        let mut answer = self.join(group, instances);
        let lost = || Error::retry("the deletions that were collected were not asked for");
        let answer = answer.wait_for(Option::is_some).await.map_err(|_| lost())?;
        let outcome = answer.clone().ok_or_else(lost)?;
        drop(answer);
        let all = outcome.as_ref().as_ref().map_err(Error::clone)?;
        let one = |instance: &str| {
            let found = all.iter().find(|deletion| &*deletion.instance == instance);
            found.cloned().ok_or_else(lost)
        };
        instances.iter().map(|instance| one(instance)).collect()
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        self.provider.owner(node).await
    }

    async fn create_group(&self, spec: &GroupSpec) -> Result<Symbol, Error> {
        self.provider.create_group(spec).await
    }

    async fn delete_group(&self, group: Symbol) -> Result<(), Error> {
        self.provider.delete_group(group).await
    }

    async fn close(&self) {
        self.provider.close().await;
    }
}

#[cfg(test)]
mod tests;
