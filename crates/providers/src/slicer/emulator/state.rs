//! The books of an emulated host: machines, secrets, and what time does to them.

use std::collections::{BTreeMap, VecDeque};

use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;

use super::{
    agent,
    knobs::Dialect,
    settings::{HostSettings, Offer},
};
use crate::{joins::News, slicer::wire::NewMachine};

/// What will become of a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It joins when it has booted.
    #[default]
    Joins,
    /// It boots, and never joins.
    NeverJoins,
    /// Its guest ends instead of booting.
    Ends,
}

/// A machine as the host knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineView {
    /// Its name.
    pub hostname: Box<str>,
    /// Its host group.
    pub group: Box<str>,
    /// Its tags.
    pub tags: Vec<String>,
    /// `Running`, `Paused` or `Stopped`.
    pub status: &'static str,
    /// The node that it became.
    pub node: Option<String>,
    /// What it was to run.
    pub userdata: String,
}

pub(super) const RUNNING: &str = "Running";
pub(super) const PAUSED: &str = "Paused";
pub(super) const STOPPED: &str = "Stopped";

pub(super) struct State {
    pub(super) settings: HostSettings,
    pub(super) machines: BTreeMap<Box<str>, Machine>,
    pub(super) secrets: BTreeMap<String, Secret>,
    pub(super) dialect: Dialect,
    /// How far the host's clock is ahead.
    pub(super) skew: SignedDuration,
    /// What will become of the machines that are made next in a group.
    pub(super) fates: BTreeMap<Box<str>, VecDeque<Fate>>,
    /// The number that a group's next machine gets.
    next: BTreeMap<Box<str>, u32>,
    /// What has happened and was not told yet.
    pub(super) news: Vec<News>,
    /// How many deletions fail while the answer says success.
    pub(super) kept_deletions: u32,
    /// How many nodes have joined.
    joined: u32,
}

pub(super) struct Machine {
    pub(super) hostname: Box<str>,
    pub(super) group: Box<str>,
    pub(super) number: u32,
    pub(super) created: Timestamp,
    pub(super) tags: Vec<String>,
    pub(super) userdata: String,
    /// Secrets as they were when the machine was made.
    pub(super) secrets: BTreeMap<String, Vec<u8>>,
    pub(super) status: &'static str,
    pub(super) persistent: bool,
    pub(super) protected: bool,
    pub(super) fate: Fate,
    /// When it will have booted; `None` once it has.
    pub(super) boots: Option<Timestamp>,
    pub(super) node: Option<String>,
}

pub(super) struct Secret {
    pub(super) data: Vec<u8>,
    pub(super) changed: Timestamp,
}

/// Why a request is refused.
pub(super) struct Refusal(pub(super) u16, pub(super) String);

// === impl State ===

impl State {
    pub(super) fn new(settings: HostSettings, now: Timestamp) -> Self {
        let mut state = Self {
            machines: BTreeMap::new(),
            secrets: BTreeMap::new(),
            dialect: Dialect::default(),
            skew: SignedDuration::ZERO,
            fates: BTreeMap::new(),
            next: BTreeMap::new(),
            news: Vec::new(),
            kept_deletions: 0,
            joined: 0,
            settings,
        };
        for offer in state.settings.groups.clone() {
            for _ in 0..offer.count {
                let new = NewMachine {
                    userdata: String::new(),
                    tags: Vec::new(),
                    secrets: Vec::new(),
                    persistent: true,
                };
                let hostname = state.add(&offer, new, now);
                if let Some(machine) = state.machines.get_mut(&hostname) {
                    machine.protected = true;
                }
            }
        }
        state
    }

    pub(super) fn offer(&self, group: &str) -> Result<Offer, Refusal> {
        let found = self.settings.groups.iter().find(|offer| &*offer.name == group).cloned();
        found.ok_or_else(|| Refusal(404, format!("host group {group} not found")))
    }

    pub(super) fn machine(&mut self, hostname: &str) -> Result<&mut Machine, Refusal> {
        let found = self.machines.get_mut(hostname);
        found.ok_or_else(|| Refusal(404, format!("node {hostname} not found")))
    }

    /// Makes a machine by request; answers with its name.
    pub(super) fn create(
        &mut self,
        group: &str,
        new: NewMachine,
        now: Timestamp,
    ) -> Result<Box<str>, Refusal> {
        let offer = self.offer(group)?;
        let made = self.machines.values().filter(|machine| !machine.protected).count();
        if self
            .settings
            .trial
            .is_some_and(|most| made >= usize::try_from(most).unwrap_or(usize::MAX))
        {
            return Err(Refusal(403, "trial mode allows no more VMs".to_owned()));
        }
        if !self.dialect.secrets && !new.secrets.is_empty() {
            return Err(Refusal(400, "unknown field secrets".to_owned()));
        }
        if let Some(missing) = new.secrets.iter().find(|name| !self.secrets.contains_key(*name)) {
            return Err(Refusal(400, format!("secret {missing} does not exist")));
        }
        Ok(self.add(&offer, new, now))
    }

