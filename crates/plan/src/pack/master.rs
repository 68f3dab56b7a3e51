//! The master program: which patterns to use how often, when patterns may be used in fractions.
//!
//! Rows are the kinds of items, columns are patterns. Limits on bins become rows only once a solution breaks them, so
//! a thousand types with generous limits cost nothing.

use rustc_hash::FxHashSet;

use super::{
    columns::Relaxation,
    meter::Meter,
    model::{Model, Pattern},
    simplex::{Entries, Row, Simplex},
};

/// The master program over the patterns known so far.
#[derive(Debug)]
pub(super) struct Master<'m> {
    model: &'m Model,
    simplex: Simplex,
    pool: Vec<Pattern>,
    known: FxHashSet<Pattern>,
    /// The row of each type's limit, for types whose limit was hit.
    limits: Vec<Option<usize>>,
    /// The row of the limit on all bins, if it was hit.
    total: Option<usize>,
    penalty: f64,
}

/// Rows for limits, at most. With more limits hit than that, the program ignores the rest and rounding keeps them.
const LIMITS: usize = 120;

impl<'m> Master<'m> {
    /// Starts with the patterns in `seed`.
    pub(super) fn new(model: &'m Model, seed: Vec<Pattern>) -> Self {
        let mut master = Self {
            model,
            simplex: Simplex::new(&[]),
            pool: Vec::new(),
            known: FxHashSet::default(),
            limits: vec![None; model.types.len()],
            total: None,
            penalty: model.penalty(),
        };
        for pattern in seed {
            if master.known.insert(pattern.clone()) {
                master.pool.push(pattern);
            }
        }
        master.rebuild();
        master
    }

    /// The program from the start, with a row for every limit that was hit.
    fn rebuild(&mut self) {
        let cover = |count: u32| Row::Cover { amount: f64::from(count), penalty: self.penalty };
        let mut rows: Vec<Row> = self.model.kinds.iter().map(|kind| cover(kind.count)).collect();
        for (limit, ty) in self.limits.iter_mut().zip(&self.model.types) {
            if limit.is_some() {
                *limit = Some(rows.len());
                rows.push(Row::Limit { amount: f64::from(ty.room) });
            }
        }
        if self.total.is_some() {
            self.total = Some(rows.len());
            rows.push(Row::Limit { amount: f64::from(self.model.room) });
        }
        self.simplex = Simplex::new(&rows);
        for at in 0..self.pool.len() {
            self.simplex.add(self.model.prices[self.pool[at].ty], &self.entries(&self.pool[at]));
        }
    }

    fn entries(&self, pattern: &Pattern) -> Entries {
        let load = pattern.load.iter().map(|&(kind, count)| (kind, f64::from(count)));
        let limits = self.limits[pattern.ty].into_iter().chain(self.total);
        load.chain(limits.map(|row| (row, 1.0))).collect()
    }

    pub(super) fn objective(&self) -> f64 {
        self.simplex.objective()
    }

    /// Dual values: of the kinds first, then of the limits that were hit.
    pub(super) fn duals(&self) -> &[f64] {
        self.simplex.duals()
    }

