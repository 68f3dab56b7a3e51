//! The books: groups, machines, orders, stock and quota, and how time changes them.
//!
//! Nothing here waits or looks at a clock: whoever has the lock says what time it is. What is due by then happens first, in the
//! order of the times at which it was due, however late anybody looks.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{InstanceError, Symbol};
use plimsoll_provider::{Class, Error, GroupSpec, Order, OrderId};

use super::{
    fate::Fate,
    faults::Faults,
    journal::{Entry, Happening},
};
use crate::simulated::{
    catalogue::{Catalogue, Offer},
    chance::Chance,
    machine::{Machine, new_name},
};

/// The number of a machine: the order in which they were bought.
pub(in crate::simulated) type Number = u64;

/// Everything that the infrastructure knows.
#[derive(Debug)]
pub(in crate::simulated) struct State {
    pub(super) catalogue: Arc<Catalogue>,
    chance: Chance,
    /// In the order of the catalogue, then in that in which they were made.
    pub(super) groups: Vec<Shelf>,
    pub(super) machines: BTreeMap<Number, Held>,
    /// Machines that are in use elsewhere in the account, and belong to no group.
    pub(super) foreign: BTreeSet<Box<str>>,
    /// Every name that was ever given to a machine.
    names: BTreeSet<Box<str>>,
    /// When something happens next to which machine: every machine's own [`Held::due`], sorted.
    agenda: BTreeSet<(Timestamp, Number)>,
    /// Orders that were served, with how many machines each was served with.
    orders: BTreeMap<OrderId, (Order, u32)>,
    pub(super) quota: Option<u32>,
    pub(super) faults: Faults,
    pub(super) journal: Vec<Entry>,
    /// How many entries of the journal somebody who waits for machines has seen.
    pub(super) told: usize,
    /// The number of the next machine.
    next: Number,
}

/// A group as the infrastructure has it.
#[derive(Debug)]
pub(super) struct Shelf {
    pub(super) offer: Offer,
    /// How many more machines can be had; those that go come back.
    pub(super) stock: Option<u32>,
    /// How many machines it has had, for their fates.
    bought: u64,
    /// Orders wait, and no machine is begun for them.
    pub(super) queues: bool,
    /// So many of the machines that are begun next fail, in this way.
    pub(super) doomed: Option<(u32, Class)>,
    /// What it was made from; `None` for one of the catalogue.
    pub(super) spec: Option<GroupSpec>,
}

/// A machine as the infrastructure has it.
#[derive(Debug)]
pub(in crate::simulated) struct Held {
    pub(super) machine: Arc<Machine>,
    pub(super) phase: Phase,
    fate: Fate,
    /// When something happens next to it by itself.
    due: Option<Timestamp>,
    /// It may not be deleted.
    pub(super) is_protected: bool,
}

/// A machine's life.
///
/// | phase    | leaves when                      | for                         |
/// |----------|----------------------------------|-----------------------------|
/// | Ordered  | delivery time is over            | Creating                    |
/// |          | given up                         | nothing                     |
/// | Creating | boot time is over                | Running or Failed           |
/// | Failed   | asked to                         | Deleting                    |
/// | Running  | it vanishes                      | nothing                     |
/// | Deleting | deletion time is over            | nothing                     |
///
/// Any machine but an ordered one may be asked to go (Deleting), or be taken away from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// On record, but there is no machine yet.
    Ordered,
    Creating,
    Failed(InstanceError),
    Running,
    Deleting,
}

// === impl Shelf ===

impl Shelf {
    pub(super) fn new(offer: Offer, spec: Option<GroupSpec>) -> Self {
        let stock = offer.stock;
        Self { offer, stock, bought: 0, queues: false, doomed: None, spec }
    }

    /// How the next machine fails, if it is one of those that do.
    fn next_doom(&mut self) -> Option<Class> {
        let (left, class) = self.doomed.filter(|(left, _)| *left > 0)?;
        self.doomed = Some((left - 1, class));
        Some(class)
    }
}

// === impl State ===

impl State {
    /// The infrastructure at the beginning, with the initial machines running.
    pub(super) fn new(catalogue: Catalogue, now: Timestamp) -> Self {
        let mut state = Self {
            chance: Chance::new(catalogue.seed, &catalogue.name),
            groups: catalogue.groups.iter().map(|one| Shelf::new(one.clone(), None)).collect(),
            machines: BTreeMap::new(),
            foreign: BTreeSet::new(),
            names: BTreeSet::new(),
            agenda: BTreeSet::new(),
            orders: BTreeMap::new(),
            quota: catalogue.quota,
            faults: Faults::new(),
            journal: Vec::new(),
            told: 0,
            next: 0,
            catalogue: Arc::new(catalogue),
        };
        for place in 0..state.groups.len() {
            let initial = state.groups.get(place).map_or(0, |shelf| shelf.offer.initial);
            for _ in 0..initial {
                if let Some(number) = state.buy(place, None, now) {
                    state.arrive(number, now);
                }
            }
        }
        state
    }

