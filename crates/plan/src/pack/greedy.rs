//! A plan at once: open the bin whose contents are worth most for its price, again and again.
//!
//! The worth of an item is what it would cost if bins could be bought by the slice, or, once a linear program was
//! solved, its dual value. Serves as the first upper bound, as the source of the first patterns, and as the last
//! resort when effort runs out.

use super::{
    meter::Meter,
    model::{Model, Pattern},
    plan::{Plan, Rest},
    space::Space,
};

/// Orders in which a bin is filled.
type Orders = Vec<Vec<usize>>;

/// What each kind costs when bins are sold by the slice: the least over types of price times scarcest share.
pub(super) fn slice_values(model: &Model) -> Vec<f64> {
    let mut values = vec![f64::INFINITY; model.kinds.len()];
    for (ty, held) in model.holds.iter().enumerate() {
        for &(kind, _) in held {
            values[kind] = values[kind].min(model.prices[ty] * model.share(kind, ty));
        }
    }
    // What no bin holds has no price.
    values.into_iter().map(|value| if value.is_finite() { value } else { 0.0 }).collect()
}

/// The best of a few greedy plans.
pub(super) fn greedy(model: &Model, meter: &mut Meter) -> Plan {
    let rest = Rest::all(model);
    let values = slice_values(model);
    let mut best = complete(model, rest.clone(), &values, 0.0, meter);
    let mut score = best.score(model);
    if score.unplaced > 0 {
        // Limits bind: bins are precious, so what a bin holds matters more than what it costs.
        let each = vec![1.0; model.kinds.len()];
        for (values, surcharge) in [(&values, 1e3), (&each, 0.0), (&each, 1e3)] {
            let plan = complete(model, rest.clone(), values, surcharge, meter);
            if plan.score(model) < score {
                score = plan.score(model);
                best = plan;
            }
        }
    }
    best
}

/// Packs what is left, opening the bin with most value per price (plus `surcharge`) each time.
pub(super) fn complete(
    model: &Model,
    mut rest: Rest,
    values: &[f64],
    surcharge: f64,
    meter: &mut Meter,
) -> Plan {
    // Whatever its value, an item must be reason enough to open a bin.
    let values: Vec<f64> = values
        .iter()
        .zip(slice_values(model))
        .map(|(&value, least)| value.max(least * 1e-3))
        .collect();
    let mut orders = orders(model, &rest, &values);
    let mut plan = Plan::default();
    // Worth per price as last seen. It mostly falls as items run out, so the best stale one is looked at first.
    let mut seen: Vec<f64> = (0..model.types.len())
        .map(|ty| if rest.open(ty) && !model.holds[ty].is_empty() { f64::INFINITY } else { 0.0 })
        .collect();
    while !rest.is_done() {
        let Some(pattern) = next(model, &rest, &values, surcharge, &orders, &mut seen, meter)
        else {
            break;
        };
        let price = |ty| rest.open(ty).then(|| model.prices[ty]);
        let ty = model.cheapest(&pattern.load, price).unwrap_or(pattern.ty);
        let pattern = Pattern { ty, ..pattern };
        let times = rest.times(&pattern);
        rest.take(&pattern, times);
        if !rest.open(ty) {
            seen[ty] = 0.0;
        }
        plan.bins.push((pattern, times));
        for order in &mut orders {
            order.retain(|&kind| rest.demand[kind] > 0);
        }
    }
    plan
}

/// The pattern with most value per price, found lazily.
fn next(
    model: &Model,
    rest: &Rest,
    values: &[f64],
    surcharge: f64,
    orders: &Orders,
    seen: &mut [f64],
    meter: &mut Meter,
) -> Option<Pattern> {
    let mut best: Option<(f64, Pattern)> = None;
    loop {
        meter.charge(seen.len() / 4);
        let (ty, &hope) = seen
            .iter()
            .enumerate()
            .max_by(|(a, left), (b, right)| left.total_cmp(right).then(b.cmp(a)))?;
        if hope <= 0.0 || best.as_ref().is_some_and(|(ratio, _)| *ratio >= hope) {
            return best.map(|(_, pattern)| pattern);
        }
        seen[ty] = 0.0;
        if !rest.open(ty) {
            continue;
        }
        for order in orders {
            let (load, value) = fill(model, ty, order, rest, values, meter);
            let ratio = value / (model.prices[ty] + surcharge);
            seen[ty] = ratio.max(seen[ty]);
            if best.as_ref().is_none_or(|(most, _)| ratio > *most) && !load.is_empty() {
                best = Some((ratio, Pattern { ty, load }));
            }
        }
        // The freshly seen must not be seen again in this turn: remember it just below the best.
        if let Some((ratio, _)) = &best {
            seen[ty] = seen[ty].min(*ratio);
        }
    }
}

fn fill(
    model: &Model,
    ty: usize,
    order: &[usize],
    rest: &Rest,
    values: &[f64],
    meter: &mut Meter,
) -> (Vec<(usize, u32)>, f64) {
    meter.charge(order.len() + 8);
    let mut space = Space::new(model, ty);
    let mut value = 0.0;
    for &kind in order {
        let room = space.room(kind, rest.demand[kind]);
        if room > 0 && model.kinds[kind].types.contains(ty) {
            space.take(kind, room);
            value += values[kind] * f64::from(room);
        }
    }
    (space.into_load(), value)
}

/// Dear items first; items dear for their bulk first. With very many kinds only the first, for speed.
fn orders(model: &Model, rest: &Rest, values: &[f64]) -> Orders {
    let kinds: Vec<usize> = (0..model.kinds.len()).filter(|&kind| rest.demand[kind] > 0).collect();
    let by = |worth: &dyn Fn(usize) -> f64| {
        let mut order = kinds.clone();
        order.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
        order
    };
    let slices = slice_values(model);
    let mut orders = vec![by(&|kind| slices[kind])];
    if kinds.len() <= 600 {
        orders.push(by(&|kind| values[kind] / slices[kind].max(1e-12)));
        orders.push(by(&|kind| values[kind]));
    }
    orders.dedup();
    orders
}
