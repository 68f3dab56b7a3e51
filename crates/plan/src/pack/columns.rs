//! Column generation: the linear relaxation of a packing problem.
//!
//! Rows are the kinds of items, columns are patterns; patterns are found as they are needed by pricing the dual
//! values. Limits on bins become rows only once a solution breaks them, so a thousand types with generous limits
//! cost nothing.

use rustc_hash::FxHashSet;

use super::{
    fluid,
    meter::Meter,
    model::{Model, Pattern},
    plan::Rest,
    pricing::{Care, Pricer},
    simplex::{Entries, Row, Simplex},
};

/// When to stop generating.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    /// Rounds of pricing, at most.
    pub(super) rounds: usize,
    /// Distance to the proved bound that is good enough, as a fraction.
    pub(super) gap: f64,
    pub(super) care: Care,
    /// Steps for one type's knapsack when the usual number finds nothing.
    pub(super) hardest: usize,
}

/// A solved relaxation.
#[derive(Debug)]
pub(super) struct Relaxation {
    /// Patterns used, with how often; not whole numbers.
    pub(super) levels: Vec<(Pattern, f64)>,
    /// What one item of each kind is worth.
    pub(super) values: Vec<f64>,
    /// What opening one more bin of each type costs beyond its price, because of limits.
    pub(super) surcharges: Vec<f64>,
    /// No plan that places everything costs less, in units of price without fees; see [`Relaxation::penalty`].
    pub(super) bound: f64,
    /// What a missing item costs in the bound.
    pub(super) penalty: f64,
    /// All patterns known, those most likely to be useful first.
    pub(super) pool: Vec<Pattern>,
}

/// The master program over the patterns known so far.
struct Master<'m> {
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

/// How strongly the duals are pulled towards the anchor, in turn until something is found.
const PULLS: [f64; 2] = [0.6, 0.0];

/// Generates columns from the patterns in `seed` until `depth` is reached.
pub(super) fn relax(
    model: &Model,
    seed: Vec<Pattern>,
    depth: Depth,
    meter: &mut Meter,
) -> Relaxation {
    let mut master = Master::new(model, seed);
    let fluid = fluid::solve(model, meter);
    let mut pricer = Pricer::new(model, &fluid.rates);
    let mut bound = fluid.bound;
    // Pricing near the last duals priced keeps the present duals from swinging.
    let mut anchor = fluid.values;
    let mut care = depth.care;
    for _ in 0..depth.rounds {
        master.solve(meter);
        if meter.spent() {
            break;
        }
        master.purge();
        let objective = master.simplex.objective();
        let present: Vec<f64> = master.simplex.duals().to_vec();
        // Limits that were hit since have no price at the anchor.
        anchor.resize(present.len(), 0.0);
        let used: Vec<Pattern> =
            master.simplex.levels().map(|(at, _)| master.pool[at].clone()).collect();
        let mut added = 0;
        let pp: Vec<f64> = std::env::var("PULLS")
            .map(|v| v.split(',').map(|x| x.parse().unwrap()).collect())
            .unwrap_or(PULLS.to_vec());
        for pull in pp {
            let between = present.iter().zip(&anchor);
            let duals: Vec<f64> =
                between.map(|(dual, at)| dual * (1.0 - pull) + at * pull).collect();
            let (values, surcharges) = master.split(&duals);
            let priced = pricer.price(model, &values, &surcharges, &used, care, meter);
            let proved = master.proof(&values, &surcharges, priced.excess);
            anchor = duals;
            bound = bound.max(proved);
            added = priced.patterns.into_iter().filter(|pattern| master.improves(pattern)).count();
            if added > 0 {
                break;
            }
        }
        if std::env::var_os("DBG").is_some() {
            eprintln!(
                "round obj {:.4} bound {:.4} added {} pool {} rows {} used {}",
                objective * model.unit / 1e6,
                bound * model.unit / 1e6,
                added,
                master.pool.len(),
                model.kinds.len(),
                meter.used()
            );
        }
        if objective - bound <= depth.gap * objective {
            break;
        }
        if added == 0 {
            // Nothing found, nothing proved: look harder, if allowed.
            if care.knapsack >= depth.hardest {
                break;
            }
            care.knapsack = (care.knapsack * 8).min(depth.hardest);
        }
    }
    master.solve(meter);
    master.finish(bound)
}

