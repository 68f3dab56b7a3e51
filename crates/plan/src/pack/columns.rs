//! Column generation: the linear relaxation of a packing problem.
//!
//! Patterns are found as they are needed: the master program over those known gives dual values, pricing looks for
//! patterns worth more than they cost at these values, and so on until there are none, or none that matter.

use super::{
    fluid,
    master::Master,
    meter::Meter,
    model::{Model, Pattern},
    pricing::{Care, Pricer},
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
#[derive(Clone, Debug)]
pub(super) struct Relaxation {
    /// Patterns used, with how often; not whole numbers.
    pub(super) levels: Vec<(Pattern, f64)>,
    /// What one item of each kind is worth.
    pub(super) values: Vec<f64>,
    /// The same, scaled so that no bin is worth more than its price: a proof rather than an estimate.
    pub(super) proved: Vec<f64>,
    /// What opening one more bin of each type costs beyond its price, because of limits.
    pub(super) surcharges: Vec<f64>,
    /// No plan that places everything costs less, in units of price without fees; see [`Relaxation::penalty`].
    pub(super) bound: f64,
    /// What the relaxation itself costs.
    pub(super) objective: f64,
    /// What a missing item costs in the bound.
    pub(super) penalty: f64,
    /// All patterns known, those most likely to be useful first.
    pub(super) pool: Vec<Pattern>,
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
    let mut proof = fluid.values.clone();
    // Pricing near the last duals priced keeps the present duals from swinging.
    let mut anchor = fluid.values;
    let mut care = depth.care;
    for _ in 0..depth.rounds {
        master.solve(meter);
        if meter.spent() {
            break;
        }
        master.purge();
        let objective = master.objective();
        let present: Vec<f64> = master.duals().to_vec();
        // Limits that were hit since have no price at the anchor.
        anchor.resize(present.len(), 0.0);
        let used: Vec<Pattern> = master.levels().map(|(pattern, _)| pattern.clone()).collect();
        let mut added = 0;
        for pull in PULLS {
            let between = present.iter().zip(&anchor);
            let duals: Vec<f64> =
                between.map(|(dual, at)| dual * (1.0 - pull) + at * pull).collect();
            let (values, surcharges) = master.split(&duals);
            let priced = pricer.price(model, &values, &surcharges, &used, care, meter);
            let proved = master.proof(&values, &surcharges, priced.excess);
            anchor = duals;
            if proved > bound {
                bound = proved;
                if surcharges.iter().all(|&surcharge| surcharge <= 0.0) {
                    let scale = 1.0 / priced.excess.max(1.0);
                    proof = values.iter().map(|value| value * scale).collect();
                }
            }
            added = priced.patterns.into_iter().filter(|pattern| master.improves(pattern)).count();
            if added > 0 {
                break;
            }
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
            care.retries = 8;
        }
    }
    master.solve(meter);
    master.finish(bound, proof)
}
