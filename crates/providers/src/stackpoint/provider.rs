//! The provider over the service.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Capabilities, Class, Deletion, Error, Home, Inventory, NodeIdentity, Order, Owner, Provider,
    Whose,
};
use tracing::warn;

use super::{
    bounds::{keep_minimum, room},
    client::{Client, Gone},
    config::Config,
    inventory::{Sighting, Terms, inventory},
    owner::whose,
    pools::{self, Board},
    reconcile::{Books, Phase, Place, new_machines, reconcile},
    template::{Catalogue, needs_catalogue},
    wire::{AddNodes, Key, Pool},
};
use crate::rest::Rest;

/// What it is called unless the user says otherwise.
const NAME: &str = "spc";

/// How many machines are deleted at once.
const DELETIONS_AT_ONCE: usize = 8;

/// New kinds of machines are seldom offered.
const CATALOGUE_HOLDS: SignedDuration = SignedDuration::from_hours(1);

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

/// What was seen, for questions that need no request. A restart may lose all of it.
#[derive(Debug, Default)]
struct Memory {
    sighting: Sighting,
    books: Option<Arc<Books>>,
    catalogue: Option<(Timestamp, Arc<Catalogue>)>,
    /// What was last said to be wrong with pools that others tell, so that it is said once.
    pools_problem: Option<String>,
    /// Groups to avoid that there are not, so that it is said once.
    unknown_groups: String,
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
        reconcile(self.config.cluster, pools, &records)
    }

    /// Where the ConfigMap of the original can be put.
    pub fn board(&self) -> Board {
        self.board.clone()
    }

    /// Pools, from the file or the board while there is one that can be read, else from the service.
    async fn pools(&self) -> Result<Vec<Pool>, Error> {
        let told = pools::told(self.config.node_pools_file.as_deref(), &self.board).await;
        let (pools, problem) = match told {
            Ok(pools) => (pools, None),
            Err(problem) => (None, Some(problem)),
        };
        {
            let mut memory = self.memory();
            if memory.pools_problem != problem
                && let Some(problem) = &problem
            {
                warn!(problem, "asks the service for pools instead");
            }
            memory.pools_problem = problem;
        }
        match pools {
            Some(pools) => Ok(pools),
            None => self.client.pools().await,
        }
    }

    /// Kinds of machines, if one of these groups does not say what its machines are.
    async fn catalogue(&self, books: &Books) -> Result<Arc<Catalogue>, Error> {
        if !books.groups.iter().any(|shelf| needs_catalogue(&shelf.pool)) {
            return Ok(Arc::default());
        }
        let now = self.home.clock.now();
        let known = self.memory().catalogue.clone();
        if let Some((at, catalogue)) = &known
            && now.duration_since(*at) < CATALOGUE_HOLDS
        {
            return Ok(Arc::clone(catalogue));
        }
        match (self.client.catalogue().await, known) {
            (Ok(catalogue), _) => {
                let catalogue = Arc::new(catalogue);
                self.memory().catalogue = Some((now, Arc::clone(&catalogue)));
                Ok(catalogue)
            }
            (Err(_), Some((_, catalogue))) => Ok(catalogue),
            (Err(error), None) => Err(error),
        }
    }

    /// Whoever has it is the only one to order where this order counts.
    fn turn(&self, group: Symbol) -> Arc<tokio::sync::Mutex<()>> {
        let key = self.config.bounds.max.is_none().then_some(group);
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(orders.entry(key).or_default())
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn delete_one(&self, id: Box<str>, pk: Key) -> (Box<str>, Result<(), Error>) {
        let outcome = match self.client.delete(pk).await {
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
            stock: self.config.bounds.max.is_some(),
            single_deletions: true,
            // It sees all machines of the cluster.
            strangers: true,
            counts_orders: true,
            ..Capabilities::default()
        }
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        let mut books = self.read().await?;
        let catalogue = self.catalogue(&books).await?;
        keep_minimum(self.config.bounds, &mut books);
        let now = self.home.clock.now();
        let room = room(self.config.bounds, &books);
        let mut memory = self.memory();
        memory.sighting.look(&books, now);
        let (hold_back, prices) = (self.config.hold_back.as_ref(), Some(&self.config.prices));
        let steering = Some(&self.config.steering);
        let terms = Terms { room, hold_back, prices, steering };
        let inventory = inventory(&books, &memory.sighting, &catalogue, terms, now);
        let unknown = self.config.steering.unknown(&books.groups).join(", ");
        if memory.unknown_groups != unknown {
            warn!(unknown, "avoid-groups names what no autoscaled pool is called");
            memory.unknown_groups = unknown;
        }
        memory.books = Some(Arc::new(books));
        Ok(inventory)
    }

    /// The service keeps no names of orders and has no targets but its machines: an order is served once there are as many as it was
    /// to bring.
    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        let Order { group, count, from, .. } = *order;
        if count == 0 {
            return Err(Error::invalid(format!("an order of no machines in {group}")));
        }
        let turn = self.turn(group);
        let _turn = turn.lock().await;
        let books = self.read().await?;
        let shelf = books.group(group)?;
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
        if let Some(room) = room(self.config.bounds, &books)
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
        let wish = AddNodes {
            node_count: missing,
            size: &pool.instance_size,
            node_pool: pool.pk,
            role: "worker",
            zone: &pool.zone,
            provider_subnet_id: &pool.provider_subnet_id,
            provider_subnet_cidr: &pool.provider_subnet_cidr,
        };
        let reply = self.client.add(&wish).await?;
        let begun = new_machines(&reply, &books.keys(), shelf);
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
        let mut living: Vec<_> = instances.iter().filter_map(|id| shelf.machine(id)).collect();
        living.sort_unstable_by_key(|machine| machine.pk);
        living.dedup_by_key(|machine| machine.pk);
        living.retain(|machine| machine.phase != Phase::Going);
        let deletions: Vec<_> =
            living.iter().map(|machine| self.delete_one(machine.id.clone(), machine.pk)).collect();
        let outcomes: BTreeMap<Box<str>, Result<(), Error>> =
            stream::iter(deletions).buffer_unordered(DELETIONS_AT_ONCE).collect().await;
        let outcome = |id: &str| match (outcomes.get(id), shelf.machine(id)) {
            (Some(outcome), _) => outcome.clone(),
            (None, Some(_)) => Ok(()),
            (None, None) => Err(gone(id)),
        };
        let answers = instances.iter();
        Ok(answers.map(|id| Deletion { instance: id.clone(), outcome: outcome(id) }).collect())
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        let known = self.memory().books.clone();
        let books = match known {
            Some(books) => books,
            None => Arc::new(self.read().await?),
        };
        let whose = whose(&books, node);
        if let Whose::Machine(Owner { instance: Some(machine), .. }) = &whose {
            self.memory().sighting.name(machine, &node.name);
        }
        Ok(whose)
    }
}

fn gone(id: &str) -> Error {
    Error::not_found(format!("there is no machine {id} any more"))
}
