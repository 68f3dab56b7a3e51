//! A plan under construction: patterns with how often each is used, and how plans compare.

use super::model::{Model, Pattern};

/// Bins to open. What is not in them is unplaced.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) bins: Vec<(Pattern, u32)>,
}

/// The objectives in their order; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Score {
    pub(super) unplaced: u64,
    pub(super) cost: u64,
    pub(super) bins: u64,
}

impl Plan {
    pub(super) fn score(&self, model: &Model) -> Score {
        let mut score = Score { unplaced: model.items(), cost: 0, bins: 0 };
        for (pattern, times) in &self.bins {
            let (times, ty) = (u64::from(*times), &model.types[pattern.ty]);
            let items: u64 = pattern.load.iter().map(|&(_, count)| u64::from(count)).sum();
            score.unplaced = score.unplaced.saturating_sub(items * times);
            score.cost = score.cost.saturating_add(ty.cost.saturating_mul(times));
            score.bins += times;
        }
        score
    }

    /// Merges equal patterns and orders them.
    pub(super) fn tidy(&mut self) {
        self.bins.sort();
        self.bins.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
    }

    /// Appends a plan for a restricted model; `old` gives the original numbers of its kinds.
    pub(super) fn extend(&mut self, part: Self, old: &[usize]) {
        for (mut pattern, times) in part.bins {
            for (kind, _) in &mut pattern.load {
                *kind = old[*kind];
            }
            self.bins.push((pattern, times));
        }
    }
}

/// What a partial plan leaves: items still to place, bins still to be had.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    pub(super) demand: Vec<u32>,
    pub(super) room: Vec<u32>,
    pub(super) bins: u32,
}

impl Rest {
    pub(super) fn all(model: &Model) -> Self {
        Self {
            demand: model.kinds.iter().map(|kind| kind.count).collect(),
            room: model.types.iter().map(|ty| ty.room).collect(),
            bins: model.room,
        }
    }

    pub(super) fn after(model: &Model, plan: &Plan) -> Self {
        let mut rest = Self::all(model);
        for (pattern, times) in &plan.bins {
            rest.take(pattern, *times);
        }
        rest
    }

    pub(super) fn items(&self) -> u64 {
        self.demand.iter().map(|&count| u64::from(count)).sum()
    }

    pub(super) fn is_done(&self) -> bool {
        self.demand.iter().all(|&count| count == 0)
    }

    pub(super) fn open(&self, ty: usize) -> bool {
        self.bins > 0 && self.room[ty] > 0
    }

    /// How often a pattern can be used, at most.
    pub(super) fn times(&self, pattern: &Pattern) -> u32 {
        let bins = self.bins.min(self.room[pattern.ty]);
        pattern.load.iter().fold(bins, |most, &(kind, count)| most.min(self.demand[kind] / count))
    }

    pub(super) fn take(&mut self, pattern: &Pattern, times: u32) {
        self.bins -= times;
        self.room[pattern.ty] -= times;
        for &(kind, count) in &pattern.load {
            self.demand[kind] -= count * times;
        }
    }

    pub(super) fn give_back(&mut self, pattern: &Pattern, times: u32) {
        self.bins += times;
        self.room[pattern.ty] += times;
        for &(kind, count) in &pattern.load {
            self.demand[kind] += count * times;
        }
    }
}
