//! The cluster under the tests: the embedded one.
//!
//! The same tests run on a real control plane, in the end-to-end tests, with a `ground` of that crate's own in the place of this
//! module. So they speak of the cluster only in the words that are here. Tests of what only the embedded cluster does are in
//! `embedded`.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
pub(crate) use plimsoll_minicluster::server::Server;
use plimsoll_minicluster::{
    Kind, Minicluster,
    api::{DeleteOptions, ListQuery, Target, WriteOptions},
    kubelet::{Behaviour, Kubelets},
    minicluster::Settings,
};
use plimsoll_net::Clock;
use serde_json::Value;

/// How many stories of kills are told: one takes no time.
#[cfg(debug_assertions)]
pub(crate) const STORIES: u64 = 100;

/// A cluster without nodes. Resources are named as in `deployments.apps`; the namespace does not matter to kinds that have none.
pub(crate) struct Ground {
    pub(crate) cluster: Minicluster,
    clock: Clock,
}

// === impl Ground ===

impl Ground {
    /// Its pods take two seconds to end.
    pub(crate) async fn start() -> Self {
        let clock = Clock::starting_at("2026-03-01T12:00:00Z".parse::<Timestamp>().unwrap());
        let behaviour =
            Behaviour { termination: Some(Duration::from_secs(2)), ..Behaviour::default() };
        let settings = Settings { behaviour, ..Settings::default() };
        Self { cluster: Minicluster::start(clock, settings).await.unwrap(), clock }
    }

    /// The time in the cluster.
    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// The way to the API server.
    pub(crate) fn service(&self) -> Server {
        self.cluster.service()
    }

    pub(crate) fn kubelets(&self) -> &Kubelets {
        self.cluster.kubelets()
    }

    pub(crate) fn create(&self, resource: &str, namespace: &str, object: Value) {
        let kind = self.kind(resource).unwrap();
        let namespace = if kind.is_namespaced() { namespace } else { "" };
        self.cluster.api().create(&kind, namespace, object, &WriteOptions::default()).unwrap();
    }

    /// All that there are, in any namespace; none if nobody knows such a resource.
    pub(crate) fn list(&self, resource: &str) -> Vec<Value> {
        self.kind(resource).map(|kind| self.objects(&kind)).unwrap_or_default()
    }

    pub(crate) fn modify(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        change: impl Fn(&mut Value),
    ) {
        let kind = self.kind(resource).unwrap();
        let at = Target::new(if kind.is_namespaced() { namespace } else { "" }, name);
        self.cluster.api().modify(&kind, &at, change).unwrap();
    }

    pub(crate) fn modify_status(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        change: impl Fn(&mut Value),
    ) {
        let kind = self.kind(resource).unwrap();
        let at = Target::status(if kind.is_namespaced() { namespace } else { "" }, name);
        self.cluster.api().modify(&kind, &at, change).unwrap();
    }

    pub(crate) fn delete(&self, resource: &str, namespace: &str, name: &str) {
        let kind = self.kind(resource).unwrap();
        let at = Target::new(if kind.is_namespaced() { namespace } else { "" }, name);
        self.cluster.api().delete(&kind, &at, &DeleteOptions::default()).unwrap();
    }

    /// All that there is, but for what a cluster writes by itself: heartbeats, events.
    pub(crate) fn everything(&self) -> Vec<Value> {
        let mut kinds = self.cluster.api().kinds();
        kinds.retain(|kind| !["events", "leases"].contains(&&*kind.plural));
        kinds.iter().flat_map(|kind| self.objects(kind)).collect()
    }

    fn objects(&self, kind: &Kind) -> Vec<Value> {
        let listing = self.cluster.api().list(kind, &ListQuery::default()).unwrap();
        listing.items.iter().map(|item| item.value()).collect()
    }

    fn kind(&self, resource: &str) -> Option<Arc<Kind>> {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let mut kinds = self.cluster.api().kinds().into_iter();
        kinds.find(|kind| &*kind.plural == plural && &*kind.group == group)
    }
}
