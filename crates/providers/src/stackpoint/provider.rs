//! The provider over the service.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use jiff::SignedDuration;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Capabilities, Class, Deletion, Error, Home, Inventory, NodeIdentity, Order, Owner, Provider,
    Whose,
};

use super::{
    bounds::{keep_minimum, room},
    client::{Client, Gone},
    config::{Bounds, Config, Placement},
    inventory::{Terms, inventory},
    learning::UnknownKinds,
    listing::Listing,
    memory::Memory,
    owner::whose,
    pools::{self, Board},
    reconcile::{Books, Machine, Phase, Place, begun, reconcile},
    template::{Kinds, needs_catalogue},
    wire::{AddNodes, Cluster, Pool},
};
use crate::rest::Rest;

/// What it is called unless the user says otherwise.
const NAME: &str = "spc";

/// How many machines are deleted at once.
const DELETIONS_AT_ONCE: usize = 8;

/// New kinds of machines are seldom offered.
const CATALOGUE_HOLDS: SignedDuration = SignedDuration::from_hours(1);

/// Where a cluster is and how large it may be seldom changes.
const CLUSTER_HOLDS: SignedDuration = SignedDuration::from_mins(1);

/// The code of calls about a group that is frozen.
const FROZEN: &str = "Frozen";

/// The provider over the service. A new one is what a restart leaves.
#[derive(Debug)]
pub struct StackPoint {
    name: Box<str>,
    config: Config,
    client: Client,
    /// Pools as the cluster tells them.
    board: Board,
    home: Home,
    memory: Mutex<Memory>,
    /// Held from reading a group's target to raising it, by group; by nothing where all groups have a common maximum.
    orders: Mutex<BTreeMap<Option<Symbol>, Arc<tokio::sync::Mutex<()>>>>,
}

// === impl StackPoint ===

impl StackPoint {
    /// A provider that remembers nothing. Nothing is contacted yet; the error says in words what cannot be used.
    pub fn new(name: Option<&str>, config: Config, home: Home) -> Result<Self, String> {
        let client = Client::new(&config, home.fence.clone())?;
        Ok(Self::with(name, config, client, home))
    }

    /// The same over connections of the caller's.
    pub fn over(name: Option<&str>, config: Config, rest: Rest, home: Home) -> Self {
        let client = Client::over(&config, rest, home.fence.clone());
        Self::with(name, config, client, home)
    }

    fn with(name: Option<&str>, config: Config, client: Client, home: Home) -> Self {
        let name = name.unwrap_or(NAME).into();
        let (memory, orders) = (Mutex::default(), Mutex::default());
        let board = Board::default();
        Self { name, config, client, board, home, memory, orders }
    }

    /// What the service has now.
    async fn read(&self) -> Result<Books, Error> {
        let pools = self.pools().await?;
        let records = self.client.nodes().await?;
        let mut books = match pools {
            Some(pools) => reconcile(self.config.cluster, pools, &records)?,
            None => return Err(no_groups()),
        };
        self.memory().freeze_misplaced(&mut books);
        Ok(books)
    }

    /// What the service had when it was last looked at, or has now if that is too long ago.
    async fn look(&self) -> Result<Arc<Books>, Error> {
        let now = self.home.clock.now();
        let changes = {
            let memory = self.memory();
            if let Some(books) = memory.recent(now, self.config.poll) {
                return Ok(books);
            }
            memory.changes()
        };
        let books = Arc::new(self.read().await?);
        self.memory().remember(Arc::clone(&books), now, changes);
        Ok(books)
    }

    /// Where the ConfigMap of the original can be put.
    pub fn board(&self) -> Board {
        self.board.clone()
    }

    /// Pools, from the file or the board while there is one that can be read, else from the service, and the groups that the user
    /// names for a service without pools. `None` where there is neither.
    async fn pools(&self) -> Result<Option<Listing<Pool>>, Error> {
        let told = pools::told(self.config.node_pools_file.as_deref(), &self.board).await;
        let (pools, problem) = match told {
            Ok(pools) => (pools, None),
            Err(problem) => (None, Some(problem)),
        };
        self.memory().report_pools_problem(problem);
        let pools = match pools {
            Some(pools) => Some(pools),
            None => self.client.pools().await?,
        };
        let named = &self.config.groups;
        Ok(match pools {
            None if named.is_empty() => None,
            pools => {
                let mut pools = pools.unwrap_or_else(|| Vec::new().into());
                pools.read.extend(named.iter().map(Pool::from));
                Some(pools)
            }
        })
    }