    /// The patterns used, with how often.
    pub(super) fn levels(&self) -> impl Iterator<Item = (&Pattern, f64)> + '_ {
        self.simplex.levels().map(|(at, level)| (&self.pool[at], level))
    }

    /// Adds a pattern unless it is known; says whether it makes the present solution cheaper.
    pub(super) fn improves(&mut self, pattern: &Pattern) -> bool {
        if !self.known.insert(pattern.clone()) {
            return false;
        }
        self.pool.push(pattern.clone());
        let added = self.simplex.add(self.model.prices[pattern.ty], &self.entries(pattern));
        self.simplex.reduced_cost(added) < -1e-8
    }

    /// Solves, adding rows for limits until none is broken.
    pub(super) fn solve(&mut self, meter: &mut Meter) {
        loop {
            self.simplex.solve(meter);
            let mut used = vec![0.0; self.model.types.len()];
            for (pattern, level) in self.levels() {
                used[pattern.ty] += level;
            }
            if meter.spent() || !self.restrain(&used) {
                return;
            }
            self.rebuild();
        }
    }

    /// Makes rows of the limits broken, the worst first; says whether there were any.
    fn restrain(&mut self, used: &[f64]) -> bool {
        let all: f64 = used.iter().sum();
        let total = self.total.is_none() && all > f64::from(self.model.room) + 1e-4;
        if total {
            self.total = Some(0);
        }
        let mut broken: Vec<(f64, usize)> = Vec::new();
        for (ty, &used) in used.iter().enumerate().filter(|&(ty, _)| self.limits[ty].is_none()) {
            let over = used - f64::from(self.model.types[ty].room);
            if over > 1e-4 {
                broken.push((over, ty));
            }
        }
        broken.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let held = self.limits.iter().flatten().count();
        broken.truncate(LIMITS.saturating_sub(held));
        for &(_, ty) in &broken {
            self.limits[ty] = Some(0);
        }
        total || !broken.is_empty()
    }

    /// Forgets the patterns least likely to be used when there are too many of them.
    pub(super) fn purge(&mut self) {
        let most = 8 * self.model.kinds.len() + 400;
        if self.pool.len() <= most {
            return;
        }
        let mut costs: Vec<f64> =
            (0..self.pool.len()).map(|at| self.simplex.reduced_cost(at)).collect();
        let (_, &mut limit, _) = costs.select_nth_unstable_by(most / 2, f64::total_cmp);
        let keep: Vec<bool> = (0..self.pool.len())
            .map(|at| self.simplex.is_basic(at) || self.simplex.reduced_cost(at) <= limit)
            .collect();
        self.simplex.retain(|at| keep[at]);
        let pool = std::mem::take(&mut self.pool);
        for (pattern, keep) in pool.into_iter().zip(keep) {
            if keep {
                self.pool.push(pattern);
            } else {
                self.known.remove(&pattern);
            }
        }
    }

    /// Dual values as values of kinds and surcharges of types.
    pub(super) fn split(&self, duals: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let values = duals[..self.model.kinds.len()].iter().map(|value| value.max(0.0)).collect();
        let charge = |row: Option<usize>| row.map_or(0.0, |row| (-duals[row]).max(0.0));
        let all = charge(self.total);
        (values, self.limits.iter().map(|&row| charge(row) + all).collect())
    }

    /// The bound proved by values of which no bin is worth more than `excess` times its price (Farley's).
    pub(super) fn proof(&self, values: &[f64], surcharges: &[f64], excess: f64) -> f64 {
        let kinds = self.model.kinds.iter().zip(values);
        let worth: f64 = kinds.map(|(kind, value)| f64::from(kind.count) * value).sum();
        // The limit on all bins is charged once, with the least surcharge any type bears for it.
        let all = match self.total {
            Some(_) => surcharges.iter().copied().fold(f64::INFINITY, f64::min),
            None => 0.0,
        };
        let limited = self.model.types.iter().zip(surcharges).zip(&self.limits);
        let charges: f64 = limited
            .filter(|(_, limit)| limit.is_some())
            .map(|((ty, surcharge), _)| (surcharge - all) * f64::from(ty.room))
            .sum();
        worth / excess.max(1.0) - charges - all * f64::from(self.model.room)
    }

    /// The relaxation as it stands.
    pub(super) fn finish(self, bound: f64, proved: Vec<f64>) -> Relaxation {
        let objective = self.simplex.objective();
        let (values, surcharges) = self.split(self.simplex.duals());
        let levels = self.levels().map(|(pattern, level)| (pattern.clone(), level)).collect();
        let mut order: Vec<(f64, Pattern)> = self
            .pool
            .into_iter()
            .enumerate()
            .map(|(at, pattern)| (self.simplex.reduced_cost(at), pattern))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let pool = order.into_iter().map(|(_, pattern)| pattern).collect();
        Relaxation {
            levels,
            values,
            proved,
            surcharges,
            bound,
            objective,
            penalty: self.penalty,
            pool,
        }
    }
}
