//! The search as a whole: a greedy plan, the relaxation, a dive, then packing the most wasteful bins anew until
//! nothing more is gained.

use fixedbitset::FixedBitSet;

use super::{
    chance::Chance,
    coarse,
    columns::{Depth, relax},
    greedy,
    meter::Meter,
    model::{Model, Pattern},
    number::{real, real_cost},
    plan::{Plan, Rest, Score},
    pricing::Care,
    round::Dive,
};

/// More kinds than this are packed in outline first.
const FEW: usize = 180;

/// The best plan found, and the cost below which there is none, in units of price.
pub(super) fn search(model: &Model, meter: &mut Meter) -> (Plan, f64) {
    if model.kinds.is_empty() || model.types.is_empty() {
        return (Plan::default(), 0.0);
    }
    let mut best = greedy::greedy(model, meter);
    let mut chance = Chance::new(7);
    let found = if model.kinds.len() <= FEW {
        let seed = best.bins.iter().map(|(pattern, _)| pattern.clone()).collect();
        exact(model, seed, &mut chance, meter)
    } else {
        let depth = Depth {
            rounds: 30,
            gap: 3e-3,
            care: Care { knapsack: 4000, enough: 40, patience: 20 },
            hardest: 4000,
        };
        let (mut plan, values) = coarse::outline(model, FEW, depth, meter);
        let rest = Rest::after(model, &plan);
        let (part, old) = model.restrict(&rest.demand, &rest.room, rest.bins);
        let last = meter.share(30, |meter| exact(&part, Vec::new(), &mut chance, meter));
        plan.extend(last.plan, &old);
        Found {
            plan,
            bound: 0.0,
            penalty: 0.0,
            pool: Vec::new(),
            values,
            surcharges: vec![0.0; model.types.len()],
        }
    };
    if std::env::var_os("DBG").is_some() {
        eprintln!(
            "greedy {:?} found {:?} used {}",
            best.score(model),
            found.plan.score(model),
            meter.used()
        );
    }
    let Found { plan, bound, penalty, pool, values, surcharges } = found;
    if plan.score(model) < best.score(model) {
        best = plan;
    }
    let proved = |score: Score| bound - penalty * real_cost(score.unplaced);
    let mut ruin = Ruin { model, pool, values, surcharges, chance };
    ruin.improve(&mut best, &proved, meter);
    let bound = proved(best.score(model)).max(0.0);
    (best, bound)
}

/// A plan, and what was learned on the way to it.
struct Found {
    plan: Plan,
    bound: f64,
    penalty: f64,
    pool: Vec<Pattern>,
    values: Vec<f64>,
    surcharges: Vec<f64>,
}

/// Relaxation and dive over the kinds as they are.
fn exact(model: &Model, mut seed: Vec<Pattern>, chance: &mut Chance, meter: &mut Meter) -> Found {
    seed.extend(model.uniform());
    let depth = Depth {
        rounds: 400,
        gap: 1e-4,
        care: Care { knapsack: 10_000, enough: 40, patience: 20 },
        hardest: 1_000_000,
    };
    let root = meter.share(50, |meter| relax(model, seed, depth, meter));
    let (bound, penalty) = (root.bound, root.penalty);
    let pool = root.pool.clone();
    let (values, surcharges) = (root.values.clone(), root.surcharges.clone());
    let depth = Depth {
        rounds: 12,
        gap: 1e-4,
        care: Care { knapsack: 2000, enough: 20, patience: 10 },
        hardest: 2000,
    };
    let mut dive = Dive { depth, ceiling: f64::INFINITY, noise: 0.0, chance };
    let plan = meter.share(60, |meter| dive.run(model, pool.clone(), Some(root), meter));
    let plan = plan.unwrap_or_default();
    Found { plan, bound, penalty, pool, values, surcharges }
}

/// Packs some bins anew, again and again.
struct Ruin<'m> {
    model: &'m Model,
    pool: Vec<Pattern>,
    values: Vec<f64>,
    surcharges: Vec<f64>,
    chance: Chance,
}

/// How many bins are packed anew at once, in turn.
const SIZES: [u32; 5] = [6, 12, 3, 20, 9];
/// Kinds among the bins packed anew, about: more make a linear program that takes too long.
const CROWD: usize = 70;
/// Attempts in vain after which the search is over.
const PATIENCE: u32 = 60;