    /// What the service knows of the cluster itself. What was known outlives a failure to ask again.
    async fn cluster(&self) -> Result<Arc<Cluster>, Error> {
        let now = self.home.clock.now();
        let known = self.memory().cluster.clone();
        if let Some((at, cluster)) = &known
            && now.duration_since(*at) < CLUSTER_HOLDS
        {
            return Ok(Arc::clone(cluster));
        }
        match (self.client.cluster().await, known) {
            (Ok(cluster), _) => {
                let cluster = Arc::new(cluster);
                self.memory().cluster = Some((now, Arc::clone(&cluster)));
                Ok(cluster)
            }
            (Err(_), Some((_, cluster))) => Ok(cluster),
            (Err(error), None) => Err(error),
        }
    }

    /// Kinds of machines, if one of these groups does not say what its machines are. A catalogue that cannot be read is one that
    /// has not answered yet, and costs no group its machines.
    async fn kinds(&self, books: &Books, cloud: &str) -> Kinds {
        if !books.groups.iter().any(|shelf| needs_catalogue(&shelf.pool)) {
            return Kinds::default();
        }
        let now = self.home.clock.now();
        let known = self.memory().catalogue.clone();
        if let Some((at, catalogue)) = &known
            && now.duration_since(*at) < CATALOGUE_HOLDS
        {
            return Kinds::listed(Arc::clone(catalogue));
        }
        match (self.client.catalogue(cloud).await, known) {
            // A service that had a catalogue has one: its kinds are not unknown because one answer says so.
            (Ok(catalogue), Some((_, known))) if catalogue.is_empty() => Kinds::listed(known),
            (Ok(catalogue), _) => {
                let catalogue = Arc::new(catalogue);
                self.memory().catalogue = Some((now, Arc::clone(&catalogue)));
                Kinds::listed(catalogue)
            }
            (Err(_), Some((_, catalogue))) => Kinds::listed(catalogue),
            (Err(error), None) => {
                let problem = format!("the catalogue of machines cannot be read: {error}");
                Kinds { problem: Some(problem), ..Kinds::default() }
            }
        }
    }

    /// The bounds of all groups together: what the user says goes before what the service says.
    fn bounds(&self, cluster: &Cluster) -> Bounds {
        let Bounds { min, max } = self.config.bounds;
        let max = max.or_else(|| cluster.max_nodes());
        Bounds { min: min.min(max.unwrap_or(u32::MAX)), max }
    }

