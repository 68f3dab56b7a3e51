//! The master linear program: a revised primal simplex with an explicit dense inverse of the basis.
//!
//! Written here rather than taken from a crate because column generation needs two things of its solver: dual
//! values after every solve, and new columns added to a solved program. `microlp`, the solver in plain Rust, offers
//! neither (0.7). Rows are few (one per kind of item), columns are sparse, so a dense inverse is also the fastest
//! form: one pivot is one pass over rows × rows numbers that fit the cache.

mod columns;
mod inverse;

use smallvec::SmallVec;

use self::{columns::Columns, inverse::inverted};
use super::meter::Meter;

/// What a row demands of `Σ factor × level`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row {
    /// At least this much; each missing unit costs `penalty`.
    Cover { amount: f64, penalty: f64 },
    /// At most this much.
    Limit { amount: f64 },
}

/// Row numbers and factors.
pub(super) type Entries = SmallVec<[(usize, f64); 8]>;

/// A linear program `min Σ cost × level`, levels not negative, kept at an optimal basis between additions.
#[derive(Clone, Debug)]
pub(super) struct Simplex {
    rows: usize,
    amounts: Vec<f64>,
    /// Slack columns first, then those added.
    columns: Columns,
    slacks: usize,
    /// The column that is basic in each row.
    basis: Vec<usize>,
    /// Inverse of the basis, row by row.
    inverse: Vec<f64>,
    /// Level of the column that is basic in each row.
    levels: Vec<f64>,
    duals: Vec<f64>,
    pivots: usize,
}

/// Reduced costs above this are taken for zero; costs are about 1.
const OPTIMAL: f64 = 1e-9;
/// Pivots below this are taken for zero.
const TINY: f64 = 1e-9;
/// Columns kept from one look at all of them.
const CANDIDATES: usize = 40;
/// Pivots after which the inverse is computed anew to shed rounding errors.
const REFRESH: usize = 800;

impl Simplex {
    pub(super) fn new(rows: &[Row]) -> Self {
        let count = rows.len();
        let mut simplex = Self {
            rows: count,
            amounts: Vec::with_capacity(count),
            columns: Columns::default(),
            slacks: 0,
            basis: Vec::with_capacity(count),
            inverse: Vec::new(),
            levels: Vec::new(),
            duals: Vec::new(),
            pivots: 0,
        };
        // Each row is loosened by its own sliver, which keeps pivots from stalling on ties.
        let mut sliver = 0.0;
        for (row, kind) in rows.iter().enumerate() {
            sliver = (sliver + 0.618_034) % 1.0;
            let (amount, cost) = match *kind {
                Row::Cover { amount, penalty } => {
                    simplex.columns.push(0.0, &[(row, -1.0)]);
                    (amount + 1e-7 * (1.0 + sliver), penalty)
                }
                Row::Limit { amount } => (amount + 1e-7 * (1.0 + sliver), 0.0),
            };
            simplex.columns.push(cost, &[(row, 1.0)]);
            simplex.basis.push(simplex.columns.len() - 1);
            simplex.amounts.push(amount);
        }
        simplex.slacks = simplex.columns.len();
        for &column in &simplex.basis {
            simplex.columns.basic[column] = true;
        }
        simplex.refresh();
        simplex
    }

    /// Adds a column; returns its number among those added.
    pub(super) fn add(&mut self, cost: f64, entries: &Entries) -> usize {
        self.columns.push(cost, entries);
        self.columns.len() - 1 - self.slacks
    }

    /// Whether an added column is in the basis.
    pub(super) fn is_basic(&self, added: usize) -> bool {
        self.columns.basic[self.slacks + added]
    }

