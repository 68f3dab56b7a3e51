//! All machines and their pods: what happens next, and what is to be written. Pure; the driver does the writing.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{
    Behaviour,
    node::Health,
    pod::{Plan, Progress},
};
use crate::object::Key;

mod action;
mod machines;
mod pods;

pub(super) use self::action::{Action, Command, Found, Subject};

/// All machines and their pods.
#[derive(Debug)]
pub(super) struct Fleet {
    behaviour: Behaviour,
    machines: HashMap<String, Machine>,
    pods: HashMap<Key, Tracked>,
    by_node: HashMap<String, HashSet<Key>>,
    /// Nodes of others that have pods: when such a node becomes one of ours, its pods have to be asked for.
    strangers: HashSet<String>,
    timers: BTreeMap<(Timestamp, u64), Timer>,
    actions: Vec<Action>,
    /// Pods that a list has not named yet.
    unseen: HashSet<Key>,
    machines_made: u64,
    timers_made: u64,
    addresses: u32,
}

#[derive(Debug)]
struct Machine {
    /// Tells it from an earlier one of the same name.
    id: u64,
    given: Value,
    behaviour: Behaviour,
    state: State,
    address: String,
    uid: String,
    health: Health,
    since: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Booting,
    Up,
    Silent,
}

#[derive(Debug)]
struct Tracked {
    plan: Plan,
    node: String,
    progress: Progress,
    gone_at: Option<Timestamp>,
    /// Its end has been asked for.
    ending: bool,
}

#[derive(Clone, Debug)]
enum Timer {
    Boot(u64, String),
    Lease(u64, String),
    Report(u64, String),
    Unready(u64, String),
    Silent(u64, String),
    Pod(Key),
    Again(Action),
}

// === impl Fleet ===

impl Fleet {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self {
            behaviour,
            machines: HashMap::new(),
            pods: HashMap::new(),
            by_node: HashMap::new(),
            strangers: HashSet::new(),
            timers: BTreeMap::new(),
            actions: Vec::new(),
            unseen: HashSet::new(),
            machines_made: 0,
            timers_made: 0,
            addresses: 0,
        }
    }

    /// What is to be written.
    pub(super) fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// When something happens next by itself.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.timers.first_key_value().map(|((at, _), _)| *at)
    }

    pub(super) fn command(&mut self, command: Command, now: Timestamp) {
        match command {
            Command::Add(node) => self.add(node, now),
            Command::Remove(name) => {
                if self.forget_machine(&name) {
                    self.actions.push(Action::Unregister { name });
                }
            }
            Command::Vanish(name) => self.silence(&name),
        }
    }

    /// What time has brought.
    pub(super) fn pass(&mut self, now: Timestamp) {
        while let Some(((at, _), _)) = self.timers.first_key_value()
            && *at <= now
            && let Some((_, timer)) = self.timers.pop_first()
        {
            match timer {
                Timer::Boot(id, name) => self.boot(id, &name, now),
                Timer::Lease(id, name) => self.beat(id, &name, now),
                Timer::Report(id, name) => self.report(id, &name, now),
                Timer::Unready(id, name) => {
                    if let Some(machine) = self.up(id, &name) {
                        (machine.health, machine.since) = (Health::Unready, now);
                        self.report(id, &name, now);
                    }
                }
                Timer::Silent(id, name) => {
                    if self.up(id, &name).is_some() {
                        self.silence(&name);
                    }
                }
                Timer::Pod(key) => self.step(&key, now),
                Timer::Again(action) => self.actions.push(action),
            }
        }
    }

    /// The same once more, after a while.
    pub(super) fn again(&mut self, action: Action, now: Timestamp, after: Duration) {
        self.timer(now, after, Timer::Again(action));
    }

    fn timer(&mut self, now: Timestamp, after: Duration, timer: Timer) {
        self.timers_made += 1;
        self.timers.insert((later(now, after), self.timers_made), timer);
    }
}

fn later(moment: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    moment.checked_add(by).unwrap_or(Timestamp::MAX)
}
