//! Leaves no item out that has a place: in a bin that is open already, in a larger type put in a bin's stead, or in
//! a new bin.

use super::{
    greedy,
    meter::Meter,
    model::{Load, Model, Pattern},
    plan::{Plan, Rest},
};

/// Places what can still be placed. Plans that place everything are left alone.
pub(super) fn settle(model: &Model, plan: &mut Plan, values: &[f64], meter: &mut Meter) {
    let mut rest = Rest::after(model, plan);
    for kind in 0..rest.demand.len() {
        let mut at = 0;
        while rest.demand[kind] > 0 && at < plan.bins.len() {
            meter.charge(plan.bins[at].0.load.len() + 8);
            // Bins that take one more stay at their place, to be asked for another; the others are passed by.
            match roomier(model, &plan.bins[at].0, kind, &rest) {
                Some(pattern) => {
                    let (old, times) = plan.bins[at].clone();
                    rest.give_back(&old, 1);
                    rest.take(&pattern, 1);
                    plan.bins[at] = (pattern, 1);
                    if times > 1 {
                        plan.bins.push((old, times - 1));
                    }
                }
                None => at += 1,
            }
        }
    }
    if !rest.is_done() {
        plan.bins.extend(greedy::complete(model, rest, values, 0.0, meter).bins);
    }
    plan.tidy();
}

/// The pattern with one more of a kind, in its own type or the cheapest other one that is still to be had.
fn roomier(model: &Model, pattern: &Pattern, kind: usize, rest: &Rest) -> Option<Pattern> {
    let mut load: Load = pattern.load.clone();
    match load.iter_mut().find(|(known, _)| *known == kind) {
        Some((_, count)) => *count += 1,
        None => load.push((kind, 1)),
    }
    load.sort_unstable();
    if !model.lawful(&load) {
        return None;
    }
    let price = |ty: usize| (ty == pattern.ty || rest.room[ty] > 0).then(|| model.prices[ty]);
    let ty = model.cheapest(&load, price)?;
    Some(Pattern { ty, load })
}
