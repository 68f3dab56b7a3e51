//! The provider over one or several hosts.
//!
//! A host keeps no targets: the target of a group is the number of its machines. Every machine that is made here carries tags that
//! name the cluster, its uid and the order, so that an order is known again as long as one of its machines is there. What is
//! remembered beside the hosts' own lists is in [`Memory`], and every bit of it may be lost.
//!
//! A host that cannot be read freezes its own groups, as they were last seen; only when no host can be read a refresh fails.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Bound, Capabilities, Deletion, Error, Home, Inventory, NodeIdentity, Order, Provider, Whose,
};
use tokio::{sync::OwnedMutexGuard, time::timeout};
use tracing::{info, warn};

use self::{
    members::Cluster,
    memory::Memory,
    site::{At, Hosts},
    tasks::Tasks,
};
use super::{
    config::{Config, GroupConfig},
    userdata,
};
use crate::{
    ConfigError,
    rest::{Endpoint, Patience, Rest, Trust},
};

mod attempts;
mod deletions;
mod inventory;
mod members;
mod memory;
mod orders;
mod owners;
mod site;
mod surplus;
mod tasks;
mod verify;

/// Who the hosts are asked as.
const USER_AGENT: &str = concat!("plimsoll/", env!("CARGO_PKG_VERSION"));

/// How long a deletion waits for other calls about its group.
const TURN: Duration = Duration::from_secs(5);

/// How a host is reached.
pub type Connector = Arc<dyn Fn(&Endpoint, &Trust) -> Result<Rest, String> + Send + Sync>;

/// Where the configuration comes from. It is looked at with every refresh, so that bounds and tokens may change while it is used.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// What cannot change.
    Fixed(Arc<Config>),
}

/// The provider over Slicer hosts.
pub struct Slicer {
    core: Arc<Core>,
    /// What was begun goes on when its caller gives up, and ends with this value.
    tasks: Tasks,
}

struct Core {
    name: Box<str>,
    source: Source,
    home: Home,
    connector: Connector,
    state: Mutex<State>,
}

struct State {
    hosts: Arc<Hosts>,
    memory: Memory,
}

// === impl Slicer ===

impl Slicer {
    /// A provider that remembers nothing, over the hosts of a file. Nobody is contacted.
    pub fn open(name: &str, path: PathBuf, home: Home) -> Result<Self, ConfigError> {
        let connector: Connector = Arc::new(|endpoint: &Endpoint, trust: &Trust| {
            Rest::connect(endpoint.clone(), trust, Patience::default(), USER_AGENT)
        });
        Self::new(name, Source::File(path), home, connector)
    }

    /// The same with another way to reach hosts.
    pub fn new(
        name: &str,
        source: Source,
        home: Home,
        connector: Connector,
    ) -> Result<Self, ConfigError> {
        let hosts = Arc::new(Hosts::new(source.load()?, &home, &connector)?);
        let state = Mutex::new(State { hosts, memory: Memory::default() });
        let core = Arc::new(Core { name: name.into(), source, home, connector, state });
        Ok(Self { core, tasks: Tasks::default() })
    }
}

impl Slicer {
    /// Asks the hosts whether they have the groups that the file names. Who cannot be asked is passed over.
    pub async fn verify(&self) -> Result<(), ConfigError> {
        self.core.verify().await
    }
}