    fn add(&mut self, offer: &Offer, new: NewMachine, now: Timestamp) -> Box<str> {
        let number = self.next.entry(offer.name.clone()).or_insert(1);
        let hostname: Box<str> = format!("{}-{number}", offer.name).into();
        let fate = self.fates.get_mut(&offer.name).and_then(VecDeque::pop_front);
        let by_hand = || self.secrets.keys().filter(|_| !self.dialect.secrets);
        let secrets = (new.secrets.iter())
            .chain(by_hand())
            .filter_map(|name| Some((name.clone(), self.secrets.get(name)?.data.clone())));
        let machine = Machine {
            hostname: hostname.clone(),
            group: offer.name.clone(),
            number: *number,
            created: now,
            secrets: secrets.collect(),
            tags: new.tags,
            userdata: new.userdata,
            status: RUNNING,
            persistent: new.persistent,
            protected: false,
            fate: fate.unwrap_or_default(),
            boots: now.checked_add(offer.boot).ok(),
            node: None,
        };
        *number += 1;
        self.machines.insert(hostname.clone(), machine);
        hostname
    }

    /// Removes a machine for good.
    pub(super) fn remove(&mut self, hostname: &str) {
        if let Some(machine) = self.machines.remove(hostname) {
            self.news.extend(machine.node.map(News::Leaves));
        }
    }

    /// A guest ends by itself.
    pub(super) fn end(&mut self, hostname: &str) -> Result<(), Refusal> {
        let machine = self.machine(hostname)?;
        if !machine.persistent {
            self.remove(hostname);
            return Ok(());
        }
        machine.boots = None;
        // What the host keeps is started again at once.
        machine.status = if machine.protected { RUNNING } else { STOPPED };
        let left = machine.node.take();
        self.news.extend(left.map(News::Leaves));
        Ok(())
    }

    /// Starts a machine that ended.
    pub(super) fn relaunch(&mut self, hostname: &str, now: Timestamp) -> Result<(), Refusal> {
        let group = self.machine_group(hostname)?;
        let boot = self.offer(&group)?.boot;
        let machine = self.machine(hostname)?;
        if machine.status == RUNNING {
            return Err(Refusal(409, format!("{hostname} is already running")));
        }
        machine.status = RUNNING;
        machine.fate = Fate::Joins;
        machine.boots = now.checked_add(boot).ok();
        Ok(())
    }

    fn machine_group(&mut self, hostname: &str) -> Result<Box<str>, Refusal> {
        Ok(self.machine(hostname)?.group.clone())
    }

    /// When something happens next by itself.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let running = self.machines.values().filter(|machine| machine.status == RUNNING);
        running.filter_map(|machine| machine.boots).min()
    }

    /// Lets happen what has become due.
    pub(super) fn advance(&mut self, now: Timestamp) {
        let due: Vec<Box<str>> = (self.machines.values())
            .filter(|machine| machine.boots.is_some_and(|boots| boots <= now))
            .filter(|machine| machine.status == RUNNING)
            .map(|machine| machine.hostname.clone())
            .collect();
        for hostname in due {
            self.boot(&hostname);
        }
    }

    fn boot(&mut self, hostname: &str) {
        let expected =
            self.settings.k3s_token.as_ref().map(|token| token.expose_secret().to_owned());
        let joined = self.joined;
        let Ok(group) = self.machine_group(hostname) else { return };
        let Ok(offer) = self.offer(&group) else { return };
        let address = self.machines.get(hostname).map(|machine| self.address(machine));
        let Ok(machine) = self.machine(hostname) else { return };
        machine.boots = None;
        if machine.fate == Fate::Ends {
            let _ = self.end(hostname);
            return;
        }
        if machine.fate == Fate::NeverJoins || machine.userdata.is_empty() {
            return;
        }
        let Some(agent) = agent::read(machine) else { return };
        if expected.is_some_and(|expected| expected != agent.token) {
            return;
        }
        let (name, node) = agent.node(machine, &address.unwrap_or_default(), &offer, joined);
        machine.node = Some(name);
        self.joined += 1;
        self.news.push(News::Joins(node));
    }

    /// The machines of a group, or of all, by group and number.
    pub(super) fn list(&self, group: Option<&str>) -> Vec<&Machine> {
        let is_asked = |machine: &&Machine| group.is_none_or(|group| &*machine.group == group);
        let mut machines: Vec<&Machine> = self.machines.values().filter(is_asked).collect();
        machines.sort_by_key(|machine| (machine.group.clone(), machine.number));
        machines
    }
}

// === impl Machine ===

impl Machine {
    pub(super) fn view(&self) -> MachineView {
        MachineView {
            hostname: self.hostname.clone(),
            group: self.group.clone(),
            tags: self.tags.clone(),
            status: self.status,
            node: self.node.clone(),
            userdata: self.userdata.clone(),
        }
    }
}
