//! Upper bounds on what one bin can be worth, cheap enough to have for a thousand types in every round.
//!
//! Every dimension and every exclusion class of a type gets a multiplier: what a whole bin of it is worth. Any
//! multipliers give a valid bound, `Σ multipliers + Σ most × max(0, value − weight)`, where an item's weight is its
//! size priced by them. The best ones are the duals of the knapsack's linear relaxation, which has as many rows as
//! there are dimensions: see [`Slice`]. They are kept from round to round, as values change little, and renewed only
//! while a type still looks worth more than its price.

use std::collections::BTreeMap;

use super::{
    meter::Meter,
    model::Model,
    number::real,
    slice::{Slice, Stock},
};

/// Classes beyond this many are left out of the bounds, which stay valid without them.
const CLASSES: usize = 8;
/// Cuts per dimension, at most.
const CUTS: usize = 3;

/// Multipliers for every type, from round to round.
#[derive(Debug)]
pub(super) struct Surrogate {
    /// Dimensions, cuts and classes.
    width: usize,
    /// Sizes of the kinds in these terms, `width` numbers per kind.
    sizes: Vec<f64>,
    /// Capacities of the types likewise.
    capacities: Vec<f64>,
    /// Multipliers per unit, `width` per type.
    rates: Vec<f64>,
    slices: Vec<Option<Slice>>,
}

impl Surrogate {
    /// Starts every type with the same `rates`, one per dimension.
    pub(super) fn new(model: &Model, rates: &[f64]) -> Self {
        let classes = model.classes.len().min(CLASSES);
        let cuts = cuts(model);
        let mut capacities = Vec::new();
        for ty in &model.types {
            capacities.extend(ty.capacity.iter().map(|&capacity| real(capacity)));
            capacities.extend(cuts.iter().map(|&(dim, step)| real(ty.capacity[dim] / step)));
            capacities.extend(model.classes[..classes].iter().map(|&most| f64::from(most)));
        }
        let mut sizes = Vec::new();
        for kind in &model.kinds {
            sizes.extend(kind.size.iter().map(|&size| real(size)));
            sizes.extend(cuts.iter().map(|&(dim, step)| real(kind.size[dim] / step)));
            sizes.extend(
                (0..classes).map(|class| f64::from(u8::from(kind.classes.contains(&class)))),
            );
        }
        let dims = model.types.first().map_or(0, |ty| ty.capacity.len());
        let width = dims + cuts.len() + classes;
        let padded = rates.iter().copied().chain(std::iter::repeat(0.0)).take(width);
        let padded: Vec<f64> = padded.collect();
        Self {
            width,
            sizes,
            rates: padded.repeat(model.types.len()),
            capacities,
            slices: model.types.iter().map(|_| None).collect(),
        }
    }

    /// The multipliers of a type, per unit of each dimension, cut and class.
    pub(super) fn rates(&self, ty: usize) -> &[f64] {
        &self.rates[ty * self.width..(ty + 1) * self.width]
    }

    /// A whole bin priced by some rates.
    pub(super) fn whole(&self, ty: usize, rates: &[f64]) -> f64 {
        let capacities = &self.capacities[ty * self.width..(ty + 1) * self.width];
        capacities.iter().zip(rates).map(|(capacity, rate)| capacity * rate).sum()
    }

    /// An item's size priced by the rates of a type.
    pub(super) fn weight(&self, kind: usize, rates: &[f64]) -> f64 {
        let sizes = &self.sizes[kind * self.width..(kind + 1) * self.width];
        sizes.iter().zip(rates).map(|(size, rate)| size * rate).sum()
    }

    /// How many of the kind at a place of [`Model::holds`] the relaxation takes.
    pub(super) fn sliced(&self, ty: usize, at: usize, most: u32) -> f64 {
        self.slices[ty].as_ref().map_or(0.0, |slice| slice.amount(at, f64::from(most)))
    }

    /// A bound on the value of one bin of a type from the multipliers at hand. A type that has none yet borrows
    /// those of its neighbour, which stands next to it in price and is often the same machine in another zone.
    pub(super) fn glance(
        &mut self,
        model: &Model,
        ty: usize,
        values: &[f64],
        meter: &mut Meter,
    ) -> f64 {
        if self.slices[ty].is_none() && ty > 0 {
            self.rates.copy_within((ty - 1) * self.width..ty * self.width, ty * self.width);
        }
        meter.charge(model.holds[ty].len());
        self.evaluate(model, ty, values)
    }

    /// The best bound of this kind.
    pub(super) fn bound(
        &mut self,
        model: &Model,
        ty: usize,
        values: &[f64],
        meter: &mut Meter,
    ) -> f64 {
        let held = &model.holds[ty];
        let range = ty * self.width..(ty + 1) * self.width;
        let over = |&capacity: &f64| if capacity > 0.0 { 1.0 / capacity } else { 0.0 };
        let inverse: Vec<f64> = self.capacities[range.clone()].iter().map(over).collect();
        let stock = Stock { held, values, sizes: &self.sizes, inverse: &inverse };
        let slice = self.slices[ty].get_or_insert_with(|| Slice::new(held.len(), self.width));
        slice.solve(&stock, meter);
        if !slice.multipliers().iter().all(|multiplier| multiplier.is_finite()) {
            // Rounding errors got the better of it: start over.
            *slice = Slice::new(held.len(), self.width);
            slice.solve(&stock, meter);
        }
        let fresh = slice.multipliers().iter().zip(&inverse).map(|(a, b)| a * b);
        self.rates[range].iter_mut().zip(fresh).for_each(|(rate, fresh)| *rate = fresh);
        self.evaluate(model, ty, values)
    }

    fn evaluate(&self, model: &Model, ty: usize, values: &[f64]) -> f64 {
        let rates = self.rates(ty);
        let whole = self.whole(ty, rates);
        model.holds[ty].iter().fold(whole, |bound, &(kind, most)| {
            bound + f64::from(most) * (values[kind] - self.weight(kind, rates)).max(0.0)
        })
    }
}

/// Steps in which a dimension is also measured: `Σ ⌊size ÷ step⌋ ≤ ⌊capacity ÷ step⌋` holds for whole items, and
/// sees what slices do not, such as that a bin a little short of two gigabytes holds one item of one gigabyte.
///
/// The sizes that make up most of the demand are the steps that bite.
fn cuts(model: &Model) -> Vec<(usize, i64)> {
    let dims = model.types.first().map_or(0, |ty| ty.capacity.len());
    let mut cuts = Vec::new();
    for dim in 0..dims {
        let mut volumes: BTreeMap<i64, i64> = BTreeMap::new();
        for kind in model.kinds.iter().filter(|kind| kind.size[dim] > 1) {
            let volume = volumes.entry(kind.size[dim]).or_default();
            *volume = volume.saturating_add(kind.size[dim].saturating_mul(i64::from(kind.count)));
        }
        let mut steps: Vec<(i64, i64)> =
            volumes.into_iter().map(|(step, volume)| (volume, step)).collect();
        steps.sort_unstable_by(|a, b| b.cmp(a));
        cuts.extend(steps.iter().take(CUTS).map(|&(_, step)| (dim, step)));
    }
    cuts
}