    /// Forgets the added columns that are not to be kept and not in the basis.
    pub(super) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let old = std::mem::take(&mut self.columns);
        let mut number = vec![0; old.len()];
        for (column, number) in number.iter_mut().enumerate() {
            if column < self.slacks || old.basic[column] || keep(column - self.slacks) {
                *number = self.columns.len();
                self.columns.push(old.costs[column], old.entries(column));
                self.columns.basic[*number] = old.basic[column];
            }
        }
        for column in &mut self.basis {
            *column = number[*column];
        }
    }

    /// Dual value of each row: not negative for covers, not positive for limits, up to rounding.
    pub(super) fn duals(&self) -> &[f64] {
        &self.duals
    }

    pub(super) fn objective(&self) -> f64 {
        let basic = self.basis.iter().zip(&self.levels);
        basic.map(|(&column, level)| self.columns.costs[column] * level).sum()
    }

    /// Columns at a level above zero, by their number among those added.
    pub(super) fn levels(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let basic = self.basis.iter().zip(&self.levels);
        basic
            .filter(|&(&column, &level)| column >= self.slacks && level > 1e-6)
            .map(|(&column, &level)| (column - self.slacks, level))
    }

    /// What a column would save per unit: negative means it should enter.
    pub(super) fn reduced_cost(&self, added: usize) -> f64 {
        self.reduced(self.slacks + added)
    }

    fn reduced(&self, column: usize) -> f64 {
        let entries = self.columns.entries(column).iter();
        entries
            .fold(self.columns.costs[column], |sum, &(row, factor)| sum - self.duals[row] * factor)
    }

    /// Pivots to an optimum, or until the effort is spent.
    pub(super) fn solve(&mut self, meter: &mut Meter) {
        // Looking through all columns costs as much as a pivot, so each look yields candidates for several.
        let mut candidates: Vec<usize> = Vec::new();
        let mut stalled = 0;
        while !meter.spent() {
            let cautious = stalled > 2 * self.rows + 100;
            let mut entering = if cautious { None } else { self.best_of(&mut candidates) };
            if entering.is_none() {
                meter.charge(self.columns.len() * 4);
                candidates = self.improving(cautious);
                entering = self.best_of(&mut candidates);
            }
            let Some(entering) = entering else { return };
            meter.charge(candidates.len() * 4 + self.rows * self.rows / 4);
            let alpha = self.transformed(entering);
            let Some((row, step)) = self.leaving(&alpha) else { return };
            stalled = if step > 1e-12 { 0 } else { stalled + 1 };
            self.pivot(entering, row, step, &alpha);
        }
    }

    /// The columns with the most negative reduced costs; only the first with a negative one when `cautious`, which
    /// cannot cycle.
    fn improving(&self, cautious: bool) -> Vec<usize> {
        let mut found: Vec<(f64, usize)> = Vec::new();
        for column in (0..self.columns.len()).filter(|&column| !self.columns.basic[column]) {
            let reduced = self.reduced(column);
            if reduced < -OPTIMAL {
                found.push((reduced * self.columns.scales[column], column));
                if cautious {
                    break;
                }
            }
        }
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if found.len() > CANDIDATES {
            found.select_nth_unstable_by(CANDIDATES, order);
            found.truncate(CANDIDATES);
        }
        found.sort_unstable_by(order);
        found.into_iter().map(|(_, column)| column).collect()
    }

    /// The candidate with the most negative reduced cost; drops those that no longer have one.
    fn best_of(&self, candidates: &mut Vec<usize>) -> Option<usize> {
        let mut best = (0.0, None);
        candidates.retain(|&column| {
            let reduced = self.reduced(column);
            let improving = reduced < -OPTIMAL && !self.columns.basic[column];
            let scaled = reduced * self.columns.scales[column];
            if improving && scaled < best.0 {
                best = (scaled, Some(column));
            }
            improving
        });
        best.1
    }

    /// The column in terms of the basis.
    fn transformed(&self, column: usize) -> Vec<f64> {
        let entries = self.columns.entries(column);
        let row = |row: &[f64]| entries.iter().map(|&(at, factor)| row[at] * factor).sum();
        self.inverse.chunks_exact(self.rows).map(row).collect()
    }

    /// The row whose basic column reaches zero first, and how far the entering one goes until then.
    fn leaving(&self, alpha: &[f64]) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for (row, (&rate, &level)) in alpha.iter().zip(&self.levels).enumerate() {
            if rate <= TINY {
                continue;
            }
            let step = level.max(0.0) / rate;
            let better = match best {
                None => true,
                // Of near ties the larger pivot is the safer one.
                Some((other, least)) => {
                    step < least - 1e-10 || (step < least + 1e-10 && rate > alpha[other])
                }
            };
            if better {
                best = Some((row, step));
            }
        }
        best
    }

    fn pivot(&mut self, entering: usize, leaving: usize, step: f64, alpha: &[f64]) {
        let reduced = self.reduced(entering);
        let rows = self.rows;
        let (before, rest) = self.inverse.split_at_mut(leaving * rows);
        let (pivot_row, after) = rest.split_at_mut(rows);
        let scale = 1.0 / alpha[leaving];
        for value in pivot_row.iter_mut() {
            *value *= scale;
        }
        let others = before.chunks_exact_mut(rows).chain(after.chunks_exact_mut(rows));
        let rates = alpha[..leaving].iter().chain(&alpha[leaving + 1..]);
        for (row, &rate) in others.zip(rates) {
            if rate != 0.0 {
                for (value, pivot) in row.iter_mut().zip(pivot_row.iter()) {
                    *value -= rate * pivot;
                }
            }
        }
        for (level, rate) in self.levels.iter_mut().zip(alpha) {
            *level -= rate * step;
        }
        self.levels[leaving] = step;
        for (dual, value) in self.duals.iter_mut().zip(pivot_row.iter()) {
            *dual += reduced * value;
        }
        self.columns.basic[self.basis[leaving]] = false;
        self.columns.basic[entering] = true;
        self.basis[leaving] = entering;
        self.pivots += 1;
        if self.pivots.is_multiple_of(REFRESH) {
            self.refresh();
        }
    }

    /// Computes inverse, levels and duals from the basis alone.
    fn refresh(&mut self) {
        let rows = self.rows;
        let mut basis = vec![0.0; rows * rows];
        for (at, &column) in self.basis.iter().enumerate() {
            for &(row, factor) in self.columns.entries(column) {
                basis[row * rows + at] = factor;
            }
        }
        if let Some(inverse) = inverted(basis, rows) {
            self.inverse = inverse;
        }
        let dot = |row: &[f64]| row.iter().zip(&self.amounts).map(|(a, b)| a * b).sum();
        self.levels = self.inverse.chunks_exact(rows.max(1)).map(dot).collect();
        self.duals = vec![0.0; rows];
        for (row, &column) in self.inverse.chunks_exact(rows.max(1)).zip(&self.basis) {
            let cost = self.columns.costs[column];
            for (dual, value) in self.duals.iter_mut().zip(row) {
                *dual += cost * value;
            }
        }
    }
}