#[async_trait]
impl Provider for Slicer {
    fn name(&self) -> &str {
        &self.core.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            prices: self.core.hosts().config.groups.iter().any(|group| group.price.is_some()),
            templates: true,
            options: false,
            groups: false,
            stock: false,
            order_ids: true,
            single_deletions: true,
            strangers: true,
            keeps_minimum: false,
            counts_orders: true,
        }
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        self.core.reload();
        self.core.look().await
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        self.core.acceptable(order)?;
        // This is waited for here and not in the task: nothing is made for an order whose caller gave up before its turn came.
        let alone = self.core.lock(order.group).await;
        let (core, order) = (Arc::clone(&self.core), order.clone());
        self.tasks.run(|caller| async move { core.buy(&order, &caller, alone).await }).await
    }

    async fn lower_target(&self, group: Symbol, _target: u32) -> Result<u32, Error> {
        // Every machine that was asked for is there: nothing is on order that could be given up.
        let at = self.core.site(group)?;
        let machines = at.site.client.machines(&at.group.name).await?;
        let state = self.core.state();
        let members = state.memory.members(self.core.cluster(&at.hosts), &at.group.name, &machines);
        Ok(count(members.count()))
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        self.core.identified()?;
        self.core.site(group)?;
        // This is waited for here and not in the task: nothing is deleted once the caller has given up waiting for others.
        let alone = timeout(TURN, self.core.lock(group)).await.map_err(|_| Error::busy(group))?;
        let (core, instances) = (Arc::clone(&self.core), instances.to_vec());
        self.tasks.run(|_| async move { core.remove(group, &instances, alone).await }).await
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        Ok(self.core.whose(node))
    }
}

impl fmt::Debug for Slicer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slicer")
            .field("name", &self.core.name)
            .field("config", &self.core.hosts().config)
            .finish_non_exhaustive()
    }
}

// === impl Core ===

impl Core {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hosts(&self) -> Arc<Hosts> {
        Arc::clone(&self.state().hosts)
    }

    /// The cluster that machines are to be for.
    fn cluster<'c>(&'c self, hosts: &'c Hosts) -> Cluster<'c> {
        Cluster::new(&hosts.config, self.home.cluster.bound())
    }

    /// That machines may be made and deleted: it is known for which cluster.
    fn identified(&self) -> Result<(), Error> {
        if self.home.cluster.bound() == Bound::Pending {
            return Err(Error::unidentified());
        }
        Ok(())
    }

    /// The host of a group, with what the file says of it.
    fn site(&self, group: Symbol) -> Result<At, Error> {
        let found = self.hosts().find(group.as_str());
        found.ok_or_else(|| Error::not_found(format!("{} has no group {group}", self.name)))
    }

    /// What the file says of a group, with the kind of its GPUs as its template has it: only the host knows whether there are any.
    fn equipped(&self, group: &GroupConfig) -> GroupConfig {
        let state = self.state();
        let seen = state.memory.seen.get(&group.name);
        let Some(template) = seen.and_then(|seen| seen.state.group.template.as_deref()) else {
            return group.clone();
        };
        let kind = template.labels.get(Symbol::new(userdata::GPU));
        GroupConfig { gpu_type: kind.map(|kind| kind.as_str().into()), ..group.clone() }
    }

    /// Nobody else changes the group until this is dropped.
    async fn lock(&self, group: Symbol) -> OwnedMutexGuard<()> {
        let lock = self.state().memory.lock(group.as_str());
        lock.lock_owned().await
    }

    /// Takes a changed configuration; one that cannot be used is told, and what was there before stays.
    fn reload(&self) {
        let loaded = match self.source.load() {
            Ok(loaded) if loaded.digest == self.hosts().config.digest => return,
            Ok(loaded) => Hosts::new(loaded, &self.home, &self.connector),
            Err(error) => Err(error),
        };
        match loaded {
            Ok(hosts) => {
                info!(provider = &*self.name, file = hosts.config.file, "took a changed file");
                self.state().hosts = Arc::new(hosts);
            }
            Err(error) => {
                warn!(provider = &*self.name, %error, "kept the configuration as it was");
            }
        }
    }
}

// === impl Source ===

impl Source {
    fn load(&self) -> Result<Arc<Config>, ConfigError> {
        match self {
            Self::File(path) => Config::load(path).map(Arc::new),
            Self::Fixed(config) => Ok(Arc::clone(config)),
        }
    }
}

/// How many, as the contract counts.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
