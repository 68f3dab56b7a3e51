//! What happened, and what it cost.

use std::{collections::BTreeMap, fmt, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{InstanceError, Money, Symbol};
use plimsoll_provider::OrderId;

use crate::simulated::machine::Machine;

/// Something that happened to a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// To which machine.
    pub machine: Arc<Machine>,
    /// What.
    pub what: Happening,
}

/// What may happen to a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It was ordered; without an order it was there in the beginning.
    Bought(Option<OrderId>),
    /// It was given up before it existed.
    GivenUp,
    /// It has booted, and its node joins.
    Arrived,
    /// It will not come up.
    Failed(InstanceError),
    /// It is to be deleted.
    Deleting,
    /// It was deleted, and is gone.
    Gone,
    /// It is gone, and nobody deleted it.
    Vanished,
}

/// What a group's machines have cost.
///
/// A machine is paid for from its arrival until its deletion is asked for, or it vanishes. One that does not come up costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The time of all machines together.
    pub time: SignedDuration,
    /// The amount, in all; machines without a price are free.
    pub amount: Money,
}

const NANOSECONDS_PER_HOUR: i128 = 3_600_000_000_000;

/// What the machines of each group have cost until `now`.
pub(super) fn costs(entries: &[Entry], now: Timestamp) -> BTreeMap<Symbol, Cost> {
    let mut running: BTreeMap<&str, &Entry> = BTreeMap::new();
    let mut costs: BTreeMap<Symbol, Cost> = BTreeMap::new();
    let mut pay = |start: &Entry, end: Timestamp| {
        let cost = costs.entry(start.machine.group).or_default();
        cost.add(start.machine.price, end.duration_since(start.at));
    };
    for entry in entries {
        let id = &*entry.machine.id;
        match entry.what {
            Happening::Arrived => {
                running.insert(id, entry);
            }
            Happening::Deleting | Happening::Vanished => {
                if let Some(start) = running.remove(id) {
                    pay(start, entry.at);
                }
            }
            Happening::Bought(_) | Happening::GivenUp | Happening::Failed(_) | Happening::Gone => {}
        }
    }
    for start in running.into_values() {
        pay(start, now);
    }
    costs
}

// === impl Cost ===

impl Cost {
    fn add(&mut self, price: Option<Money>, time: SignedDuration) {
        self.time = self.time.saturating_add(time);
        let price = i128::from(price.unwrap_or_default().micros());
        let amount = price.saturating_mul(time.as_nanos()) / NANOSECONDS_PER_HOUR;
        let amount = Money::from_micros(i64::try_from(amount).unwrap_or(i64::MAX));
        self.amount = self.amount + amount;
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), |sum, one| Self {
            time: sum.time.saturating_add(one.time),
            amount: sum.amount + one.amount,
        })
    }
}

// === impl Entry ===

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, machine, what } = self;
        write!(f, "{at} {} {what}", machine.name)
    }
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bought(Some(order)) => write!(f, "bought by {order}"),
            Self::Bought(None) => f.write_str("was there"),
            Self::GivenUp => f.write_str("given up"),
            Self::Arrived => f.write_str("arrived"),
            Self::Failed(error) => write!(f, "failed: {}", error.message),
            Self::Deleting => f.write_str("deleting"),
            Self::Gone => f.write_str("gone"),
            Self::Vanished => f.write_str("vanished"),
        }
    }
}