    /// Numbers for the next call, by which it may fail.
    pub(super) fn chance_of_call(&mut self) -> impl rand::Rng + use<> {
        let number = self.faults.count_call();
        self.chance.of_call(number)
    }

    pub(super) fn shelf(&self, group: Symbol) -> Result<&Shelf, Error> {
        let found = self.groups.iter().find(|shelf| shelf.offer.id == group);
        found.ok_or_else(|| unknown_group(group))
    }

    pub(super) fn shelf_mut(&mut self, group: Symbol) -> Result<&mut Shelf, Error> {
        let found = self.groups.iter_mut().find(|shelf| shelf.offer.id == group);
        found.ok_or_else(|| unknown_group(group))
    }

    /// How many machines were asked for, those being deleted left out.
    pub(super) fn target(&self, group: Symbol) -> u32 {
        let stays = |held: &&Held| held.machine.group == group && held.phase != Phase::Deleting;
        count(self.machines.values().filter(stays).count())
    }

    /// How many more machines the account may have.
    pub(super) fn quota_left(&self) -> u32 {
        self.quota.map_or(u32::MAX, |quota| quota.saturating_sub(count(self.machines.len())))
    }

    /// When something happens next by itself.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.agenda.first().map(|(due, _)| *due)
    }

    /// When something happens next that somebody has begun: not the end of a machine that runs.
    pub(super) fn next_begun(&self) -> Option<Timestamp> {
        let begun = self.machines.values().filter(|held| held.phase != Phase::Running);
        begun.filter_map(|held| held.due).min()
    }

    /// Lets happen what was due by `now`.
    pub(super) fn advance(&mut self, now: Timestamp) {
        while let Some(&(due, number)) = self.agenda.first()
            && due <= now
        {
            self.agenda.pop_first();
            if let Some(held) = self.machines.get_mut(&number) {
                held.due = None;
                let phase = held.phase.clone();
                self.step(number, &phase, due);
            }
        }
    }

    /// What happens to a machine by itself in this phase.
    fn step(&mut self, number: Number, phase: &Phase, now: Timestamp) {
        match phase {
            Phase::Ordered => self.begin(number, now),
            Phase::Creating => self.boot(number, now),
            Phase::Running => self.remove(number, Happening::Vanished, now),
            Phase::Deleting => self.remove(number, Happening::Gone, now),
            Phase::Failed(_) => {}
        }
    }

    /// Serves an order that was not served before, as far as stock and quota go; tells with how many machines.
    pub(in crate::simulated) fn increase(
        &mut self,
        order: &Order,
        now: Timestamp,
    ) -> Result<u32, Error> {
        let Order { id, group, count, .. } = order;
        if let Some((known, had)) = self.orders.get(id) {
            if (known.group, known.count) == (*group, *count) {
                return Ok(*had);
            }
            let (group, count) = (known.group, known.count);
            let problem = format!("the order {id} was for {count} machines of {group} before");
            return Err(Error::invalid(problem));
        }
        let shelf = self.shelf(*group)?;
        let (max, stock) = (shelf.offer.max, shelf.stock.unwrap_or(u32::MAX));
        if *count == 0 {
            return Err(Error::invalid(format!("the order {id} is for no machine")));
        }
        let target = self.target(*group);
        if target.saturating_add(*count) > max {
            let problem = format!("{count} more than {target} is above the {max} of {group}");
            return Err(Error::invalid(problem));
        }
        let quota = self.quota_left();
        match (*count).min(stock).min(quota) {
            0 if quota == 0 => Err(Error::new(Class::Quota, "the quota of machines is used up")),
            0 => Err(Error::new(Class::OutOfCapacity, format!("{group} is out of machines"))),
            can => {
                self.orders.insert(id.clone(), (order.clone(), can));
                self.begin_order(*group, id, can, now);
                Ok(can)
            }
        }
    }

    fn begin_order(&mut self, group: Symbol, order: &OrderId, machines: u32, now: Timestamp) {
        let Some(place) = self.groups.iter().position(|shelf| shelf.offer.id == group) else {
            return;
        };
        for _ in 0..machines {
            let Some(number) = self.buy(place, Some(order), now) else { return };
            if let Some(shelf) = self.groups.get_mut(place) {
                shelf.stock = shelf.stock.map(|stock| stock.saturating_sub(1));
            }
            self.deliver(number, now);
        }
    }

    /// Writes a new machine down.
    fn buy(&mut self, place: usize, order: Option<&OrderId>, now: Timestamp) -> Option<Number> {
        let shelf = self.groups.get_mut(place)?;
        let offer = &shelf.offer;
        let mut chance = self.chance.of_machine(offer.id.as_str(), shelf.bought);
        shelf.bought += 1;
        let fate = Fate::draw(offer, &mut chance);
        let name = new_name(offer.id.as_str(), &mut self.names, &mut chance);
        let template = Arc::clone(&offer.template);
        let machine = Arc::new(Machine::new(offer.id, name, offer.price, now, template));
        let number = self.next;
        self.next += 1;
        self.note(&machine, Happening::Bought(order.cloned()), now);
        let held = Held { machine, phase: Phase::Ordered, fate, due: None, is_protected: false };
        self.machines.insert(number, held);
        Some(number)
    }

    /// Sets the delivery of an ordered machine going, unless its group makes orders wait.
    pub(super) fn deliver(&mut self, number: Number, now: Timestamp) {
        let Some(held) = self.machines.get(&number) else { return };
        let queues = self.shelf(held.machine.group).is_ok_and(|shelf| shelf.queues);
        let delivery = held.fate.delivery;
        if queues {
            self.set_due(number, None);
        } else if delivery.is_zero() {
            self.begin(number, now);
        } else {
            self.set_due(number, Some(later(now, delivery)));
        }
    }

    fn begin(&mut self, number: Number, now: Timestamp) {
        let Some(held) = self.machines.get_mut(&number) else { return };
        held.phase = Phase::Creating;
        let (group, boot) = (held.machine.group, held.fate.boot);
        if let Ok(shelf) = self.shelf_mut(group)
            && let Some(class) = shelf.next_doom()
            && let Some(held) = self.machines.get_mut(&number)
        {
            held.fate.fail(class, class.name());
        }
        self.set_due(number, Some(later(now, boot)));
    }

    fn boot(&mut self, number: Number, now: Timestamp) {
        let Some(held) = self.machines.get_mut(&number) else { return };
        let Some(error) = held.fate.failure.clone() else { return self.arrive(number, now) };
        held.phase = Phase::Failed(error.clone());
        let machine = Arc::clone(&held.machine);
        self.note(&machine, Happening::Failed(error), now);
    }

    fn arrive(&mut self, number: Number, now: Timestamp) {
        let Some(held) = self.machines.get_mut(&number) else { return };
        held.phase = Phase::Running;
        let vanishes = held.fate.lifetime.map(|lifetime| later(now, lifetime));
        let machine = Arc::clone(&held.machine);
        self.note(&machine, Happening::Arrived, now);
        self.set_due(number, vanishes);
    }

    /// Begins to delete a machine.
    pub(super) fn begin_deletion(&mut self, number: Number, now: Timestamp) {
        let Some(held) = self.machines.get_mut(&number) else { return };
        held.phase = Phase::Deleting;
        let deletion = held.fate.deletion;
        let machine = Arc::clone(&held.machine);
        self.note(&machine, Happening::Deleting, now);
        self.set_due(number, Some(later(now, deletion)));
    }

    /// Takes a machine out of the books; it is back in stock.
    pub(super) fn remove(&mut self, number: Number, why: Happening, now: Timestamp) {
        self.set_due(number, None);
        let Some(held) = self.machines.remove(&number) else { return };
        if let Ok(shelf) = self.shelf_mut(held.machine.group) {
            shelf.stock = shelf.stock.map(|stock| stock.saturating_add(1));
        }
        self.note(&held.machine, why, now);
    }

    fn set_due(&mut self, number: Number, due: Option<Timestamp>) {
        let Some(held) = self.machines.get_mut(&number) else { return };
        if let Some(before) = held.due {
            self.agenda.remove(&(before, number));
        }
        held.due = due;
        self.agenda.extend(due.map(|due| (due, number)));
    }

    fn note(&mut self, machine: &Arc<Machine>, what: Happening, at: Timestamp) {
        self.journal.push(Entry { at, machine: Arc::clone(machine), what });
    }
}

pub(super) fn unknown_group(group: Symbol) -> Error {
    Error::not_found(format!("there is no group {group}"))
}

/// A number of things that fit into memory, and so into 32 bits.
pub(super) fn count(things: usize) -> u32 {
    u32::try_from(things).unwrap_or(u32::MAX)
}

fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}