impl<'m> Master<'m> {
    fn new(model: &'m Model, seed: Vec<Pattern>) -> Self {
        let dearest = model.prices.iter().copied().fold(0.0, f64::max);
        let mut master = Self {
            model,
            simplex: Simplex::new(&[]),
            pool: Vec::new(),
            known: FxHashSet::default(),
            limits: vec![None; model.types.len()],
            total: None,
            penalty: 10.0 * dearest.max(1.0),
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

    /// Adds a pattern unless it is known; says whether it makes the present solution cheaper.
    fn improves(&mut self, pattern: &Pattern) -> bool {
        if !self.known.insert(pattern.clone()) {
            return false;
        }
        self.pool.push(pattern.clone());
        let added = self.simplex.add(self.model.prices[pattern.ty], &self.entries(pattern));
        self.simplex.reduced_cost(added) < -1e-8
    }

    /// Solves, adding rows for limits until none is broken.
    fn solve(&mut self, meter: &mut Meter) {
        loop {
            self.simplex.solve(meter);
            let mut used = vec![0.0; self.model.types.len()];
            for (pattern, level) in self.simplex.levels() {
                used[self.pool[pattern].ty] += level;
            }
            let mut broken = false;
            for (ty, &used) in used.iter().enumerate() {
                if self.limits[ty].is_none() && used > f64::from(self.model.types[ty].room) + 1e-4 {
                    self.limits[ty] = Some(0);
                    broken = true;
                }
            }
            let all: f64 = used.iter().sum();
            if self.total.is_none() && all > f64::from(self.model.room) + 1e-4 {
                self.total = Some(0);
                broken = true;
            }
            if !broken || meter.spent() {
                return;
            }
            self.rebuild();
        }
    }

    /// Forgets the patterns least likely to be used when there are too many of them.
    fn purge(&mut self) {
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
    fn split(&self, duals: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let values = duals[..self.model.kinds.len()].iter().map(|value| value.max(0.0)).collect();
        let charge = |row: Option<usize>| row.map_or(0.0, |row| (-duals[row]).max(0.0));
        let all = charge(self.total);
        (values, self.limits.iter().map(|&row| charge(row) + all).collect())
    }

    /// The bound proved by values of which no bin is worth more than `excess` times its price (Farley's).
    fn proof(&self, values: &[f64], surcharges: &[f64], excess: f64) -> f64 {
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

    fn finish(self, bound: f64) -> Relaxation {
        let (values, surcharges) = self.split(self.simplex.duals());
        let levels =
            self.simplex.levels().map(|(at, level)| (self.pool[at].clone(), level)).collect();
        let mut order: Vec<(f64, Pattern)> = self
            .pool
            .into_iter()
            .enumerate()
            .map(|(at, pattern)| (self.simplex.reduced_cost(at), pattern))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let pool = order.into_iter().map(|(_, pattern)| pattern).collect();
        Relaxation { levels, values, surcharges, bound, penalty: self.penalty, pool }
    }
}

/// Patterns cut down to what is still wanted, each in the cheapest type that holds it; at most `most` of them.
pub(super) fn trimmed(
    model: &Model,
    rest: &Rest,
    pool: &[Pattern],
    most: usize,
    meter: &mut Meter,
) -> Vec<Pattern> {
    let mut seen = FxHashSet::default();
    let mut kept = Vec::new();
    for pattern in pool {
        meter.charge(pattern.load.len() + 4);
        let load: Vec<(usize, u32)> = pattern
            .load
            .iter()
            .map(|&(kind, count)| (kind, count.min(rest.demand[kind])))
            .filter(|&(_, count)| count > 0)
            .collect();
        if load.is_empty() {
            continue;
        }
        let ty = if load == pattern.load && rest.open(pattern.ty) {
            Some(pattern.ty)
        } else {
            model.cheapest(&load, |ty| rest.open(ty).then(|| model.prices[ty]))
        };
        let Some(ty) = ty else { continue };
        let pattern = Pattern { ty, load };
        if seen.insert(pattern.clone()) {
            kept.push(pattern);
            if kept.len() >= most {
                break;
            }
        }
    }
    kept
}
