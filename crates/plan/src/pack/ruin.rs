//! Ruin and recreate: takes a few bins out of a plan and packs their contents anew, again and again.
//!
//! Dual values tell which bins are worth less than they cost. The sum of these losses is the whole distance to the
//! bound, so the bins with the largest are taken out first, with some chance for the others.

use fixedbitset::FixedBitSet;

use super::{
    chance::Chance,
    meter::Meter,
    model::{Load, Model, Pattern},
    number::real_cost,
    plan::{Plan, Rest},
    round::Dive,
    search::{Insight, PART},
};

/// Packs some bins anew, again and again.
#[derive(Debug)]
pub(super) struct Ruin<'a> {
    pub(super) model: &'a Model,
    pub(super) insight: &'a Insight,
    pub(super) chance: Chance,
}

/// How many bins are packed anew at once, in turn.
const SIZES: [u32; 5] = [6, 12, 3, 20, 9];
/// Kinds among the bins packed anew, about: more make a linear program that takes too long.
const CROWD: usize = 70;
/// Known patterns offered to each attempt.
const OFFERED: usize = 300;
/// Attempts in vain after which the search is over.
const PATIENCE: u32 = 60;
/// How far chance may override the order of the fractions in a dive.
const NOISE: f64 = 0.3;

impl Ruin<'_> {
    /// Improves a plan until it is close to the bound, nothing helps any more, or the effort is spent.
    pub(super) fn improve(&mut self, best: &mut Plan, meter: &mut Meter) {
        let mut vain = 0;
        for &size in SIZES.iter().cycle() {
            let done = self.insight.satisfied(self.model, best.score(self.model));
            if done || vain == PATIENCE || meter.spent() {
                return;
            }
            vain = if self.attempt(best, size, meter) { 0 } else { vain + 1 };
        }
    }

    /// One attempt; says whether the plan became better.
    fn attempt(&mut self, best: &mut Plan, size: u32, meter: &mut Meter) -> bool {
        best.tidy();
        let (chosen, mut kept) = self.choose(best, size);
        let rest = Rest::after(self.model, &kept);
        let (part, old) = self.model.restrict(&rest.demand, &rest.room, rest.bins);
        let mut new = vec![0; rest.demand.len()];
        for (number, &kind) in old.iter().enumerate() {
            new[kind] = number;
        }
        let numbered = |pattern: &Pattern| -> Pattern {
            let load: Load = pattern.load.iter().map(|&(kind, count)| (new[kind], count)).collect();
            Pattern { ty: pattern.ty, load }
        };
        let wanted = |pattern: &&Pattern| {
            pattern.load.iter().all(|&(kind, count)| count <= rest.demand[kind])
        };
        let mut pool: Vec<Pattern> =
            self.insight.pool.iter().filter(wanted).take(OFFERED).map(numbered).collect();
        let before = Plan {
            bins: chosen.bins.iter().map(|(pattern, times)| (numbered(pattern), *times)).collect(),
        };
        pool.extend(before.bins.iter().map(|(pattern, _)| pattern.clone()));

        let standing = before.score(&part);
        let ceiling = if standing.unplaced > 0 {
            f64::INFINITY
        } else {
            (real_cost(standing.cost) - 0.5) / part.unit
        };
        let mut dive = Dive { depth: PART, ceiling, noise: NOISE, chance: &mut self.chance };
        let Some(plan) = dive.run(&part, pool, None, meter) else { return false };
        let score = plan.score(&part);
        // A different plan that is no worse is welcome: the next attempt starts from elsewhere.
        if score <= standing {
            kept.extend(plan, &old);
            *best = kept;
        }
        score < standing
    }

    /// Splits a plan into bins to be packed anew, the wasteful ones more likely, and bins to keep.
    fn choose(&mut self, plan: &Plan, size: u32) -> (Plan, Plan) {
        let Insight { values, surcharges, .. } = self.insight;
        let mut order: Vec<(f64, usize)> = Vec::new();
        for (at, (pattern, _)) in plan.bins.iter().enumerate() {
            let worth: f64 =
                pattern.load.iter().map(|&(kind, count)| values[kind] * f64::from(count)).sum();
            let waste = self.model.prices[pattern.ty] + surcharges[pattern.ty] - worth;
            order.push(((waste + 0.02) * self.chance.fraction(), at));
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
