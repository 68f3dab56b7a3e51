//! The service's records and its pools, brought together: which machines there are, whose they are, and what they are doing.
//!
//! Pure: the same replies make the same books. The third source of truth, the nodes of Kubernetes, is compared with these books by
//! [`owner`](super::owner) and by the planner.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_model::Symbol;
use plimsoll_provider::Error;

use super::wire::{Key, Pool, Record};

/// What group ids begin with.
const PREFIX: &str = "autoscaling-";

/// What `etcd_state` says of a machine that hosts none: nothing, or that etcd runs inside of Kubernetes, where masters host it.
const NO_ETCD: [&str; 3] = ["", "none", "kube_etcd"];

/// Everything that the service has of a cluster, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Books {
    /// Pools that are to be grown and shrunk, by number.
    pub(super) groups: Vec<Shelf>,
    /// Machines that nobody may touch: masters, hosts of etcd, those of other pools.
    pub(super) nobodys: Vec<Machine>,
}

/// A pool that is a group, and its machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shelf {
    pub(super) id: Symbol,
    pub(super) pool: Pool,
    /// How many machines that may be touched it is to have.
    pub(super) min: u32,
    pub(super) max: u32,
    /// By number.
    pub(super) machines: Vec<Machine>,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) id: Box<str>,
    pub(super) pk: Key,
    pub(super) phase: Phase,
    /// By the service's clock.
    pub(super) created: Option<Timestamp>,
    pub(super) private_ip: String,
    /// The service's word for what it is doing.
    pub(super) state: String,
}

/// What a machine is doing.
///
/// | the service says                                 | phase   |
/// |--------------------------------------------------|---------|
/// | `draft`, `building`, `provisioning`, `provisioned` | Coming  |
/// | `running`, or a word that nobody knows           | Running |
/// | `failed`, or `is_failed`                         | Failed  |
/// | `deleting`                                       | Going   |
/// | `deleted`                                        | it is gone, and has no entry |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Coming,
    Running,
    Failed,
    Going,
}

/// Where a machine is in the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'b> {
    Group(&'b Shelf, &'b Machine),
    Nobodys,
    Nowhere,
}

/// Brings pools and records of a cluster together.
///
/// Fails where they cannot both be true: a list without a single machine beside a pool that has some, a record of another cluster,
/// a name that stands twice. It would be read as machines that have gone.
pub(super) fn reconcile(
    cluster: Key,
    pools: Vec<Pool>,
    records: &[Record],
) -> Result<Books, Error> {
    let counted = pools.iter().map(|pool| pool.node_count.max(0)).fold(0, i64::saturating_add);
    if records.is_empty() && counted > 0 {
        return Err(Error::bug(format!(
            "the service lists no machine of cluster {cluster}, and its pools have {counted}"
        )));
    }
    let mut pools: Vec<Pool> = pools.into_iter().filter(is_group).collect();
    pools.sort_by_key(|pool| pool.pk);
    let mut groups: Vec<Shelf> = pools.into_iter().map(Shelf::new).collect();
    if let Some(twice) = twice(groups.iter().map(|shelf| shelf.id.as_str())) {
        return Err(Error::bug(format!("two pools are called {twice}")));
    }
    let mut nobodys = Vec::new();
    let mut records: Vec<&Record> = records.iter().collect();
    records.sort_by_key(|record| record.pk);
    for record in records {
        if record.cluster.is_some_and(|other| other != cluster) {
            let (pk, other) = (record.pk, record.cluster.unwrap_or_default());
            return Err(Error::bug(format!(
                "the service lists machine {pk} of cluster {other} in cluster {cluster}"
            )));
        }
        let Some(machine) = Machine::new(record) else { continue };
        match groups.iter_mut().find(|shelf| shelf.has(record)) {
            Some(shelf) if is_ours(record) => shelf.machines.push(machine),
            Some(shelf) => {
                // It takes a place in the pool, so that much less is left for those that may be touched.
                shelf.min = shelf.min.saturating_sub(1);
                shelf.max = shelf.max.saturating_sub(1);
                nobodys.push(machine);
            }
            None => nobodys.push(machine),
        }
    }
    let books = Books { groups, nobodys };
    match twice(books.machines().map(|machine| &*machine.id)) {
        Some(twice) => Err(Error::bug(format!("two machines are called {twice}"))),
        None => Ok(books),
    }
}

/// Whether a pool is to be grown and shrunk.
fn is_group(pool: &Pool) -> bool {
    let is_there = !matches!(&*pool.state, "draft" | "failed" | "deleting" | "deleted");
    let of_workers = matches!(&*pool.role, "" | "worker");
    pool.autoscaled && is_there && of_workers && !pool.instance_id.is_empty()
}

