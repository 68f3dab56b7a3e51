//! The problem in the form the search works on: kinds of items, types of bins, nothing alike twice.
//!
//! Feasibility lives here and only here, on exact integers. A [`Model`] never changes; a smaller problem
//! (what a partial plan leaves over, a few bins to be packed anew) is a new model made by [`Model::restrict`].

use fixedbitset::FixedBitSet;
use smallvec::SmallVec;

use super::number::{count, real, real_cost};

/// What one bin holds: kinds with how many of each, in ascending order of kind, no zeros.
pub(super) type Load = Vec<(usize, u32)>;

/// Items that are alike in everything.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) count: u32,
    /// The most of this kind in one bin, from exclusion classes that no other kind shares.
    pub(super) limit: u32,
    pub(super) size: SmallVec<[i64; 6]>,
    /// Classes shared with other kinds; most kinds have none.
    pub(super) classes: SmallVec<[usize; 2]>,
    pub(super) types: FixedBitSet,
}

/// Bins that are alike in everything.
#[derive(Clone, Debug)]
pub(super) struct Type {
    pub(super) cost: u64,
    pub(super) capacity: SmallVec<[i64; 6]>,
    /// How many may still be opened.
    pub(super) room: u32,
}

/// One way to fill one bin.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Pattern {
    pub(super) ty: usize,
    pub(super) load: Load,
}

/// A packing problem. See the module's head.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) kinds: Vec<Kind>,
    pub(super) types: Vec<Type>,
    /// The most items of each class in one bin.
    pub(super) classes: Vec<u32>,
    /// How many bins may be opened in all.
    pub(super) room: u32,
    /// Price of a type in the linear programs: its cost in units of a typical one, plus a fee for being a bin at all.
    pub(super) prices: Vec<f64>,
    /// For each type, the kinds it can hold, each with the most that fit alone.
    pub(super) holds: Vec<Vec<(usize, u32)>>,
    /// Types from cheap to dear.
    pub(super) by_cost: Vec<usize>,
    /// What one unit of price is in cost.
    pub(super) unit: f64,
}

/// The fee for opening a bin, in units of price: breaks ties towards fewer bins, and gives free bins a price.
pub(super) const FEE: f64 = 1e-6;

impl Model {
    pub(super) fn new(kinds: Vec<Kind>, types: Vec<Type>, classes: Vec<u32>, room: u32) -> Self {
        // A typical price is that of the cheapest bin for a kind: types nobody needs must not set the scale.
        let fit = |kind: &Kind, ty: &Type| kind.size.iter().zip(&ty.capacity).all(|(a, b)| a <= b);
        let cheapest = |kind: &Kind| {
            let costs =
                kind.types.ones().filter(|&ty| fit(kind, &types[ty])).map(|ty| types[ty].cost);
            costs.min().unwrap_or(0)
        };
        let costs: Vec<f64> =
            kinds.iter().map(cheapest).filter(|&cost| cost > 0).map(real_cost).collect();
        let number = f64::from(u32::try_from(costs.len()).unwrap_or(u32::MAX));
        let unit = if costs.is_empty() { 1.0 } else { costs.iter().sum::<f64>() / number };
        Self::with_unit(kinds, types, classes, room, unit)
    }

    fn with_unit(
        kinds: Vec<Kind>,
        types: Vec<Type>,
        classes: Vec<u32>,
        room: u32,
        unit: f64,
    ) -> Self {
        let prices = types.iter().map(|ty| real_cost(ty.cost) / unit + FEE).collect();
        let holds = (0..types.len()).map(|ty| held(&kinds, &classes, &types[ty], ty)).collect();
        let mut by_cost: Vec<usize> = (0..types.len()).collect();
        by_cost.sort_by_key(|&ty| (types[ty].cost, ty));
        Self { kinds, types, classes, room, prices, holds, by_cost, unit }
    }

    pub(super) fn items(&self) -> u64 {
        self.kinds.iter().map(|kind| u64::from(kind.count)).sum()
    }

    /// The price of bins that cost so much together.
    pub(super) fn price(&self, cost: u64, bins: u64) -> f64 {
        real_cost(cost) / self.unit + FEE * real_cost(bins)
    }

    /// What a missing item costs in linear programs: more than any bin could be worth for it.
    pub(super) fn penalty(&self) -> f64 {
        10.0 * self.prices.iter().copied().fold(1.0, f64::max)
    }

    /// The same types with other counts: `demand` of each kind, `room` of each type, `bins` in all.
    ///
    /// Kinds of which nothing is wanted disappear; the second value tells each new kind's old number.
    pub(super) fn restrict(&self, demand: &[u32], room: &[u32], bins: u32) -> (Self, Vec<usize>) {
        let old: Vec<usize> = (0..demand.len()).filter(|&kind| demand[kind] > 0).collect();
        let kinds = old
            .iter()
            .map(|&kind| Kind { count: demand[kind], ..self.kinds[kind].clone() })
            .collect();
        let types =
            self.types.iter().zip(room).map(|(ty, &room)| Type { room, ..ty.clone() }).collect();
        (Self::with_unit(kinds, types, self.classes.clone(), bins, self.unit), old)
    }

