//! Partitionable devices: counters that the devices of a pool share.

use plimsoll_model::{CounterSet, Device, Quantity, Symbol};

use super::{ledger::Ledger, pools::Candidate};

/// The counters of a pool, and who uses them.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub sets: Vec<CounterSet>,
    /// All devices of the pool that use some, whether the node can use them or not.
    pub consumers: Vec<Candidate>,
}

/// What is left of a pool's counters while a search goes on.
#[derive(Debug)]
pub(super) struct Left(Vec<(Symbol, Symbol, Quantity)>);

// === impl Counters ===

impl Counters {
    /// Whether every counter that a device uses is there.
    pub(super) fn cover(&self, device: &Device) -> bool {
        device.consumes.iter().all(|consumed| {
            let set = self.sets.iter().find(|set| set.name == consumed.name);
            set.is_some_and(|set| {
                let has = |name: Symbol| set.counters.iter().any(|(other, _)| *other == name);
                consumed.counters.iter().all(|(name, _)| has(*name))
            })
        })
    }

    /// What allocated devices leave.
    pub(super) fn left(&self, ledger: &Ledger) -> Left {
        let mut left = Left(
            self.sets
                .iter()
                .flat_map(|set| set.counters.iter().map(|(name, value)| (set.name, *name, *value)))
                .collect(),
        );
        for consumer in &self.consumers {
            if ledger.is_taken(consumer.id) || ledger.is_shared(consumer.id) {
                left.take(consumer.device());
            }
        }
        left
    }
}

// === impl Left ===

impl Left {
    /// Takes what a device uses, whether it is there or not.
    fn take(&mut self, device: &Device) {
        self.change(device, |has, amount| has.checked_sub(&amount).unwrap_or(has));
    }

    /// Takes what a device uses if nothing of the pool is short then.
    pub(super) fn reserve(&mut self, device: &Device) -> bool {
        self.take(device);
        let enough = self.0.iter().all(|(_, _, left)| !left.is_negative());
        if !enough {
            self.give(device);
        }
        enough
    }

    /// Gives back what a device uses.
    pub(super) fn give(&mut self, device: &Device) {
        self.change(device, |has, amount| has.checked_add(&amount).unwrap_or(has));
    }

    fn change(&mut self, device: &Device, change: impl Fn(Quantity, Quantity) -> Quantity) {
        for set in &device.consumes {
            for (name, amount) in &set.counters {
                let found = self.0.iter_mut().find(|(of, own, _)| *of == set.name && own == name);
                if let Some((_, _, left)) = found {
                    *left = change(*left, *amount);
                }
            }
        }
    }
}