    /// Whoever has it is the only one to order where this order counts.
    fn turn(&self, group: Symbol, bounds: Bounds) -> Arc<tokio::sync::Mutex<()>> {
        let key = bounds.max.is_none().then_some(group);
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(orders.entry(key).or_default())
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn delete_one(&self, machine: &Machine) -> (Box<str>, Result<(), Error>) {
        let id = machine.id.clone();
        let outcome = match self.client.delete(machine.pk, machine.consent).await {
            Ok(Gone::Going) => Ok(()),
            Ok(Gone::Already) => Err(gone(&id)),
            Err(error) => Err(error),
        };
        (id, outcome)
    }
}

#[async_trait]
impl Provider for StackPoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            prices: !self.config.prices.is_empty(),
            templates: true,
            // What new nodes are closed for.
            options: true,
            // What is left of the maximum of all groups.
            stock: self.config.bounds.max.is_some() || self.memory().has_maximum(),
            single_deletions: true,
            // It sees all machines of the cluster.
            strangers: true,
            counts_orders: true,
            ..Capabilities::default()
        }
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        let seen = self.look().await?;
        let cluster = self.cluster().await?;
        let kinds = self.kinds(&seen, &cluster.provider).await;
        let mut books = Books::clone(&seen);
        let bounds = self.bounds(&cluster);
        let now = self.home.clock.now();
        let mut memory = self.memory();
        if self.config.unknown_kinds == UnknownKinds::Learn {
            memory.learn(&mut books, &kinds);
        }
        keep_minimum(bounds, &mut books);
        let (hold_back, prices) = (self.config.hold_back.as_ref(), Some(&self.config.prices));
        let steering = Some(&self.config.steering);
        let room = room(bounds, &books);
        let terms = Terms { room, hold_back, prices, steering, region: &cluster.region };
        let inventory = inventory(&books, memory.sighting(), &kinds, terms, now);
        memory.report_unknown_groups(self.config.steering.unknown(&books.groups).join(", "));
        memory.report(books.problems.into_iter().chain(kinds.problem).collect());
        Ok(inventory)
    }

    /// The service keeps no names of orders and has no targets but its machines: an order is served once there are as many as it was
    /// to bring.
    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        let Order { group, count, from, .. } = *order;
        if count == 0 {
            return Err(Error::invalid(format!("an order of no machines in {group}")));
        }
        let bounds = self.bounds(&*self.cluster().await?);
        let turn = self.turn(group, bounds);
        let _turn = turn.lock().await;
        let books = self.read().await?;
        let shelf = books.group(group)?;
        if let Some(problem) = &shelf.frozen {
            return Err(Error::retry(problem).with_code(FROZEN));
        }
        let target = shelf.target();
        let missing = from.saturating_add(count).saturating_sub(target).min(count);
        if missing == 0 {
            return Ok(count);
        }
        if missing > shelf.max.saturating_sub(target) {
            let max = shelf.max;
            let problem =
                format!("{group} has {target} and may have {max}: {missing} are too many");
            return Err(Error::invalid(problem));
        }
        if let Some(room) = room(bounds, &books)
            && missing > room
        {
            let problem = format!("all groups together may have {room} more, not {missing}");
            return Err(Error::new(Class::Quota, problem).with_code("max-nodes"));
        }
        let pool = &shelf.pool;
        if pool.instance_size.is_empty() {
            return Err(Error::bug(format!(
                "the pool of {group} does not say what its machines are"
            )));
        }
        let (zone, subnet, cidr) = match self.config.placement {
            Placement::Service => ("", "", ""),
            Placement::Pool => {
                (&*pool.zone, &*pool.provider_subnet_id, &*pool.provider_subnet_cidr)
            }
        };
        let wish = AddNodes {
            node_count: missing,
            size: &pool.instance_size,
            node_pool: pool.pk,
            group: if pool.pk.is_none() { group.as_str() } else { "" },
            role: "worker",
            zone,
            provider_subnet_id: subnet,
            provider_subnet_cidr: cidr,
        };
        self.memory().change();
        let reply = self.client.add(&wish).await;
        self.memory().change();
        let reply = reply?;
        let new = begun(&reply.read, &books, shelf);
        if !new.elsewhere.is_empty() {
            self.memory().misplace(group, &new.elsewhere);
        }
        let begun = new.in_group;
        if begun == 0 && !(reply.unreadable.is_empty() && new.elsewhere.is_empty()) {
            let problem = format!(
                "the service took an order of {missing} in {group}, and its answer does not say what it began"
            );
            return Err(Error::retry(problem).with_code("Unclear"));
        }
        if begun == 0 {
            let problem =
                format!("the service took an order of {missing} in {group} and began none");
            return Err(Error::new(Class::OutOfCapacity, problem).with_code("NothingBegun"));
        }
        // What an earlier attempt brought is in the target already.
        let begun = u32::try_from(begun).unwrap_or(u32::MAX);
        Ok((count - missing).saturating_add(begun).min(count))
    }

    /// What is ordered is a machine at once, so there is nothing else to give up.
    async fn lower_target(&self, group: Symbol, _target: u32) -> Result<u32, Error> {
        Ok(self.read().await?.group(group)?.target())
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        let books = self.read().await?;
        let shelf = books.group(group)?;
        for id in instances {
            match books.place(id) {
                Place::Group(other, _) if other.id != group => {
                    let other = other.id;
                    return Err(Error::invalid(format!("{id} belongs to {other}, not to {group}")));
                }
                Place::Nobodys => {
                    return Err(Error::invalid(format!(
                        "{id} belongs to no group, not to {group}"
                    )));
                }
                Place::Group(..) | Place::Nowhere => {}
            }
        }
        if let Some(problem) = &shelf.frozen {
            return Err(Error::retry(problem).with_code(FROZEN));
        }
        let mut living: Vec<_> = instances.iter().filter_map(|id| shelf.machine(id)).collect();
        living.sort_unstable_by_key(|machine| machine.pk);
        living.dedup_by_key(|machine| machine.pk);
        living.retain(|machine| machine.phase != Phase::Going);
        self.memory().change();
        let deletions: Vec<_> = living.iter().map(|machine| self.delete_one(machine)).collect();
        let outcomes: BTreeMap<Box<str>, Result<(), Error>> =
            stream::iter(deletions).buffer_unordered(DELETIONS_AT_ONCE).collect().await;
        self.memory().change();
        let outcome = |id: &str| match (outcomes.get(id), shelf.machine(id)) {
            (Some(outcome), _) => outcome.clone(),
            (None, Some(_)) => Ok(()),
            (None, None) => Err(gone(id)),
        };
        let answers = instances.iter();
        Ok(answers.map(|id| Deletion { instance: id.clone(), outcome: outcome(id) }).collect())
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        let known = self.memory().books();
        let books = match known {
            Some(books) => books,
            None => Arc::new(self.read().await?),
        };
        let whose = whose(&books, node);
        let mut memory = self.memory();
        match &whose {
            Whose::Machine(Owner { instance: Some(machine), .. }) => {
                memory.name(machine, &node.name);
            }
            // The machine may have been made since the service was last looked at.
            Whose::Gone(_) => memory.change(),
            Whose::Machine(_) | Whose::Nobodys => {}
        }
        Ok(whose)
    }
}

fn gone(id: &str) -> Error {
    Error::not_found(format!("there is no machine {id} any more"))
}

fn no_groups() -> Error {
    Error::invalid(
        "the service has no node pools, or there is no such cluster; check cluster-id, and name the groups under `groups` in the file that --cloud-config names",
    )
}
