//! The controllers of a cluster: what turns wishes into objects, and cleans up behind them.
//!
//! Each controller is a pure function from what it sees to a list of [actions](action::Action), in a file of its own; [`driver`]
//! watches, remembers what must be found quickly, and does what they decide.

use std::sync::Arc;

use jiff::Timestamp;
use plimsoll_net::Shutdown;
use serde_json::Value;
use tokio::task::JoinHandle;

use self::{
    action::{Action, Kinds},
    driver::Driver,
    index::{Change, Index, Ref},
};
use crate::{Api, Object, object::Key, store::Resource};

mod action;
mod bootstrap;
pub(crate) mod budget;
mod daemon_set;
mod deployment;
mod driver;
mod eviction;
mod facts;
mod garbage;
mod index;
mod job;
mod namespace;
mod node;
mod orphan;
mod placement;
mod queue;
mod recorder;
mod replica_set;
mod revision;
mod service_account;
mod stateful_set;
mod volume;
mod workload;

/// A controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// Deployments: replica sets that come and go.
    Deployment,
    /// Replica sets: so many pods of a kind.
    ReplicaSet,
    /// Stateful sets: pods with names and an order.
    StatefulSet,
    /// Daemon sets: a pod on every node.
    DaemonSet,
    /// Jobs: pods that end.
    Job,
    /// Disruption budgets: how many pods may be evicted.
    Budget,
    /// Garbage: objects go with their owners.
    Garbage,
    /// Namespaces: what is in them goes with them.
    Namespace,
    /// Nodes: taints that follow their conditions, and heartbeats that stop.
    Node,
    /// Pods leave nodes whose `NoExecute` taints they do not tolerate.
    Eviction,
    /// Pods of nodes that are gone.
    Orphan,
    /// Every namespace has a default service account and the certificate of the cluster.
    ServiceAccount,
    /// Claims find volumes.
    Volume,
}

/// What a controller sees.
pub(crate) struct View<'v> {
    /// For reading what the index does not hold.
    pub(crate) api: &'v Api,
    pub(crate) index: &'v Index,
    pub(crate) kinds: &'v Kinds,
    pub(crate) now: Timestamp,
}

/// An object and its tree.
pub(crate) struct Seen {
    pub(crate) object: Arc<Object>,
    pub(crate) value: Value,
}

/// How the driver calls a controller.
pub(crate) trait Reconcile: Send {
    /// Names the objects of this controller that a change may matter to.
    fn affected(&mut self, change: &Change, view: &View<'_>, look: &mut dyn FnMut(Ref));

    /// Decides what is to be done about an object.
    fn reconcile(&mut self, target: &Ref, view: &View<'_>) -> Vec<Action>;
}

/// Starts all controllers, in a cluster that has what every cluster has. They stop when `shutdown` says so, or with the runtime.
pub fn start(api: &Api, shutdown: &Shutdown) -> JoinHandle<()> {
    bootstrap::ensure(api);
    start_some(api, &Controller::ALL, shutdown)
}

/// Starts some controllers and leaves the others out.
pub fn start_some(api: &Api, which: &[Controller], shutdown: &Shutdown) -> JoinHandle<()> {
    let controllers = which.iter().map(|controller| controller.make()).collect();
    let driver = Driver::new(api, controllers);
    tokio::spawn(driver.run(shutdown.clone()))
}

// === impl Controller ===

impl Controller {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Namespace,
        Self::ServiceAccount,
        Self::Node,
        Self::Eviction,
        Self::Orphan,
        Self::Deployment,
        Self::ReplicaSet,
        Self::StatefulSet,
        Self::DaemonSet,
        Self::Job,
        Self::Budget,
        Self::Volume,
        Self::Garbage,
    ];

    fn make(self) -> Box<dyn Reconcile> {
        match self {
            Self::Deployment => Box::new(deployment::Deployments),
            Self::ReplicaSet => Box::new(replica_set::ReplicaSets),
            Self::StatefulSet => Box::new(stateful_set::StatefulSets),
            Self::DaemonSet => Box::new(daemon_set::DaemonSets),
            Self::Job => Box::new(job::Jobs::default()),
            Self::Budget => Box::new(budget::Budgets::default()),
            Self::Garbage => Box::new(garbage::Garbage),
            Self::Namespace => Box::new(namespace::Namespaces),
            Self::Node => Box::new(node::Nodes::default()),
            Self::Eviction => Box::new(eviction::Evictions::default()),
            Self::Orphan => Box::new(orphan::Orphans::default()),
            Self::ServiceAccount => Box::new(service_account::ServiceAccounts),
            Self::Volume => Box::new(volume::Volumes),
        }
    }
}

// === impl View ===

impl View<'_> {
    /// An object, as it is now.
    pub(crate) fn get(&self, resource: &Resource, key: &Key) -> Option<Seen> {
        let kind = self.kinds.get(resource)?;
        let object = self.api.get(kind, &key.namespace, &key.name).ok()?;
        Some(Seen { value: object.value(), object })
    }

    /// The objects of a kind in a namespace; in all if it is empty.
    pub(crate) fn list(&self, resource: &Resource, namespace: &str) -> Vec<Arc<Object>> {
        let query = crate::api::ListQuery::in_namespace(namespace);
        let kind = self.kinds.get(resource);
        let listing = kind.and_then(|kind| self.api.list(kind, &query).ok());
        listing.map(|listing| listing.items).unwrap_or_default()
    }
}