/// Whether a machine of a group may be touched.
fn is_ours(record: &Record) -> bool {
    record.role == "worker" && NO_ETCD.contains(&&*record.etcd_state)
}

/// A name that stands more than once.
fn twice<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.windows(2).find_map(|pair| match pair {
        [one, other] if one == other => Some(*one),
        _ => None,
    })
}

// === impl Books ===

impl Books {
    /// The group of this id.
    pub(super) fn group(&self, id: Symbol) -> Result<&Shelf, Error> {
        let found = self.groups.iter().find(|shelf| shelf.id == id);
        found.ok_or_else(|| Error::not_found(format!("no autoscaled pool is the group {id}")))
    }

    /// Where a machine is.
    pub(super) fn place(&self, id: &str) -> Place<'_> {
        let has = |shelf: &&Shelf| shelf.machine(id).is_some();
        if let Some(shelf) = self.groups.iter().find(has)
            && let Some(machine) = shelf.machine(id)
        {
            return Place::Group(shelf, machine);
        }
        let is_nobodys = self.nobodys.iter().any(|machine| &*machine.id == id);
        if is_nobodys { Place::Nobodys } else { Place::Nowhere }
    }

    /// Machines of all groups that are there to stay.
    pub(super) fn total(&self) -> u32 {
        self.groups.iter().map(Shelf::target).fold(0, u32::saturating_add)
    }

    /// The numbers of all machines, by which new ones are known.
    pub(super) fn keys(&self) -> Vec<Key> {
        self.machines().map(|machine| machine.pk).collect()
    }

    fn machines(&self) -> impl Iterator<Item = &Machine> {
        self.groups.iter().flat_map(|shelf| &shelf.machines).chain(&self.nobodys)
    }
}

// === impl Shelf ===

impl Shelf {
    fn new(pool: Pool) -> Self {
        let max = whole(pool.max_count);
        // A minimum above the maximum is a mistake of somebody's, and the maximum is what costs money.
        let min = whole(pool.min_count).min(max);
        let id = Symbol::new(&format!("{PREFIX}{}", pool.instance_id));
        Self { id, pool, min, max, machines: Vec::new() }
    }

    /// Whether a record belongs to it: by the pool's number, or by name where there is no number.
    fn has(&self, record: &Record) -> bool {
        match record.pool {
            Some(pool) => pool == self.pool.pk,
            None => record.group_name == self.id.as_str(),
        }
    }

    /// How many machines it has that are there to stay: the service has no other target.
    pub(super) fn target(&self) -> u32 {
        let staying = self.machines.iter().filter(|machine| machine.phase != Phase::Going);
        u32::try_from(staying.count()).unwrap_or(u32::MAX)
    }

    pub(super) fn machine(&self, id: &str) -> Option<&Machine> {
        self.machines.iter().find(|machine| &*machine.id == id)
    }
}

/// A count of the service's.
fn whole(count: i64) -> u32 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX)
}

// === impl Machine ===

impl Machine {
    /// `None` for one that is gone.
    fn new(record: &Record) -> Option<Self> {
        let phase = match &*record.state {
            "deleted" => return None,
            "deleting" => Phase::Going,
            "failed" => Phase::Failed,
            _ if record.is_failed => Phase::Failed,
            "draft" | "building" | "provisioning" | "provisioned" => Phase::Coming,
            _ => Phase::Running,
        };
        let id = match &*record.instance_id {
            "" => format!("pk-{}", record.pk).into(),
            id => id.into(),
        };
        Some(Self {
            id,
            pk: record.pk,
            phase,
            created: record.created,
            private_ip: record.private_ip.clone(),
            state: record.state.clone(),
        })
    }
}

/// The numbers of a reply to an order that were not known before and belong to this pool. Some versions of the service answer with
/// the new machines, some with all that there are.
pub(super) fn new_machines(reply: &[Record], known: &[Key], shelf: &Shelf) -> usize {
    let is_new = |record: &&Record| !known.contains(&record.pk) && shelf.has(record);
    let mut keys: Vec<Key> = reply.iter().filter(is_new).map(|record| record.pk).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.len()
}

/// Machines by address, where an address has only one.
pub(super) fn by_address(books: &Books) -> BTreeMap<&str, Option<&Machine>> {
    let mut addresses = BTreeMap::new();
    for machine in books.machines().filter(|machine| !machine.private_ip.is_empty()) {
        addresses
            .entry(&*machine.private_ip)
            .and_modify(|found| *found = None)
            .or_insert(Some(machine));
    }
    addresses
}

#[cfg(test)]
mod tests;
