//! From fractions to bins: a dive through relaxations.
//!
//! The whole part of every level is bought outright, then the fractions nearest to a whole; what that leaves is a
//! smaller problem, relaxed again with patterns generated for what is really left. Deeper down the problems are
//! tiny, so the many last steps cost little.

use rustc_hash::FxHashSet;

use super::{
    chance::Chance,
    columns::{Depth, Relaxation, relax},
    greedy,
    meter::Meter,
    model::{Model, Pattern},
    number::{real_cost, whole},
    plan::{Plan, Rest},
};

/// How to dive.
#[derive(Debug)]
pub(super) struct Dive<'a> {
    pub(super) depth: Depth,
    /// Give up when the plan cannot come out cheaper than this, in units of price without fees.
    pub(super) ceiling: f64,
    /// How far chance may override the order of the fractions; 0 for not at all.
    pub(super) noise: f64,
    pub(super) chance: &'a mut Chance,
}

/// The share of what is left, by number of bins, that one step of the dive decides at least.
const STRIDE: f64 = 0.15;

impl Dive<'_> {
    /// Packs the model, starting from patterns known to be good, and from its relaxation if that is known. `None`
    /// when the ceiling was reached.
    pub(super) fn run(
        &mut self,
        model: &Model,
        mut pool: Vec<Pattern>,
        root: Option<Relaxation>,
        meter: &mut Meter,
    ) -> Option<Plan> {
        let mut plan = Plan::default();
        let mut rest = Rest::all(model);
        let mut values = vec![0.0; model.kinds.len()];
        let mut root = root;
        let mut cost = 0;
        while !rest.is_done() && !meter.spent() {
            let start = meter.used();
            let (part, old) = model.restrict(&rest.demand, &rest.room, rest.bins);
            let relaxation = root.take().unwrap_or_else(|| {
                let seed = trimmed(model, &rest, &pool, 4 * old.len() + 200, meter);
                relax(&part, renumbered(seed, &old, &rest), self.depth, meter)
            });
            let bought = real_cost(plan.score(model).cost) / model.unit;
            if bought + relaxation.bound >= self.ceiling {
                return None;
            }
            for (kind, &value) in old.iter().zip(&relaxation.values) {
                values[*kind] = value;
            }
            let step = self.decide(&part, &relaxation, stride(meter.left(), cost));
            if step.bins.is_empty() {
                break;
            }
            let before = plan.bins.len();
            plan.extend(step, &old);
            for (pattern, times) in &plan.bins[before..] {
                rest.take(pattern, *times);
            }
            pool = relaxation.pool;
            for (kind, _) in pool.iter_mut().flat_map(|pattern| &mut pattern.load) {
                *kind = old[*kind];
            }
            cost = meter.used() - start;
        }
        let last = greedy::complete(model, rest, &values, 0.0, meter);
        plan.bins.extend(last.bins);
        Some(plan)
    }

    /// What to buy of a relaxed plan right away.
    fn decide(&mut self, model: &Model, relaxation: &Relaxation, stride: f64) -> Plan {
        let mut rest = Rest::all(model);
        let mut plan = Plan::default();
        let mut fractions: Vec<(f64, &Pattern)> = Vec::new();
        let mut decided = 0;
        for (pattern, level) in &relaxation.levels {
            let times = whole(level + 1e-4).min(rest.times(pattern));
            if times > 0 {
                rest.take(pattern, times);
                plan.bins.push((pattern.clone(), times));
                decided += times;
            }
            let fraction = level - f64::from(times);
            if fraction > 1e-4 {
                let noise =
                    if self.noise > 0.0 { self.noise * self.chance.fraction() } else { 0.0 };
                fractions.push((fraction + noise, pattern));
            }
        }
        let all: f64 = relaxation.levels.iter().map(|(_, level)| level).sum();
        fractions.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        for (_, pattern) in fractions {
            if decided > 0 && f64::from(decided) >= stride * all {
                break;
            }
            if rest.times(pattern) > 0 {
                rest.take(pattern, 1);
                plan.bins.push((pattern.clone(), 1));
                decided += 1;
            }
        }
        plan
    }
}

/// The share to decide next: larger when the effort left would not last for many steps as dear as the last.
fn stride(left: u64, cost: u64) -> f64 {
    let steps = real_cost(left) / real_cost(cost.max(1));
    // After so many strides of this size about a twentieth is left.
    (3.0 / (steps.max(1.0) + 2.0)).max(STRIDE)
}

/// Patterns cut down to what is still wanted, each in the cheapest type that holds it; at most `most` of them.
fn trimmed(
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

/// Patterns in the numbering of a restricted model.
fn renumbered(mut patterns: Vec<Pattern>, old: &[usize], rest: &Rest) -> Vec<Pattern> {
    let mut new = vec![0; rest.demand.len()];
    for (number, &kind) in old.iter().enumerate() {
        new[kind] = number;
    }
    for (kind, _) in patterns.iter_mut().flat_map(|pattern| &mut pattern.load) {
        *kind = new[*kind];
    }
    patterns
}
