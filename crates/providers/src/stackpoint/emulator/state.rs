//! The books: pools and machines.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_model::Symbol;

use super::{
    knobs::Trouble,
    offer::{Offer, PREFIX, PoolOffer},
};
use crate::joins::News;

/// The first number that is given out; they are never small.
const FIRST: i64 = 1000;

/// Everything that the service knows.
#[derive(Debug)]
pub(super) struct Books {
    pub(super) offer: Offer,
    /// By number.
    pub(super) pools: BTreeMap<i64, Pool>,
    /// By number.
    pub(super) machines: BTreeMap<i64, Machine>,
    /// What has happened that a cluster would notice, and that nobody has been told.
    pub(super) news: Vec<News>,
    /// How many more machines the account may have.
    pub(super) quota: Option<u32>,
    next: i64,
    workers: u32,
    masters: u32,
}

/// A pool.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub(super) pk: i64,
    pub(super) offer: PoolOffer,
    /// How many more machines can be had.
    pub(super) stock: Option<u32>,
    /// What becomes of the machines that are begun next, and of how many.
    pub(super) trouble: Option<(Trouble, u32)>,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its number.
    pub pk: i64,
    /// What it is called.
    pub instance_id: String,
    /// Its pool.
    pub pool: Option<i64>,
    /// The group that an autoscaler may count it to.
    pub group: Option<Symbol>,
    /// `master` or `worker`.
    pub role: &'static str,
    /// How it has to do with etcd.
    pub etcd_state: &'static str,
    /// What it is doing.
    pub state: State,
    /// It will not come up.
    pub is_failed: bool,
    /// When it was asked for.
    pub created: Timestamp,
    /// How often its deletion was asked for.
    pub deletions: u32,
    /// When it last changed.
    pub(super) updated: Timestamp,
    /// When something happens next to it by itself.
    pub(super) due: Option<Timestamp>,
    /// What will become of it.
    pub(super) trouble: Option<Trouble>,
    /// It may not be deleted.
    pub(super) is_kept: bool,
}

/// What a machine is doing, in the service's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// On record.
    Draft,
    /// The cloud makes it.
    Building,
    /// It is there, and being set up.
    Provisioned,
    /// It has joined.
    Running,
    /// It will not come up.
    Failed,
    /// It is being deleted.
    Deleting,
}

// === impl Books ===

impl Books {
    pub(super) fn new(offer: Offer, now: Timestamp) -> Self {
        let mut books = Self {
            pools: BTreeMap::new(),
            machines: BTreeMap::new(),
            news: Vec::new(),
            quota: None,
            next: FIRST,
            workers: 0,
            masters: 0,
            offer,
        };
        for _ in 0..books.offer.masters {
            books.add_master(now);
        }
        for (place, pool) in books.offer.pools.clone().into_iter().enumerate() {
            let pk = books.number();
            let mut offer = pool;
            if offer.id.is_empty() {
                offer.id = format!("{PREFIX}-pool-{}", place + 1).into();
            }
            let initial = offer.initial;
            books.pools.insert(pk, Pool { pk, offer, stock: None, trouble: None });
            for _ in 0..initial {
                let machine = books.begin(pk, now);
                books.arrive(machine, now);
            }
        }
        books
    }

    /// The pool that is the group of this id.
    pub(super) fn pool_of(&mut self, group: Symbol) -> Option<&mut Pool> {
        self.pools.values_mut().find(|pool| pool.group() == Some(group))
    }

    /// A new machine of a pool, as a draft.
    pub(super) fn begin(&mut self, pool: i64, now: Timestamp) -> i64 {
        self.workers += 1;
        let instance_id = format!("{PREFIX}-worker-{}", self.workers);
        let due = now.checked_add(self.offer.pace.draft).ok();
        let found = self.pools.get_mut(&pool);
        let group = found.as_ref().and_then(|pool| pool.group());
        let trouble = found.and_then(Pool::next_trouble);
        let pk = self.add("worker", instance_id, now);
        if let Some(machine) = self.machines.get_mut(&pk) {
            (machine.pool, machine.group) = (Some(pool), group);
            machine.due = due.filter(|_| trouble != Some(Trouble::Stuck));
            machine.trouble = trouble;
        }
        pk
    }

    /// A new master, running.
    pub(super) fn add_master(&mut self, now: Timestamp) -> i64 {
        self.masters += 1;
        let instance_id = format!("{PREFIX}-master-{}", self.masters);
        let pk = self.add("master", instance_id, now);
        self.arrive(pk, now);
        pk
    }

    fn add(&mut self, role: &'static str, instance_id: String, now: Timestamp) -> i64 {
        let pk = self.number();
        let machine = Machine {
            pk,
            instance_id,
            pool: None,
            group: None,
            role,
            etcd_state: "kube_etcd",
            state: State::Draft,
            is_failed: false,
            created: now,
            deletions: 0,
            updated: now,
            due: None,
            trouble: None,
            is_kept: role == "master",
        };
        self.machines.insert(pk, machine);
        pk
    }

    fn number(&mut self) -> i64 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// How many machines can be had of a pool, of so many.
    pub(super) fn available(&self, pool: &Pool, wanted: u32) -> Result<u32, &'static str> {
        let used = u32::try_from(self.machines.len()).unwrap_or(u32::MAX);
        let quota = self.quota.map_or(u32::MAX, |quota| quota.saturating_sub(used));
        let stock = pool.stock.unwrap_or(u32::MAX);
        match (quota, stock) {
            (0, _) => Err("InstanceLimitExceeded: you have requested more instances than allowed"),
            (_, 0) => Err("InsufficientInstanceCapacity: there is no such machine in this zone"),
            (quota, stock) => Ok(wanted.min(quota).min(stock)),
        }
    }
}

// === impl Pool ===

impl Pool {
    /// What its machines carry.
    pub(super) fn group_name(&self) -> String {
        format!("autoscaling-{}", self.offer.id)
    }

    /// The group that an autoscaler makes of it.
    pub(super) fn group(&self) -> Option<Symbol> {
        self.offer.autoscaled.then(|| Symbol::new(&self.group_name()))
    }

    fn next_trouble(&mut self) -> Option<Trouble> {
        let (trouble, left) = self.trouble.filter(|(_, left)| *left > 0)?;
        self.trouble = Some((trouble, left - 1));
        Some(trouble)
    }
}

// === impl Machine ===

impl Machine {
    /// Its address inside of the cluster.
    pub(super) fn address(&self) -> String {
        let (high, low) = (self.pk.div_euclid(250), self.pk.rem_euclid(250));
        format!("10.20.{high}.{}", low + 1)
    }

    /// What its Kubernetes node is called, which is not what the service calls it.
    pub fn node_name(&self) -> String {
        format!("ip-{}", self.address().replace('.', "-"))
    }

    /// Whether it has an address already.
    pub(super) const fn is_built(&self) -> bool {
        matches!(self.state, State::Provisioned | State::Running | State::Deleting)
    }
}

// === impl State ===

impl State {
    /// The service's word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Building => "building",
            Self::Provisioned => "provisioned",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::Deleting => "deleting",
        }
    }
}
