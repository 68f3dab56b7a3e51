//! What was bought and given back, and what it cost.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use plimsoll_model::{Group, InstanceState, Money};

/// Milliseconds of an hour, since prices are per hour.
const HOUR: i128 = 3_600_000;

/// The books, kept by looking at the machines from time to time.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    /// Machines that were there at the last look.
    here: BTreeMap<Box<str>, Entry>,
    pub(super) bought: BTreeMap<String, u32>,
    pub(super) returned: BTreeMap<String, u32>,
    /// Machines that died.
    pub(super) lost: u32,
    /// What all machines cost an hour.
    pub(super) rate: Money,
    pub(super) peak: Peak,
    /// Millionths an hour, times milliseconds.
    paid: i128,
    looked: Option<Duration>,
}

/// The moment at which the machines cost most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Peak {
    pub(super) rate: Money,
    /// How many there were of each group.
    pub(super) machines: BTreeMap<String, u32>,
}

#[derive(Clone, Debug)]
struct Entry {
    group: String,
    node: Option<String>,
    /// It has been paid for.
    ran: bool,
}

// === impl Books ===

impl Books {
    /// Enters what there is at this time. Of the machines that have gone since the last look, those of nodes in `killed` died; those
    /// that never ran were neither bought nor given back.
    pub(super) fn enter(&mut self, groups: &[Group], killed: &[String], at: Duration) {
        let first = self.looked.is_none();
        let passed = at.saturating_sub(self.looked.replace(at).unwrap_or(at));
        self.paid += i128::from(self.rate.micros())
            * i128::try_from(passed.as_millis()).unwrap_or(i128::MAX);
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let (mut rate, mut running) = (Money::ZERO, BTreeMap::new());
        for group in groups {
            for machine in &group.instances {
                seen.insert(&machine.id);
                let runs = machine.state == InstanceState::Running && machine.error.is_none();
                if runs {
                    rate = rate + group.price.unwrap_or_default();
                    *running.entry(group.id.to_string()).or_default() += 1;
                }
                let entry = self.here.entry(machine.id.clone()).or_insert_with(|| Entry {
                    group: group.id.to_string(),
                    node: None,
                    ran: false,
                });
                if let Some(node) = machine.node {
                    entry.node = Some(node.to_string());
                }
                if runs && !entry.ran {
                    entry.ran = true;
                    if !first {
                        *self.bought.entry(entry.group.clone()).or_default() += 1;
                    }
                }
            }
        }
        let gone: Vec<Box<str>> =
            self.here.keys().filter(|id| !seen.contains(&***id)).cloned().collect();
        for entry in gone.iter().filter_map(|id| self.here.remove(id)).filter(|entry| entry.ran) {
            if entry.node.is_some_and(|node| killed.contains(&node)) {
                self.lost += 1;
            } else {
                *self.returned.entry(entry.group).or_default() += 1;
            }
        }
        self.rate = rate;
        if rate > self.peak.rate {
            self.peak = Peak { rate, machines: running };
        }
    }

    /// Whether a machine that is there has, or has had, a node.
    pub(super) fn has_joined(&self, machine: &str) -> bool {
        self.here.get(machine).is_some_and(|entry| entry.node.is_some())
    }

    /// What was paid until the last look.
    pub(super) fn paid(&self) -> Money {
        per_hour(self.paid)
    }
}

// === impl Peak ===

impl Peak {
    /// What so many machines cost for so long.
    pub(super) fn cost(&self, time: Duration) -> Money {
        let time = i128::try_from(time.as_millis()).unwrap_or(i128::MAX);
        per_hour(i128::from(self.rate.micros()).saturating_mul(time))
    }
}

fn per_hour(amount: i128) -> Money {
    Money::from_micros(i64::try_from(amount / HOUR).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
