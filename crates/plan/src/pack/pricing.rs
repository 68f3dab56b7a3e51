//! Which patterns would make the linear program cheaper, over all types at once.
//!
//! Types are screened by their surrogate bound; those that survive are searched in the order of what they promise,
//! discounted by how often they broke the promise before. The bounds of all types together also say how far the
//! present values are from being a proof.

use super::{
    chance::Chance,
    knapsack::Search,
    meter::Meter,
    model::{FEE, Load, Model, Pattern},
    surrogate::Surrogate,
};

/// How thoroughly to look for patterns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Care {
    /// Steps for one type's knapsack.
    pub(super) knapsack: usize,
    /// Searches from elsewhere when a knapsack ends without result or proof.
    pub(super) retries: usize,
    /// Patterns after which a round is over.
    pub(super) enough: usize,
    /// Types searched in vain after which a round that found something is over.
    pub(super) patience: usize,
}

/// What one round of pricing gave.
#[derive(Debug)]
pub(super) struct Priced {
    /// New patterns.
    pub(super) patterns: Vec<Pattern>,
    /// No bin is worth more than this many times its price, fee excluded.
    pub(super) excess: f64,
}

/// Screens and searches types; keeps what it learned about them from round to round.
#[derive(Debug)]
pub(super) struct Pricer {
    surrogate: Surrogate,
    /// For each type how far its bound deserves belief.
    luck: Vec<f64>,
    chance: Chance,
}

/// How much more than its price a pattern must be worth.
const WORTH: f64 = 1.0 + 1e-6;
/// New patterns of one type in one round, at most.
const PER_TYPE: usize = 6;

impl Pricer {
    /// Starts with what one unit of each dimension is thought to be worth.
    pub(super) fn new(model: &Model, rates: &[f64]) -> Self {
        Self {
            surrogate: Surrogate::new(model, rates),
            luck: vec![1.0; model.types.len()],
            chance: Chance::new(11),
        }
    }

    /// Patterns worth more, by `values`, than their type's price plus `surcharges`.
    pub(super) fn price(
        &mut self,
        model: &Model,
        values: &[f64],
        surcharges: &[f64],
        used: &[Pattern],
        care: Care,
        meter: &mut Meter,
    ) -> Priced {
        let asked = |ty: usize| model.prices[ty] + surcharges[ty];
        let mut bounds = vec![0.0; model.types.len()];
        let mut hopeful: Vec<(f64, usize)> = Vec::new();
        for ty in (0..model.types.len()).filter(|&ty| !model.holds[ty].is_empty()) {
            let floor = asked(ty) * WORTH;
            let bound = self.surrogate.glance(model, ty, values, meter);
            bounds[ty] = bound;
            if bound > floor {
                hopeful.push(((bound / asked(ty) - 1.0) * self.luck[ty], ty));
            }
        }
        hopeful.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));

        let mut patterns: Vec<Pattern> = Vec::new();
        let mut vain = 0;
        for &(_, ty) in &hopeful {
            if patterns.len() >= care.enough || meter.spent() {
                break;
            }
            if vain >= care.patience && !patterns.is_empty() {
                break;
            }
            let floor = asked(ty) * WORTH;
            bounds[ty] = bounds[ty].min(self.surrogate.bound(model, ty, values, meter));
            if bounds[ty] <= floor {
                continue;
            }
            let mut search =
                Search::new(model, ty, values, &self.surrogate, self.surrogate.rates(ty));
            let (mut loads, exact) = search.best(floor, care.knapsack, meter);
            if exact {
                bounds[ty] = bounds[ty].min(loads.last().map_or(floor, |(_, value)| *value));
            } else {
                for pattern in used.iter().filter(|pattern| pattern.ty == ty) {
                    loads.extend(search.near(&pattern.load, floor, care.knapsack / 50, meter));
                }
                loads.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
                loads.dedup();
            }
            if loads.is_empty() && !exact {
                loads = self.retry(model, ty, values, floor, care, meter);
            }
            if loads.is_empty() {
                vain += 1;
                self.luck[ty] = (self.luck[ty] * 0.5).max(1e-3);
                continue;
            }
            self.luck[ty] = (self.luck[ty] * 4.0).min(1.0);
            for (load, _) in loads.into_iter().rev().take(PER_TYPE) {
                let price = |ty: usize| (!model.holds[ty].is_empty()).then(|| asked(ty));
                let ty = model.cheapest(&load, price).unwrap_or(ty);
                let pattern = Pattern { ty, load };
                if !patterns.contains(&pattern) {
                    patterns.push(pattern);
                }
            }
        }

        let excess = (0..model.types.len()).filter(|&ty| bounds[ty] > 0.0).map(|ty| {
            let price = asked(ty) - FEE;
            if price > 1e-12 { bounds[ty] / price } else { f64::INFINITY }
        });
        Priced { patterns, excess: excess.fold(0.0, f64::max) }
    }

    /// Searches with distorted multipliers: they put the items in other orders, and so lead to other loads.
    fn retry(
        &mut self,
        model: &Model,
        ty: usize,
        values: &[f64],
        floor: f64,
        care: Care,
        meter: &mut Meter,
    ) -> Vec<(Load, f64)> {
        for _ in 0..care.retries {
            let distort = |rate: &f64| rate * (0.4 + 1.6 * self.chance.fraction());
            let rates: Vec<f64> = self.surrogate.rates(ty).iter().map(distort).collect();
            let mut search = Search::new(model, ty, values, &self.surrogate, &rates);
            let (loads, _) = search.best(floor, care.knapsack / 4, meter);
            if !loads.is_empty() {
                return loads;
            }
        }
        Vec::new()
    }
}
