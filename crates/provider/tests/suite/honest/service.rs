//! An infrastructure in memory: groups, machines, and everything that can go wrong with it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Class, GroupSpec,
    conformance::{Doing, Knob, Machine, NoSuchKnob},
};

/// What the service lets nobody read.
pub(crate) const TOKEN: &str = "hunter2-correct-horse";

/// The infrastructure. Every request to it goes through [`Service::request`].
#[derive(Default)]
pub(crate) struct Service {
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) groups: BTreeMap<Symbol, Group>,
    pub(crate) machines: BTreeMap<Box<str>, Record>,
    /// How often the deletion of a machine was begun.
    pub(crate) deletions: BTreeMap<Box<str>, u32>,
    /// The names of orders that were served, with how many machines each has.
    orders: BTreeMap<String, u32>,
    made: u32,
    is_down: bool,
    slow: Duration,
    failing: Failing,
    lost_replies: u32,
    truncate_after: Option<u32>,
    pub(crate) page_size: Option<usize>,
    quota: Option<u32>,
    skew: SignedDuration,
}

#[derive(Clone, Default)]
pub(crate) struct Group {
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) target: u32,
    pub(crate) stock: Option<u32>,
    is_queueing: bool,
    /// Why the machines that are begun next will fail.
    failing: Vec<Class>,
}

#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) machine: Machine,
    pub(crate) created: Timestamp,
    pub(crate) reason: Option<Class>,
    is_protected: bool,
}

/// How the service says no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) class: Class,
    pub(crate) text: String,
}

/// A part of a list.
pub(crate) struct Page<T> {
    pub(crate) entries: Vec<T>,
    /// As many as it was to have.
    pub(crate) count: usize,
    /// Whether there are more after the last one.
    pub(crate) more: bool,
}

/// Whether a request changes anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    Read,
    Change,
}

#[derive(Default)]
struct Failing {
    after: u32,
    requests: u32,
    class: Option<Class>,
}

// === impl Refusal ===

impl Refusal {
    fn new(class: Class, text: &str) -> Self {
        Self { class, text: text.to_owned() }
    }
}

// === impl Record ===

impl Record {
    /// Whether no group has it.
    pub(crate) fn is_strange(&self) -> bool {
        self.machine.group.is_none()
    }
}

// === impl Service ===

impl Service {
    pub(crate) fn new(groups: impl IntoIterator<Item = (Symbol, u32, u32)>) -> Self {
        let service = Self::default();
        for (id, target, max) in groups {
            let mut state = service.state();
            state.groups.insert(id, Group { max, ..Group::default() });
            state.begin(id, target);
            state.settle();
        }
        service
    }

    /// The truth, past all knobs.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes effect in the middle of the time that it takes, so that it can be cut off before and after.
    pub(crate) async fn request<T>(
        &self,
        request: Request,
        effect: impl FnOnce(&mut State) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let half = self.state().slow / 2;
        pause(half).await;
        let answer = self.state().answer(request, effect);
        pause(half).await;
        answer
    }
}