    /// The cheapest type, by `price`, among those open for more that holds a lawful load.
    pub(super) fn cheapest(
        &self,
        load: &[(usize, u32)],
        price: impl Fn(usize) -> Option<f64>,
    ) -> Option<usize> {
        let total = self.total(load);
        let mut best: Option<(f64, usize)> = None;
        for &ty in &self.by_cost {
            // Prices are costs plus surcharges: from here on nothing can be cheaper.
            if best.is_some_and(|(least, _)| self.prices[ty] >= least) {
                break;
            }
            let Some(asked) = price(ty) else { continue };
            if best.is_none_or(|(least, _)| asked < least) && self.within(ty, load, &total) {
                best = Some((asked, ty));
            }
        }
        best.map(|(_, ty)| ty)
    }

    fn total(&self, load: &[(usize, u32)]) -> SmallVec<[i64; 6]> {
        let dims = self.types.first().map_or(0, |ty| ty.capacity.len());
        let mut total: SmallVec<[i64; 6]> = SmallVec::from_elem(0, dims);
        for &(kind, times) in load {
            for (sum, size) in total.iter_mut().zip(&self.kinds[kind].size) {
                *sum = sum.saturating_add(size.saturating_mul(i64::from(times)));
            }
        }
        total
    }

    fn within(&self, ty: usize, load: &[(usize, u32)], total: &[i64]) -> bool {
        total.iter().zip(&self.types[ty].capacity).all(|(total, capacity)| total <= capacity)
            && load.iter().all(|&(kind, _)| self.kinds[kind].types.contains(ty))
    }

    /// Whether the load keeps the exclusion classes, whatever the bin.
    pub(super) fn lawful(&self, load: &[(usize, u32)]) -> bool {
        let mut used: SmallVec<[(usize, u32); 4]> = SmallVec::new();
        for &(kind, times) in load {
            if times > self.kinds[kind].limit {
                return false;
            }
            for &class in &self.kinds[kind].classes {
                match used.iter_mut().find(|(known, _)| *known == class) {
                    Some((_, sum)) => *sum = sum.saturating_add(times),
                    None => used.push((class, times)),
                }
            }
        }
        used.iter().all(|&(class, sum)| sum <= self.classes[class])
    }

    /// For each kind a bin full of it alone, in the type where that is cheapest per item.
    pub(super) fn uniform(&self) -> Vec<Pattern> {
        let mut best: Vec<Option<(f64, Pattern)>> = vec![None; self.kinds.len()];
        for (ty, held) in self.holds.iter().enumerate() {
            for &(kind, most) in held {
                let each = self.prices[ty] / f64::from(most);
                if best[kind].as_ref().is_none_or(|(least, _)| each < *least) {
                    best[kind] = Some((each, Pattern { ty, load: vec![(kind, most)] }));
                }
            }
        }
        best.into_iter().flatten().map(|(_, pattern)| pattern).collect()
    }

    /// How many whole bins' worth of a type one item takes, by its scarcest resource.
    pub(super) fn share(&self, kind: usize, ty: usize) -> f64 {
        let kind = &self.kinds[kind];
        let by_size = kind
            .size
            .iter()
            .zip(&self.types[ty].capacity)
            .filter(|&(&size, _)| size > 0)
            .map(|(&size, &capacity)| real(size) / real(capacity));
        let by_class = kind.classes.iter().map(|&class| 1.0 / f64::from(self.classes[class]));
        let by_limit = (1.0 / f64::from(kind.limit)).max(1e-9);
        by_size.chain(by_class).fold(by_limit, f64::max)
    }
}

/// The kinds that a type can hold, each with the most that fit alone.
fn held(kinds: &[Kind], classes: &[u32], bin: &Type, ty: usize) -> Vec<(usize, u32)> {
    if bin.room == 0 {
        return Vec::new();
    }
    let most = |kind: &Kind| {
        let by_class = kind.classes.iter().map(|&class| classes[class]).min().unwrap_or(u32::MAX);
        kind.size.iter().zip(&bin.capacity).fold(
            kind.count.min(kind.limit).min(by_class),
            |most, (&size, &capacity)| match size {
                _ if size > capacity => 0,
                0 => most,
                _ => most.min(count(capacity / size)),
            },
        )
    };
    kinds
        .iter()
        .enumerate()
        .filter(|(_, kind)| kind.types.contains(ty))
        .map(|(index, kind)| (index, most(kind)))
        .filter(|&(_, most)| most > 0)
        .collect()
}
