//! Vector bin packing with several bin types, by column generation.
//!
//! Given kinds of items and types of bins, [`pack`] finds which bins to open and what to put in each: as many
//! items placed as possible, then the least total cost, then the fewest bins. The way there:
//!
//! ```text
//! reduce ──> greedy ──> columns ────────> round ──────────> ruin ──────────> restore
//! merge      a plan     linear program    fix, re-solve,    re-pack the
//! alike,     at once    over patterns,    fix again         bins that waste
//! drop       (an upper  priced by         (a dive)          most, again
//! dominated  bound)     knapsacks                           and again
//! ```
//!
//! Two ends are treated apart: plans of a few bins are searched through completely (`tiny`), and problems of very many
//! kinds are packed in outline first (`coarse`).
//!
//! Two properties hold throughout. Work grows with the number of *different* items and bins, not with their
//! counts. And the result is a function of the problem alone: effort is counted in steps, not seconds, and chance is a
//! fixed sequence.

mod chance;
mod coarse;
mod columns;
mod fluid;
mod greedy;
mod knapsack;
mod master;
mod meter;
mod model;
mod number;
mod plan;
mod pricing;
mod reduce;
mod restore;
mod round;
mod ruin;
mod search;
mod settle;
mod simplex;
mod slice;
mod space;
mod surrogate;
mod tiny;

use fixedbitset::FixedBitSet;
use plimsoll_model::SignedDuration;

use self::meter::Meter;

/// How long a current core takes for a step, in nanoseconds.
const NANOSECONDS_A_STEP: i128 = 5;

/// A kind of item (pod): `count` of them, all alike.
#[derive(Clone, Debug)]
pub struct Item {
    /// How many there are.
    pub count: u32,
    /// What one takes of each dimension, not negative; as long as every [`Bin::capacity`].
    pub size: Vec<i64>,
    /// Which types of bin may hold it, by index in [`Problem::bins`].
    pub bins: FixedBitSet,
    /// The exclusion classes it belongs to, by index in [`Problem::classes`].
    pub exclusive: Vec<u32>,
}

/// A type of bin (node).
#[derive(Clone, Debug)]
pub struct Bin {
    /// Price of one, in millionths of a currency unit; may be 0.
    pub cost: u64,
    /// What one offers in each dimension.
    pub capacity: Vec<i64>,
    /// How many may be opened.
    pub max: u32,
}

/// An exclusion class: at most `per_bin` of its items share a bin.
///
/// Hostname anti-affinity is a class with 1, a host port likewise, a hostname spread one with its skew.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// The most items of the class in one bin.
    pub per_bin: u32,
}

/// How hard to try. The same effort gives the same packing everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effort {
    /// Upper limit on the steps of the search; a step is a few nanoseconds of a current core.
    pub steps: u64,
}

/// What is to be packed, into what, under which limits.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Kinds of items.
    pub items: Vec<Item>,
    /// Types of bins.
    pub bins: Vec<Bin>,
    /// Exclusion classes.
    pub classes: Vec<Class>,
    /// How many bins may be opened in all.
    pub max_bins_total: Option<u32>,
    /// How hard to try.
    pub effort: Effort,
}

/// Bins opened with the same contents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackedBin {
    /// Index in [`Problem::bins`].
    pub bin: usize,
    /// Index in [`Problem::items`] and how many of it are in *each* of these bins; ascending, no zeros.
    pub contents: Vec<(usize, u32)>,
    /// How many such bins.
    pub times: u32,
}

/// The answer to a [`Problem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The bins to open, ordered by type and contents.
    pub bins: Vec<PackedBin>,
    /// Items that found no place, with how many of each; ascending.
    pub unplaced: Vec<(usize, u32)>,
    /// Total cost of the bins.
    pub cost: u64,
    /// No packing that places as many items can cost less. 0 where nothing could be proved within the effort.
    pub lower_bound: u64,
    /// Steps taken, at most a little above [`Effort::steps`].
    pub steps: u64,
}

/// Packs the items into bins. See the module's head for objectives and method.
pub fn pack(problem: &Problem) -> Packing {
    let mut meter = Meter::new(problem.effort.steps);
    let reduced = reduce::reduce(problem);
    let (plan, bound) = search::search(&reduced.model, &mut meter);
    restore::restore(problem, &reduced, &plan, bound, &meter)
}

// === impl Effort ===

impl Effort {
    /// As long as it takes.
    pub const BOUNDLESS: Self = Self { steps: u64::MAX };

    /// What a current core does in so long a time. Every limit of time that a user sets becomes an effort here, so that a
    /// plan does not depend on the machine.
    pub fn within(time: SignedDuration) -> Self {
        let steps = time.as_nanos().max(0) / NANOSECONDS_A_STEP;
        Self { steps: u64::try_from(steps).unwrap_or(u64::MAX) }
    }

    /// So many times as much.
    #[must_use]
    pub fn times(self, count: usize) -> Self {
        Self { steps: self.steps.saturating_mul(u64::try_from(count).unwrap_or(u64::MAX)) }
    }

    /// What is left of it after some steps.
    #[must_use]
    pub fn less(self, steps: u64) -> Self {
        Self { steps: self.steps.saturating_sub(steps) }
    }
}

impl Default for Effort {
    /// About one second at most; easy problems stop long before.
    fn default() -> Self {
        Self { steps: 200_000_000 }
    }
}

// === impl Packing ===

impl Packing {
    /// How many bins are opened.
    pub fn opened(&self) -> u64 {
        self.bins.iter().map(|bin| u64::from(bin.times)).sum()
    }
}

#[cfg(test)]
mod tests;
