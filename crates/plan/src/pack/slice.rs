//! The knapsack when items may be sliced: a linear program with one row per dimension and class.
//!
//! A primal simplex with bounded variables, kept between solves. Only the values change from one solve to the next,
//! so the last basis stays feasible and a few pivots suffice.

use super::meter::Meter;

/// What may go into the bin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stock<'a> {
    /// Kinds, each with the most that may go in.
    pub(super) held: &'a [(usize, u32)],
    pub(super) values: &'a [f64],
    /// Sizes of all kinds, as many numbers each as there are rows.
    pub(super) sizes: &'a [f64],
    /// One over the capacity of each row; sizes times this are shares of the bin.
    pub(super) inverse: &'a [f64],
}

/// The program of one type of bin. Every row's capacity is 1, a whole bin.
#[derive(Debug)]
pub(super) struct Slice {
    rows: usize,
    /// Basic variable of each row: an index into the stock, or beyond it the slack of a row.
    basis: Vec<usize>,
    /// Inverse of the basis, row by row.
    inverse: Vec<f64>,
    /// Level of each basic variable.
    levels: Vec<f64>,
    state: Vec<State>,
    multipliers: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    None,
    All,
    Basic,
}

/// What happens to the entering variable.
enum Step {
    /// It goes all the way to its other bound.
    Flip(f64),
    /// It replaces the basic variable of a row, which leaves at none or at all.
    Pivot { row: usize, length: f64, leaves: State },
}

const TINY: f64 = 1e-9;

impl Slice {
    pub(super) fn new(stock: usize, rows: usize) -> Self {
        let mut inverse = vec![0.0; rows * rows];
        for row in 0..rows {
            inverse[row * rows + row] = 1.0;
        }
        let mut state = vec![State::None; stock];
        state.extend(std::iter::repeat_n(State::Basic, rows));
        Self {
            rows,
            basis: (stock..stock + rows).collect(),
            inverse,
            levels: vec![1.0; rows],
            state,
            multipliers: vec![0.0; rows],
        }
    }

    /// What a whole bin's capacity of each row is worth; never negative.
    pub(super) fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// How much of a stock is taken, of which there is `most`.
    pub(super) fn amount(&self, at: usize, most: f64) -> f64 {
        match self.state[at] {
            State::None => 0.0,
            State::All => most,
            State::Basic => {
                let row = self.basis.iter().position(|&variable| variable == at);
                row.map_or(0.0, |row| self.levels[row])
            }
        }
    }

    /// Solves for the stock's values. The stock must otherwise be that of the last time.
    pub(super) fn solve(&mut self, stock: &Stock<'_>, meter: &mut Meter) {
        for _ in 0..20 * self.rows + 20 {
            self.price(stock);
            meter.charge(stock.held.len() + self.rows * self.rows);
            let Some((entering, rising)) = self.entering(stock) else { break };
            let alpha = self.transformed(stock, entering);
            match self.step(stock, entering, rising, &alpha) {
                Step::Flip(length) => {
                    self.move_levels(&alpha, rising, length);
                    self.state[entering] = if rising { State::All } else { State::None };
                }
                Step::Pivot { row, length, leaves } => {
                    self.move_levels(&alpha, rising, length);
                    self.state[self.basis[row]] = leaves;
                    let start = if rising { 0.0 } else { Self::most(stock, entering) };
                    self.levels[row] = if rising { start + length } else { start - length };
                    self.basis[row] = entering;
                    self.state[entering] = State::Basic;
                    self.exchange(row, &alpha);
                }
            }
        }
        for multiplier in &mut self.multipliers {
            *multiplier = multiplier.max(0.0);
        }
    }

    fn most(stock: &Stock<'_>, variable: usize) -> f64 {
        stock.held.get(variable).map_or(f64::INFINITY, |&(_, most)| f64::from(most))
    }

    fn price(&mut self, stock: &Stock<'_>) {
        self.multipliers.fill(0.0);
        for (row, &variable) in self.basis.iter().enumerate() {
            let Some(&(kind, _)) = stock.held.get(variable) else { continue };
            let inverse = &self.inverse[row * self.rows..(row + 1) * self.rows];
            for (multiplier, value) in self.multipliers.iter_mut().zip(inverse) {
                *multiplier += stock.values[kind] * value;
            }
        }
    }

    /// The variable that gains most by moving away from its bound, and whether it rises.
    fn entering(&self, stock: &Stock<'_>) -> Option<(usize, bool)> {
        let rates: smallvec::SmallVec<[f64; 12]> =
            self.multipliers.iter().zip(stock.inverse).map(|(a, b)| a * b).collect();
        let mut best = (TINY, None);
        for (at, &(kind, most)) in stock.held.iter().enumerate() {
            if self.state[at] == State::Basic {
                continue;
            }
            let sizes = &stock.sizes[kind * self.rows..(kind + 1) * self.rows];
            let weight: f64 = sizes.iter().zip(&rates).map(|(size, rate)| size * rate).sum();
            let gain = stock.values[kind] - weight;
            let rising = self.state[at] == State::None;
            let promise = if rising { gain } else { -gain } * f64::from(most);
            if promise > best.0 {
                best = (promise, Some((at, rising)));
            }
        }
        for (row, multiplier) in self.multipliers.iter().enumerate() {
            let slack = stock.held.len() + row;
            if self.state[slack] != State::Basic && -multiplier > best.0 {
                best = (-multiplier, Some((slack, true)));
            }
        }
        best.1
    }

    /// A variable's column in terms of the basis.
    fn transformed(&self, stock: &Stock<'_>, variable: usize) -> Vec<f64> {
        let rows = self.inverse.chunks_exact(self.rows);
        match stock.held.get(variable) {
            Some(&(kind, _)) => {
                let sizes = &stock.sizes[kind * self.rows..(kind + 1) * self.rows];
                let share = |row: &[f64]| {
                    row.iter().zip(sizes).zip(stock.inverse).map(|((a, b), c)| a * b * c).sum()
                };
                rows.map(share).collect()
            }
            None => rows.map(|row| row[variable - stock.held.len()]).collect(),
        }
    }

    /// How far the entering variable can go.
    fn step(&self, stock: &Stock<'_>, entering: usize, rising: bool, alpha: &[f64]) -> Step {
        let mut step = Step::Flip(Self::most(stock, entering));
        let mut least = Self::most(stock, entering);
        for (row, &rate) in alpha.iter().enumerate() {
            let rate = if rising { rate } else { -rate };
            let (length, leaves) = if rate > TINY {
                (self.levels[row].max(0.0) / rate, State::None)
            } else if rate < -TINY {
                let most = Self::most(stock, self.basis[row]);
                ((most - self.levels[row]).max(0.0) / -rate, State::All)
            } else {
                continue;
            };
            if length < least {
                least = length;
                step = Step::Pivot { row, length, leaves };
            }
        }
        step
    }

    fn move_levels(&mut self, alpha: &[f64], rising: bool, length: f64) {
        for (level, rate) in self.levels.iter_mut().zip(alpha) {
            *level -= if rising { rate * length } else { -rate * length };
        }
    }

    /// Updates the inverse for a column that became basic in a row.
    fn exchange(&mut self, row: usize, alpha: &[f64]) {
        let rows = self.rows;
        let scale = 1.0 / alpha[row];
        for at in 0..rows {
            self.inverse[row * rows + at] *= scale;
        }
        for other in (0..rows).filter(|&other| other != row) {
            for at in 0..rows {
                self.inverse[other * rows + at] -= alpha[other] * self.inverse[row * rows + at];
            }
        }
    }
}