impl Ruin<'_> {
    fn improve(&mut self, best: &mut Plan, proved: &dyn Fn(Score) -> f64, meter: &mut Meter) {
        let mut vain = 0;
        let mut turn = 0;
        while vain < PATIENCE && !meter.spent() {
            let score = best.score(self.model);
            let cost = real_cost(score.cost) / self.model.unit;
            if score.unplaced == 0 && cost - proved(score) <= 1e-4 * cost {
                return;
            }
            let size = SIZES[turn % SIZES.len()];
            turn += 1;
            vain = if self.attempt(best, size, meter) { 0 } else { vain + 1 };
        }
    }

    /// One attempt; says whether the plan became better.
    fn attempt(&mut self, best: &mut Plan, size: u32, meter: &mut Meter) -> bool {
        best.tidy();
        let (chosen, kept) = self.choose(best, size);
        let mut rest = Rest::after(self.model, best);
        for (pattern, times) in &chosen.bins {
            rest.give_back(pattern, *times);
        }
        let (part, old) = self.model.restrict(&rest.demand, &rest.room, rest.bins);
        let numbered = |patterns: &[Pattern]| {
            let mut new = vec![usize::MAX; rest.demand.len()];
            for (number, &kind) in old.iter().enumerate() {
                new[kind] = number;
            }
            patterns
                .iter()
                .map(|pattern| Pattern {
                    ty: pattern.ty,
                    load: pattern.load.iter().map(|&(kind, count)| (new[kind], count)).collect(),
                })
                .collect::<Vec<Pattern>>()
        };
        let before = Plan {
            bins: numbered(
                &chosen.bins.iter().map(|(pattern, _)| pattern.clone()).collect::<Vec<_>>(),
            )
            .into_iter()
            .zip(chosen.bins.iter().map(|&(_, times)| times))
            .collect(),
        };
        let old_score = before.score(&part);
        let pool: Vec<Pattern> = self
            .pool
            .iter()
            .filter(|pattern| pattern.load.iter().all(|&(kind, count)| count <= rest.demand[kind]))
            .take(300)
            .cloned()
            .collect();
        let mut pool = numbered(&pool);
        pool.extend(before.bins.iter().map(|(pattern, _)| pattern.clone()));
        let depth = Depth {
            rounds: 15,
            gap: 1e-4,
            care: Care { knapsack: 2000, enough: 20, patience: 10 },
            hardest: 2000,
        };
        let ceiling = if old_score.unplaced > 0 {
            f64::INFINITY
        } else {
            (real_cost(old_score.cost) - 0.5) / part.unit
        };
        let mut dive = Dive { depth, ceiling, noise: 0.3, chance: &mut self.chance };
        let Some(plan) = dive.run(&part, pool, None, meter) else { return false };
        let score = plan.score(&part);
        if score > old_score {
            return false;
        }
        *best = kept;
        best.extend(plan, &old);
        score < old_score
    }

    /// Splits a plan into bins to be packed anew, the wasteful ones more likely, and bins to keep.
    fn choose(&mut self, plan: &Plan, size: u32) -> (Plan, Plan) {
        let mut order: Vec<(f64, usize)> = Vec::new();
        for (at, (pattern, _)) in plan.bins.iter().enumerate() {
            let worth: f64 = pattern
                .load
                .iter()
                .map(|&(kind, count)| self.values[kind] * f64::from(count))
                .sum();
            let waste = self.model.prices[pattern.ty] + self.surcharges[pattern.ty] - worth;
            order.push(((waste + real(1) * 0.02) * self.chance.fraction(), at));
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut left = size;
        let mut taken = vec![0; plan.bins.len()];
        let mut kinds = FixedBitSet::with_capacity(self.model.kinds.len());
        for &(_, at) in &order {
            let (pattern, times) = &plan.bins[at];
            kinds.extend(pattern.load.iter().map(|&(kind, _)| kind));
            if left == 0 || (left + 2 <= size && kinds.count_ones(..) > CROWD) {
                break;
            }
            taken[at] = (*times).min(left).min(1 + size / 6);
            left -= taken[at];
        }
        let (mut chosen, mut kept) = (Plan::default(), Plan::default());
        for ((pattern, times), taken) in plan.bins.iter().zip(taken) {
            if taken > 0 {
                chosen.bins.push((pattern.clone(), taken));
            }
            if *times > taken {
                kept.bins.push((pattern.clone(), times - taken));
            }
        }
        (chosen, kept)
    }
}
