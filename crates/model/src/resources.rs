//! Amounts of resources, in the units the scheduler counts in.

use std::fmt;

use smallvec::SmallVec;

use crate::{Quantity, Symbol};

/// What a pod asks for or a node offers: cpu in thousandths of a core, everything else in whole units.
///
/// Sorted by name, without zeros: for the scheduler a resource of which nothing is asked, or nothing is there, is the same
/// as one that is not named.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Resources(SmallVec<[(Symbol, i64); 4]>);

/// The names of the resources that are not extended ones.
pub mod resource {
    /// Processor time, counted in thousandths of a core.
    pub const CPU: &str = "cpu";
    /// Memory in bytes.
    pub const MEMORY: &str = "memory";
    /// Local scratch space in bytes.
    pub const EPHEMERAL_STORAGE: &str = "ephemeral-storage";
    /// Slots for pods; every pod takes one.
    pub const PODS: &str = "pods";
}

// === impl Resources ===

impl Resources {
    /// Amounts by name; an amount that stands twice is added up, zeros are dropped.
    pub fn from_amounts(amounts: impl IntoIterator<Item = (Symbol, i64)>) -> Self {
        let mut sum = Self::default();
        for (name, amount) in amounts {
            sum.add(name, amount);
        }
        sum
    }

    /// The amount of `name`, 0 when there is none.
    pub fn get(&self, name: Symbol) -> i64 {
        self.0.iter().find(|(other, _)| *other == name).map_or(0, |(_, amount)| *amount)
    }

    /// The amounts, sorted by name, none of them zero.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Symbol, i64)> + '_ {
        self.0.iter().copied()
    }

    /// Whether nothing is asked for or offered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds `amount`, negative to take away. Saturates: such amounts exist only in hostile input.
    pub fn add(&mut self, name: Symbol, amount: i64) {
        match self.0.binary_search_by(|(other, _)| other.cmp(&name)) {
            Ok(place) => {
                let sum = self.0[place].1.saturating_add(amount);
                if sum == 0 {
                    self.0.remove(place);
                } else {
                    self.0[place].1 = sum;
                }
            }
            Err(place) if amount != 0 => self.0.insert(place, (name, amount)),
            Err(_) => {}
        }
    }

    /// Adds all of `other`.
    pub fn add_all(&mut self, other: &Self) {
        for (name, amount) in other.iter() {
            self.add(name, amount);
        }
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// An amount of `name` in words a person expects: `1500m` of cpu, `3.2Gi` of memory, `4` of anything else.
pub fn show_amount(name: Symbol, amount: i64) -> String {
    match name.as_str() {
        resource::CPU => Quantity::from_milli(amount).to_string(),
        text if is_bytes(text) => Quantity::bytes(amount).human(),
        _ => amount.to_string(),
    }
}

/// Whether amounts of the resource are bytes.
fn is_bytes(name: &str) -> bool {
    matches!(name, resource::MEMORY | resource::EPHEMERAL_STORAGE) || name.starts_with("hugepages-")
}
