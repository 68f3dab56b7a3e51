//! The service's records and its pools, brought together: which machines there are, whose they are, and what they are doing.
//!
//! Pure: the same replies make the same books. The third source of truth, the nodes of Kubernetes, is compared with these books by
//! [`owner`](super::owner) and by the planner.

use std::collections::BTreeMap;

use plimsoll_model::Symbol;
use plimsoll_provider::Error;

mod machine;
mod tags;

use self::machine::is_ours;
pub(super) use self::machine::{Consent, Machine, Phase};
use super::{
    listing::{Listing, Unreadable},
    wire::{Key, Pool, Record},
};

/// Everything that the service has of a cluster, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Books {
    /// Pools that are to be grown and shrunk, by number.
    pub(super) groups: Vec<Shelf>,
    /// Machines that nobody may touch: masters, hosts of etcd, those of other pools.
    pub(super) nobodys: Vec<Machine>,
    /// What pools are called that are no groups.
    others: Vec<Pool>,
    /// What could not be read, or is not understood, in words for people.
    pub(super) problems: Vec<String>,
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
    /// Why nothing may be done with it: the pool or one of its machines cannot be read.
    pub(super) frozen: Option<String>,
    /// What else people should know of it.
    pub(super) note: Option<String>,
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
/// A pool that cannot be read is a group that is frozen, and a record that cannot be read freezes the group that it belongs to: it is
/// not a machine that has gone. Fails where that is not enough: a record that does not say whose it is, and where pools and records
/// cannot both be true: a list without a single machine beside a pool that has some, a record of another cluster, a name that stands
/// twice. It would be read as machines that have gone.
pub(super) fn reconcile(
    cluster: Key,
    pools: impl Into<Listing<Pool>>,
    records: &Listing<Record>,
) -> Result<Books, Error> {
    let pools: Listing<Pool> = pools.into();
    let counted = pools.read.iter().map(|pool| pool.node_count.max(0)).fold(0, i64::saturating_add);
    if records.read.is_empty() && records.unreadable.is_empty() && counted > 0 {
        return Err(Error::bug(format!(
            "the service lists no machine of cluster {cluster}, and its pools have {counted}"
        )));
    }
    let mut books = Books::of(pools)?;
    let mut sorted: Vec<&Record> = records.read.iter().collect();
    sorted.sort_by_key(|record| record.pk);
    for record in sorted {
        if record.cluster.is_some_and(|other| other != cluster) {
            let (pk, other) = (record.pk, record.cluster.unwrap_or_default());
            return Err(Error::bug(format!(
                "the service lists machine {pk} of cluster {other} in cluster {cluster}"
            )));
        }
        books.enter(record);
    }
    for unreadable in &records.unreadable {
        books.enter_unreadable(unreadable)?;
    }
    // Bounds that cannot be read are what there is: neither more nor less is wanted, here or in other groups.
    for shelf in books.groups.iter_mut().filter(|shelf| shelf.pool == shelf.pool.nameplate()) {
        (shelf.min, shelf.max) = (shelf.target(), shelf.target());
    }
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
    /// Pools without their machines.
    fn of(pools: Listing<Pool>) -> Result<Self, Error> {
        let (mut groups, others): (Vec<Pool>, Vec<Pool>) =
            pools.read.into_iter().partition(is_group);
        groups.sort_by_key(|pool| pool.pk);
        let mut groups: Vec<Shelf> = groups.into_iter().map(Shelf::new).collect();
        let mut problems = Vec::new();
        let nameless = pools.unreadable.iter().filter(|pool| pool.instance_id.is_none()).count();
        if groups.is_empty() && others.is_empty() && nameless > 0 {
            return Err(Error::bug("none of the pools that the service lists can be read"));
        }
        for unreadable in pools.unreadable {
            let problem =
                format!("the pool {} cannot be read: {}", unreadable.name(), unreadable.problem);
            problems.push(problem.clone());
            if unreadable.autoscaled != Some(false)
                && let Some(id) = unreadable.instance_id
            {
                let pool = Pool { pk: unreadable.pk, instance_id: id, ..Pool::default() };
                groups.push(Shelf { frozen: Some(problem), ..Shelf::new(pool) });
            }
        }
        match twice(groups.iter().map(|shelf| shelf.id.as_str())) {
            Some(twice) => Err(Error::bug(format!("two pools are called {twice}"))),
            None => Ok(Self { groups, nobodys: Vec::new(), others, problems }),
        }
    }

    fn enter(&mut self, record: &Record) {
        let Some(machine) = Machine::new(record) else { return };
        if machine.consent == Consent::Spoken {
            let word = &record.etcd_state;
            self.problems.push(format!(
                "the etcd_state \"{word}\" is not known: machines that have it are deleted only if the service says that they may be"
            ));
        }
        match self.home_of(record.pool, &record.group_name) {
            Some(place) if is_ours(record) => self.groups[place].machines.push(machine),
            Some(place) => {
                // It takes a place in the pool, so that much less is left for those that may be touched.
                let shelf = &mut self.groups[place];
                shelf.min = shelf.min.saturating_sub(1);
                shelf.max = shelf.max.saturating_sub(1);
                self.nobodys.push(machine);
            }
            None => self.nobodys.push(machine),
        }
    }

    /// Freezes the group that the record belongs to, and keeps the machine in it.
    fn enter_unreadable(&mut self, unreadable: &Unreadable) -> Result<(), Error> {
        let (name, why) = (unreadable.name(), &unreadable.problem);
        let problem = format!("the record of the machine {name} cannot be read: {why}");
        let group_name = unreadable.group_name.as_deref().unwrap_or_default();
        let is_told = unreadable.pool.is_some() || !group_name.is_empty();
        if !is_told && unreadable.role.as_deref() != Some("master") {
            return Err(Error::bug(format!("{problem}; it does not say whose machine it is")));
        }
        let machine = Machine::unreadable(unreadable);
        match self.home_of(unreadable.pool, group_name) {
            Some(place) => {
                let shelf = &mut self.groups[place];
                shelf.frozen.get_or_insert_with(|| problem.clone());
                shelf.machines.extend(machine);
            }
            None => self.nobodys.extend(machine),
        }
        self.problems.push(problem);
        Ok(())
    }

    /// The place of the group that a machine belongs to: by the pool's number, or by name where there is no number.
    fn home_of(&self, pool: Option<Key>, group_name: &str) -> Option<usize> {
        if pool.is_some() {
            return self.groups.iter().position(|shelf| shelf.pool.pk == pool);
        }
        let id = self.tag(group_name).only()?.id;
        self.groups.iter().position(|shelf| shelf.id == id)
    }

    /// Whether a record belongs to this group.
    fn belongs(&self, record: &Record, shelf: &Shelf) -> bool {
        let home = self.home_of(record.pool, &record.group_name);
        home.is_some_and(|place| self.groups[place].id == shelf.id)
    }

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
    fn keys(&self) -> Vec<Key> {
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
        let id = tags::group_id(&pool);
        Self { id, pool, min, max, machines: Vec::new(), frozen: None, note: None }
    }

    /// The region and the zone of its machines, where all that say so say the same; empty where they do not.
    pub(super) fn location(&self) -> (&str, &str) {
        let regions = self.machines.iter().map(Machine::region);
        let zones = self.machines.iter().map(Machine::zone);
        (common(regions), common(zones))
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

/// The text that all of these are which are not empty.
fn common<'a>(texts: impl Iterator<Item = &'a str>) -> &'a str {
    let mut told = texts.filter(|text| !text.is_empty());
    let first = told.next().unwrap_or_default();
    if told.all(|text| text == first) { first } else { "" }
}

/// A count of the service's.
fn whole(count: i64) -> u32 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX)
}

/// What is new in a reply to an order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Begun {
    /// How many machines of the group.
    pub(super) in_group: usize,
    /// The numbers of machines that the service put into no group, or into another.
    pub(super) elsewhere: Vec<Key>,
}

/// The machines of a reply to an order that were not known before. Some versions of the service answer with the new machines, some
/// with all that there are.
pub(super) fn begun(reply: &[Record], books: &Books, shelf: &Shelf) -> Begun {
    let known = books.keys();
    let mut new: Vec<&Record> = reply.iter().filter(|record| !known.contains(&record.pk)).collect();
    new.sort_by_key(|record| record.pk);
    new.dedup_by_key(|record| record.pk);
    let (ours, others): (Vec<&Record>, Vec<&Record>) =
        new.into_iter().partition(|record| books.belongs(record, shelf));
    // A machine that says whose it is was made for another order in the same moment.
    let is_homeless = |record: &&Record| {
        record.role == "worker"
            && record.pool.is_none()
            && books.tag(&record.group_name).only().is_none()
    };
    let elsewhere = others.into_iter().filter(is_homeless).map(|record| record.pk).collect();
    Begun { in_group: ours.len(), elsewhere }
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
