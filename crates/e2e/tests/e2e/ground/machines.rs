//! The way of the kubelets to the API server.

use std::sync::Arc;

use async_trait::async_trait;
use futures::{StreamExt as _, stream::BoxStream};
use plimsoll_minicluster::kubelet::{
    At, Cluster, ClusterError, Collection, Event, Listing, Remote,
};
use serde_json::Value;

use super::{
    road::{Passage, Road},
    silence::Heartbeats,
};

/// An API server, as kubelets see it.
pub(super) struct Machines {
    remote: Remote,
    road: Arc<Road>,
    heartbeats: Arc<Heartbeats>,
}

// === impl Machines ===

impl Machines {
    pub(super) fn new(remote: Remote, road: Arc<Road>, heartbeats: Arc<Heartbeats>) -> Self {
        Self { remote, road, heartbeats }
    }

    fn enter(&self) -> Result<Passage, ClusterError> {
        self.road.enter().ok_or_else(|| ClusterError::unanswered("the test is over"))
    }
}

#[async_trait]
impl Cluster for Machines {
    async fn list(&self, of: Collection, fields: &str) -> Result<Listing, ClusterError> {
        let _passage = self.enter()?;
        let Listing { items, version } = self.remote.list(of, fields).await?;
        let road = Arc::clone(&self.road);
        let items = items.map(move |mut item| {
            road.calendar.translate(&mut item);
            item
        });
        Ok(Listing { items: Box::new(items), version })
    }

    async fn watch(
        &self,
        of: Collection,
        fields: &str,
        version: &str,
    ) -> Result<BoxStream<'static, Result<Event, ClusterError>>, ClusterError> {
        let _passage = self.enter()?;
        let events = self.remote.watch(of, fields, version).await?;
        let road = Arc::clone(&self.road);
        let translated = events.map(move |mut event| {
            road.count();
            if let Ok(Event::Put(object) | Event::Gone(object)) = &mut event {
                road.calendar.translate(object);
            }
            event
        });
        Ok(translated.boxed())
    }

    async fn create(
        &self,
        of: Collection,
        namespace: &str,
        body: Value,
    ) -> Result<Value, ClusterError> {
        let _passage = self.enter()?;
        self.remote.create(of, namespace, body).await
    }

    async fn patch(&self, of: Collection, at: At<'_>, body: Value) -> Result<Value, ClusterError> {
        let _passage = self.enter()?;
        if of.plural == "leases" {
            self.heartbeats.record(at.name);
        }
        self.remote.patch(of, at, body).await
    }

    async fn delete(&self, of: Collection, at: At<'_>, options: Value) -> Result<(), ClusterError> {
        let _passage = self.enter()?;
        self.remote.delete(of, at, options).await
    }
}
