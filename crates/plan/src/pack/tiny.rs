//! Few bins, every choice of them: the exact search for plans so small that fractions say little.
//!
//! One bin at a time, always one that takes the dearest item left, filled so that nothing more fits: some best plan
//! has this form, since items may always be moved to earlier bins. Values of items of which no bin holds more than
//! its price tell what the rest will cost at least, which rules out most choices.

use super::{
    greedy,
    meter::Meter,
    model::{Load, Model, Pattern},
    plan::{Plan, Rest, Score},
    space::Space,
};

/// Plans of more bins than this are not searched.
const BINS: u64 = 10;
/// Ways to fill one bin that are looked at, at most.
const WAYS: usize = 4000;

/// The search through all plans.
struct Tiny<'a> {
    model: &'a Model,
    /// What items are worth when no bin is worth more than its price.
    values: &'a [f64],
    /// Kinds from dear to cheap.
    order: Vec<usize>,
    best: Score,
    found: Option<Plan>,
}

/// Replaces a plan of few bins by the best there is, as far as the effort allows.
///
/// `values` must be such that no bin is worth more than its price.
pub(super) fn perfect(model: &Model, values: &[f64], plan: &mut Plan, meter: &mut Meter) {
    let best = plan.score(model);
    if best.bins > BINS || (best.bins <= 1 && best.unplaced == 0 && plan_is_cheapest(model, plan)) {
        return;
    }
    let slices = greedy::slice_values(model);
    let mut order: Vec<usize> = (0..model.kinds.len()).collect();
    order.sort_by(|&a, &b| slices[b].total_cmp(&slices[a]).then(a.cmp(&b)));
    let mut tiny = Tiny { model, values, order, best, found: None };
    tiny.descend(&mut Rest::all(model), &mut Plan::default(), 0.0, meter);
    if let Some(found) = tiny.found {
        *plan = found;
    }
}

/// Whether a plan of one bin uses the cheapest type that holds it all.
fn plan_is_cheapest(model: &Model, plan: &Plan) -> bool {
    plan.bins.iter().all(|(pattern, _)| {
        let price = |ty: usize| (model.types[ty].room > 0).then(|| model.prices[ty]);
        model.cheapest(&pattern.load, price) == Some(pattern.ty)
    })
}

impl Tiny<'_> {
    /// Tries every way to pack the rest after the bins of `plan`, which cost `spent` in price.
    fn descend(&mut self, rest: &mut Rest, plan: &mut Plan, spent: f64, meter: &mut Meter) {
        let dearest = self.order.iter().copied().find(|&kind| rest.demand[kind] > 0);
        let Some(dearest) = dearest else {
            let score = plan.score(self.model);
            if score < self.best {
                self.best = score;
                self.found = Some(plan.clone());
            }
            return;
        };
        let worth = |load: &[(usize, u32)]| -> f64 {
            load.iter().map(|&(kind, count)| self.values[kind] * f64::from(count)).sum()
        };
        let left: f64 = self
            .values
            .iter()
            .zip(&rest.demand)
            .map(|(value, &count)| value * f64::from(count))
            .sum();
        let mut choices: Vec<(f64, Pattern)> = Vec::new();
        for &ty in &self.model.by_cost {
            if rest.open(ty) && self.model.kinds[dearest].types.contains(ty) {
                let fillings = self.fillings(ty, dearest, rest, meter);
                choices.extend(
                    fillings
                        .into_iter()
                        .map(|load| (self.model.prices[ty] - worth(&load), Pattern { ty, load })),
                );
            }
        }
        choices.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        for (loss, pattern) in choices {
            if meter.spent() || self.hopeless(spent + left + loss) {
                return;
            }
            rest.take(&pattern, 1);
            plan.bins.push((pattern.clone(), 1));
            self.descend(rest, plan, spent + self.model.prices[pattern.ty], meter);
            plan.bins.pop();
            rest.give_back(&pattern, 1);
        }
    }

    /// Whether a plan of at least this price cannot beat the best.
    fn hopeless(&self, price: f64) -> bool {
        let Score { unplaced, cost, bins } = self.best;
        unplaced == 0 && price >= self.model.price(cost, bins) - 1e-9
    }

    /// The ways to fill a bin of a type that contain a kind and leave room for nothing more.
    fn fillings(&self, ty: usize, first: usize, rest: &Rest, meter: &mut Meter) -> Vec<Load> {
        let candidates: Vec<usize> = std::iter::once(first)
            .chain(self.order.iter().copied().filter(|&kind| kind != first))
            .filter(|&kind| rest.demand[kind] > 0 && self.model.kinds[kind].types.contains(ty))
            .collect();
        let mut found = Vec::new();
        let mut space = Space::new(self.model, ty);
        fill(&mut space, &candidates, 0, rest, &mut found, meter);
        found
    }
}

/// Adds every full load that extends what is in the space by candidates from `at` on.
fn fill(
    space: &mut Space<'_>,
    candidates: &[usize],
    at: usize,
    rest: &Rest,
    found: &mut Vec<Load>,
    meter: &mut Meter,
) {
    meter.charge(8);
    if found.len() >= WAYS || meter.spent() {
        return;
    }
    let Some(&kind) = candidates.get(at) else {
        meter.charge(candidates.len());
        if candidates.iter().all(|&kind| space.more(kind, rest.demand[kind]) == 0) {
            found.push(space.load());
        }
        return;
    };
    let most = space.room(kind, rest.demand[kind]);
    // The first candidate is the one the bin is opened for.
    for times in (u32::from(at == 0)..=most).rev() {
        space.take(kind, times);
        fill(space, candidates, at + 1, rest, found, meter);
        space.put_back(kind, times);
    }
}
