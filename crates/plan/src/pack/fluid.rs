//! The cheapest bins if items were a liquid: only total capacity counts, per dimension.
//!
//! Its dual values price every dimension, and so every item, at once. They are the best guess at what items are
//! worth before any pattern is known, and they are a proof: no bin's capacity is worth more than its price.

use super::{
    meter::Meter,
    model::{FEE, Model},
    number::real,
    simplex::{Row, Simplex},
};

/// Prices of the liquid.
#[derive(Debug)]
pub(super) struct Fluid {
    /// What one unit of each dimension is worth.
    pub(super) rates: Vec<f64>,
    /// What one item of each kind is worth.
    pub(super) values: Vec<f64>,
    /// No plan that places everything costs less, fees excluded.
    pub(super) bound: f64,
}

/// Solves for the prices of the liquid.
pub(super) fn solve(model: &Model, meter: &mut Meter) -> Fluid {
    let dims = model.types.first().map_or(0, |ty| ty.capacity.len());
    let total = |dim: usize| -> f64 {
        model.kinds.iter().map(|kind| real(kind.size[dim]) * f64::from(kind.count)).sum()
    };
    let totals: Vec<f64> = (0..dims).map(total).collect();
    let wanted: Vec<usize> = (0..dims).filter(|&dim| totals[dim] > 0.0).collect();
    let items: f64 = model.kinds.iter().map(|kind| f64::from(kind.count)).sum();
    // Rows are scaled so that levels are numbers of bins, whatever the units of a dimension are.
    let penalty = 1e3 * model.prices.iter().copied().fold(1.0, f64::max);
    let rows: Vec<Row> = wanted.iter().map(|_| Row::Cover { amount: items, penalty }).collect();
    let mut simplex = Simplex::new(&rows);
    for (ty, bin) in model.types.iter().enumerate().filter(|&(ty, _)| !model.holds[ty].is_empty()) {
        let share =
            |(row, &dim): (usize, &usize)| (row, real(bin.capacity[dim]) * items / totals[dim]);
        simplex.add(model.prices[ty], &wanted.iter().enumerate().map(share).collect());
    }
    simplex.solve(meter);
    let mut rates = vec![0.0; dims];
    for (&dim, dual) in wanted.iter().zip(simplex.duals()) {
        rates[dim] = dual.max(0.0) * items / totals[dim];
    }
    let worth = |size: &[i64]| size.iter().zip(&rates).map(|(&size, rate)| real(size) * rate).sum();
    let values: Vec<f64> = model.kinds.iter().map(|kind| worth(&kind.size)).collect();
    // How far rounding and fees let a bin's capacity be worth more than it costs.
    let excess = model.types.iter().zip(&model.prices).map(|(ty, price)| {
        let capacity: f64 = worth(&ty.capacity);
        if capacity > 0.0 { capacity / (price - FEE).max(0.0) } else { 1.0 }
    });
    let all: f64 =
        model.kinds.iter().zip(&values).map(|(kind, value)| f64::from(kind.count) * value).sum();
    let bound = all / excess.fold(1.0, f64::max);
    Fluid { rates, values, bound }
}
