//! The search as a whole: a greedy plan, the relaxation, a dive, then packing the most wasteful bins anew until
//! nothing more is gained.

use super::{
    chance::Chance,
    coarse,
    columns::{Depth, relax},
    fluid, greedy,
    meter::Meter,
    model::{Model, Pattern},
    number::{real_cost, whole_cost},
    plan::{Plan, Rest, Score},
    pricing::Care,
    round::Dive,
    ruin::Ruin,
    settle::settle,
    tiny,
};

/// What was learned about a model on the way to a plan.
#[derive(Debug)]
pub(super) struct Insight {
    /// Patterns worth knowing, the best first.
    pub(super) pool: Vec<Pattern>,
    /// What one item of each kind is worth.
    pub(super) values: Vec<f64>,
    /// The same, when no bin may be worth more than its price.
    proved: Vec<f64>,
    /// What one more bin of each type costs beyond its price, because of limits.
    pub(super) surcharges: Vec<f64>,
    /// What everything costs at least, in units of price.
    bound: f64,
    /// What the relaxation costs: a bound too, but for patterns that were not found.
    target: f64,
    /// What leaving out an item saves at most.
    penalty: f64,
    /// Every cost is a multiple of this.
    grain: u64,
}

/// More kinds than this are packed in outline first, until no more than [`FEW`] are left.
const MANY: usize = 180;
/// As many kinds as can be treated exactly with ease.
const FEW: usize = 100;
/// A plan this close to a bound is good enough, as a fraction of its cost.
const CLOSE: f64 = 1e-4;

/// Dives from the relaxation of the whole, while they are cheap: how far chance steers each.
const DIVES: [f64; 4] = [0.0, 0.1, 0.2, 0.3];

/// For the relaxation of the whole: thorough.
const ROOT: Depth = Depth {
    rounds: 400,
    gap: CLOSE,
    care: Care { knapsack: 10_000, retries: 0, enough: 40, patience: 20 },
    hardest: 1_000_000,
};
/// For the many relaxations of parts: brief.
pub(super) const PART: Depth = Depth {
    rounds: 12,
    gap: CLOSE,
    care: Care { knapsack: 2000, retries: 0, enough: 20, patience: 10 },
    hardest: 2000,
};
/// For relaxations over clusters, which are approximate anyway.
const OUTLINE: Depth = Depth {
    rounds: 30,
    gap: 3e-3,
    care: Care { knapsack: 4000, retries: 0, enough: 40, patience: 20 },
    hardest: 4000,
};

/// The best plan found, and the cost below which there is none that places as many items.
pub(super) fn search(model: &Model, meter: &mut Meter) -> (Plan, u64) {
    if model.kinds.is_empty() || model.types.is_empty() {
        return (Plan::default(), 0);
    }
    let mut chance = Chance::new(7);
    let mut best = greedy::greedy(model, meter);
    let (plan, insight) = if model.kinds.len() <= MANY {
        let seed = best.bins.iter().map(|(pattern, _)| pattern.clone()).collect();
        exact(model, seed, &mut chance, meter)
    } else {
        rough(model, &mut chance, meter)
    };
    for mut plan in [plan, best.clone()] {
        settle(model, &mut plan, &insight.values, meter);
        if plan.score(model) < best.score(model) {
            best = plan;
        }
    }
    meter.share(5, |meter| tiny::perfect(model, &insight.proved, &mut best, meter));
    // The last tenth of a percent is worth an effort, but not all of it.
    let share = if insight.within(model, best.score(model), 1e-3) { 25 } else { 100 };
    let mut ruin = Ruin { model, insight: &insight, chance };
    meter.share(share, |meter| ruin.improve(&mut best, meter));
    settle(model, &mut best, &insight.values, meter);
    let bound = insight.bound(model, best.score(model));
    (best, bound)
}

/// Relaxation and dive over the kinds as they are.
fn exact(
    model: &Model,
    mut seed: Vec<Pattern>,
    chance: &mut Chance,
    meter: &mut Meter,
) -> (Plan, Insight) {
    seed.extend(model.uniform());
    let root = meter.share(50, |meter| relax(model, seed, ROOT, meter));
    let insight = Insight {
        pool: root.pool.clone(),
        values: root.values.clone(),
        proved: root.proved.clone(),
        surcharges: root.surcharges.clone(),
        bound: root.bound,
        target: root.objective,
        penalty: root.penalty,
        grain: grain(model),
    };
    let mut best: Option<Plan> = None;
    for noise in DIVES {
        let (left, score) = (meter.left(), best.as_ref().map(|plan| plan.score(model)));
        if score.is_some_and(|score| score.unplaced > 0 || insight.satisfied(model, score)) {
            break;
        }
        let ceiling = score.map_or(f64::INFINITY, |score| real_cost(score.cost) / model.unit);
        let mut dive = Dive { depth: PART, ceiling, noise, chance };
        let (pool, root) = (root.pool.clone(), root.clone());
        let plan = meter.share(60, |meter| dive.run(model, pool, Some(root), meter));
        best = plan.filter(|plan| score.is_none_or(|score| plan.score(model) < score)).or(best);
        if left - meter.left() > left / 8 {
            // A dive this dear is not repeated; improving what it found is the better use of effort.
            break;
        }
    }
    (best.unwrap_or_default(), insight)
}

/// Outline first, then what it leaves.
fn rough(model: &Model, chance: &mut Chance, meter: &mut Meter) -> (Plan, Insight) {
    let fluid = fluid::solve(model, meter);
    let (mut plan, values) = coarse::outline(model, FEW, OUTLINE, meter);
    let rest = Rest::after(model, &plan);
    let (part, old) = model.restrict(&rest.demand, &rest.room, rest.bins);
    let last = if part.kinds.len() <= MANY {
        meter.share(30, |meter| exact(&part, Vec::new(), chance, meter)).0
    } else {
        greedy::greedy(&part, meter)
    };
    plan.extend(last, &old);
    let insight = Insight {
        pool: Vec::new(),
        values,
        proved: fluid.values,
        surcharges: vec![0.0; model.types.len()],
        bound: fluid.bound,
        target: fluid.bound,
        penalty: model.penalty(),
        grain: grain(model),
    };
    (plan, insight)
}

/// The greatest common divisor of all costs: between its multiples there are no plans.
fn grain(model: &Model) -> u64 {
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    model.types.iter().map(|ty| ty.cost).fold(0, divisor).max(1)
}

impl Insight {
    /// What a plan that leaves as many items out as this one costs at least.
    fn bound(&self, model: &Model, score: Score) -> u64 {
        let price = (self.bound - self.penalty * real_cost(score.unplaced)).max(0.0);
        // Rounding errors must not lift a bound over the next multiple.
        let cost = price * model.unit * (1.0 - 1e-9);
        whole_cost((cost / real_cost(self.grain)).ceil()).saturating_mul(self.grain).min(score.cost)
    }

    /// Whether a plan is so close to the bound that more search is idle.
    pub(super) fn satisfied(&self, model: &Model, score: Score) -> bool {
        self.within(model, score, CLOSE)
    }

    /// Whether a plan places everything at a cost no more than this fraction above the bound.
    fn within(&self, model: &Model, score: Score, fraction: f64) -> bool {
        let cost = real_cost(score.cost);
        let close = |bound: f64| cost - bound <= fraction * cost;
        score.unplaced == 0
            && (close(real_cost(self.bound(model, score))) || close(self.target * model.unit))
    }
}
