//! What can be done to a host from outside, behind the back of whoever asks it.

use std::time::Duration;

use jiff::SignedDuration;
use plimsoll_provider::Class;
use secrecy::SecretString;

use super::{
    Emulator,
    state::{Fate, MachineView, Secret},
};
use crate::{faults::Failing, slicer::wire::NewMachine};

/// Whether the host can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every connection breaks, and nothing takes effect.
    Down,
    /// It answers.
    Up,
}

/// How a host speaks: releases differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent habits, by name")]
pub struct Dialect {
    /// Memory is told in GiB, as the first releases did.
    pub ram_in_gb: bool,
    /// Everything is left out that may be left out.
    pub sparse: bool,
    /// A new machine is told with 201 instead of 200.
    pub created: bool,
    /// An empty list is written `null`.
    pub null_lists: bool,
    /// Lists tell the addresses of machines.
    pub addresses: bool,
    /// It can be given secrets. Where it cannot, every machine gets those that were put there by hand.
    pub secrets: bool,
}

// === impl Dialect ===

impl Default for Dialect {
    fn default() -> Self {
        Self {
            ram_in_gb: false,
            sparse: false,
            created: true,
            null_lists: false,
            addresses: true,
            secrets: true,
        }
    }
}

// === impl Emulator ===

impl Emulator {
    /// Cuts the host off, or brings it back.
    pub fn set_reach(&self, reach: Reach) {
        self.books().faults.is_down = reach == Reach::Down;
    }

    /// Makes every request take this much longer, before it takes effect.
    pub fn set_latency(&self, latency: Duration) {
        self.books().faults.latency = latency;
    }

    /// After `after` requests, makes so many of them fail without effect: `Auth` as 401, `Quota` as 403 to who wants more, all else
    /// as 500.
    pub fn fail_requests(&self, after: u32, requests: u32, class: Class) {
        let failing = Failing::new(after, requests, class);
        self.books().faults.failing = failing;
    }

    /// Makes so many machines take this long to be made, as when an image has to be unpacked first. The host goes on when its caller
    /// has left.
    pub fn set_creation_time(&self, machines: u32, time: Duration) {
        self.books().faults.slow_creations = (machines, time);
    }

    /// Keeps so many machines that are to be deleted, and says so in an answer whose status means success.
    pub fn keep_deleted(&self, machines: u32) {
        self.with(|state, _| state.kept_deletions = machines);
    }

    /// Puts a secret on the host by hand.
    pub fn put_secret(&self, name: &str, secret: &str) {
        let data = secret.as_bytes().to_vec();
        self.with(|state, changed| state.secrets.insert(name.to_owned(), Secret { data, changed }));
    }

    /// Loses the answers to so many requests that change something.
    pub fn lose_replies(&self, requests: u32) {
        self.books().faults.lost_replies = requests;
    }

    /// After so many whole lists, cuts one in the middle.
    pub fn cut_list(&self, after: u32) {
        self.books().faults.cut_after = Some(after);
    }

    /// Speaks like another release.
    pub fn set_dialect(&self, dialect: Dialect) {
        self.with(|state, _| state.dialect = dialect);
    }

    /// Sets the host's clock ahead of ours.
    pub fn set_clock_skew(&self, ahead: SignedDuration) {
        self.with(|state, _| state.skew = ahead);
    }

    /// Lets in only who has this token; `None` lets in everybody.
    pub fn set_token(&self, token: Option<&str>) {
        self.with(|state, _| state.settings.token = token.map(SecretString::from));
    }

    /// Lets machines join only with this token of the cluster.
    pub fn set_k3s_token(&self, token: &str) {
        self.with(|state, _| state.settings.k3s_token = Some(SecretString::from(token)));
    }

    /// Allows so many more machines.
    pub fn set_trial_left(&self, machines: u32) {
        self.with(|state, _| {
            let made = state.machines.values().filter(|machine| !machine.protected).count();
            let made = u32::try_from(made).unwrap_or(u32::MAX);
            state.settings.trial = Some(made.saturating_add(machines));
        });
    }

    /// What becomes of the machines that are made next in a group.
    pub fn set_fates(&self, group: &str, fates: &[Fate]) {
        self.with(|state, _| {
            state.fates.insert(group.into(), fates.iter().copied().collect());
        });
    }

    /// Lets a guest end by itself; `false` when there is none.
    pub fn end(&self, hostname: &str) -> bool {
        self.with(|state, _| state.end(hostname).is_ok())
    }

    /// Forbids the deletion of a machine; `false` when there is none.
    pub fn protect(&self, hostname: &str) -> bool {
        self.with(|state, _| {
            state.machine(hostname).map(|machine| machine.protected = true).is_ok()
        })
    }

    /// Removes a machine without being asked; `false` when there is none.
    pub fn remove(&self, hostname: &str) -> bool {
        self.with(|state, _| {
            let is_there = state.machines.contains_key(hostname);
            state.remove(hostname);
            is_there
        })
    }

    /// Makes a machine as somebody else would, with these tags; tells its name.
    pub fn add(&self, group: &str, tags: &[&str], userdata: &str) -> Option<Box<str>> {
        let new = NewMachine {
            userdata: userdata.to_owned(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            secrets: Vec::new(),
            persistent: true,
        };
        self.with(|state, now| state.create(group, new, now).ok())
    }

    /// Every machine there is, by group and number.
    pub fn machines(&self) -> Vec<MachineView> {
        self.with(|state, _| {
            state.list(None).into_iter().map(super::state::Machine::view).collect()
        })
    }

    /// The address of a machine.
    pub fn address(&self, hostname: &str) -> Option<String> {
        self.with(|state, _| {
            let found = state.list(None).into_iter().find(|machine| &*machine.hostname == hostname);
            found.map(|machine| state.address(machine))
        })
    }

    /// What a secret says.
    pub fn secret(&self, name: &str) -> Option<String> {
        self.with(|state, _| {
            let secret = state.secrets.get(name)?;
            Some(String::from_utf8_lossy(&secret.data).into_owned())
        })
    }
}