/// Others get their turn, even when it takes no time.
async fn pause(time: Duration) {
    tokio::task::yield_now().await;
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

// === impl State ===

impl State {
    fn answer<T>(
        &mut self,
        request: Request,
        effect: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if self.is_down {
            return Err(Refusal::new(Class::Retry, "connection refused"));
        }
        if let Some(class) = self.failing.next() {
            return Err(Refusal::new(class, &format!("{class} for {TOKEN}")));
        }
        let answer = effect(self);
        if request == Request::Change && self.lost_replies > 0 {
            self.lost_replies -= 1;
            return Err(Refusal::new(Class::Retry, "connection reset"));
        }
        answer
    }

    /// A part of a list, cut if a knob says so.
    pub(crate) fn page<T>(&mut self, mut all: Vec<T>) -> Page<T> {
        let size = self.page_size.unwrap_or(usize::MAX);
        let more = all.len() > size;
        all.truncate(size);
        let count = all.len();
        match self.truncate_after {
            Some(0) => {
                self.truncate_after = None;
                all.pop();
            }
            Some(left) => self.truncate_after = Some(left - 1),
            None => {}
        }
        Page { entries: all, count, more }
    }

    fn group(&mut self, id: Symbol) -> Result<&mut Group, Refusal> {
        let missing = || Refusal::new(Class::NotFound, &format!("no group {id}"));
        self.groups.get_mut(&id).ok_or_else(missing)
    }

    /// Serves an order, and one with a name once; answers with how many machines it has.
    pub(crate) fn buy(
        &mut self,
        name: Option<&str>,
        id: Symbol,
        count: u32,
    ) -> Result<u32, Refusal> {
        if let Some(known) = name.and_then(|name| self.orders.get(name)) {
            return Ok(*known);
        }
        let group = self.group(id)?;
        let wanted = group.target.checked_add(count).filter(|target| *target <= group.max);
        if count == 0 || wanted.is_none() {
            return Err(Refusal::new(Class::Invalid, "size out of range"));
        }
        let had = count.min(group.stock.unwrap_or(count));
        if had == 0 {
            return Err(Refusal::new(Class::OutOfCapacity, "sold out"));
        }
        let had = had.min(self.quota.unwrap_or(had));
        if had == 0 {
            return Err(Refusal::new(Class::Quota, "quota used up"));
        }
        self.begin(id, had);
        self.orders.extend(name.map(|name| (name.to_owned(), had)));
        Ok(had)
    }

    /// Raises the target and begins machines.
    pub(crate) fn begin(&mut self, id: Symbol, count: u32) {
        let created = Timestamp::UNIX_EPOCH.checked_add(self.skew).unwrap();
        let group = self.groups.get_mut(&id).unwrap();
        group.target += count;
        group.stock = group.stock.map(|stock| stock.saturating_sub(count));
        self.quota = self.quota.map(|quota| quota.saturating_sub(count));
        if group.is_queueing {
            return;
        }
        for _ in 0..count {
            self.made += 1;
            let name: Box<str> = format!("machine-{:03}", self.made).into();
            let machine = Machine { group: Some(id), id: name.clone(), doing: Doing::Creating };
            let reason = group.failing.pop();
            self.machines.insert(name, Record { machine, created, reason, is_protected: false });
        }
    }

    /// Gives up what was ordered and not begun.
    pub(crate) fn give_up(&mut self, id: Symbol, target: u32) -> Result<u32, Refusal> {
        let there = u32::try_from(self.staying(id)).unwrap();
        let group = self.group(id)?;
        group.target = group.target.min(target.max(there));
        Ok(group.target)
    }

    pub(crate) fn staying(&self, id: Symbol) -> usize {
        let is_there =
            |record: &&Record| record.machine.group == Some(id) && record.machine.stays();
        self.machines.values().filter(is_there).count()
    }

    /// Deletes one machine and lowers the target, unless it is on its way already.
    pub(crate) fn delete(&mut self, id: &str) -> Result<(), Refusal> {
        let Some(record) = self.machines.get_mut(id) else {
            return Err(Refusal::new(Class::NotFound, "no such machine"));
        };
        if record.is_protected {
            return Err(Refusal::new(Class::Invalid, "protected"));
        }
        if record.machine.stays() {
            record.machine.doing = Doing::Deleting;
            *self.deletions.entry(id.into()).or_default() += 1;
            let group = record.machine.group.and_then(|group| self.groups.get_mut(&group));
            if let Some(group) = group {
                group.target = group.target.saturating_sub(1);
            }
        }
        Ok(())
    }

    pub(crate) fn create_group(&mut self, spec: &GroupSpec) -> Symbol {
        let id = Symbol::new(&spec.name);
        let group = Group { min: spec.min, max: spec.max, ..Group::default() };
        self.groups.entry(id).or_insert(group);
        id
    }

    pub(crate) fn delete_group(&mut self, id: Symbol) -> Result<(), Refusal> {
        if self.machines.values().any(|record| record.machine.group == Some(id)) {
            return Err(Refusal::new(Class::Invalid, "group has machines"));
        }
        self.groups.remove(&id);
        Ok(())
    }

    pub(crate) fn settle(&mut self) {
        self.machines.retain(|_, record| record.machine.stays());
        for record in self.machines.values_mut() {
            if record.machine.doing == Doing::Creating {
                let is_good = record.reason.is_none();
                record.machine.doing = if is_good { Doing::Running } else { Doing::Failed };
            }
        }
    }

    pub(crate) fn turn(&mut self, knob: Knob) -> Result<(), NoSuchKnob> {
        match knob {
            Knob::Down => self.is_down = true,
            Knob::Up => self.is_down = false,
            Knob::Slow(time) => self.slow = time,
            Knob::Fail { after, requests, class } => {
                self.failing = Failing { after, requests, class: Some(class) };
            }
            Knob::LoseReplies(count) => self.lost_replies = count,
            Knob::Truncate { after } => self.truncate_after = Some(after),
            Knob::PageSize(size) => self.page_size = Some(size),
            Knob::Stock { group, machines } => {
                self.groups.get_mut(&group).unwrap().stock = Some(machines);
            }
            Knob::Quota(machines) => self.quota = Some(machines),
            Knob::FailMachines { group, machines, class } => {
                let group = self.groups.get_mut(&group).unwrap();
                group.failing = (0..machines).map(|_| class).collect();
            }
            Knob::Queue(group) => self.groups.get_mut(&group).unwrap().is_queueing = true,
            Knob::Protect(id) => self.machines.get_mut(&id).unwrap().is_protected = true,
            Knob::AddForeign => {
                let id: Box<str> = "foreign-1".into();
                let machine = Machine { group: None, id: id.clone(), doing: Doing::Running };
                let created = Timestamp::UNIX_EPOCH;
                let record = Record { machine, created, reason: None, is_protected: false };
                self.machines.insert(id, record);
            }
            Knob::RemoveMachine(id) => {
                let removed = self.machines.remove(&id).unwrap();
                let group = self.groups.get_mut(&removed.machine.group.unwrap()).unwrap();
                group.target -= u32::from(removed.machine.stays());
            }
            Knob::SetBounds { group, min, max } => {
                let group = self.groups.get_mut(&group).unwrap();
                (group.min, group.max) = (min, max);
            }
            Knob::ClockSkew(skew) => self.skew = skew,
            other => return Err(other.missing()),
        }
        Ok(())
    }
}

// === impl Failing ===

impl Failing {
    /// What is wrong with this request, if anything.
    fn next(&mut self) -> Option<Class> {
        if self.requests == 0 {
            return None;
        }
        if self.after > 0 {
            self.after -= 1;
            return None;
        }
        self.requests -= 1;
        self.class
    }
}
