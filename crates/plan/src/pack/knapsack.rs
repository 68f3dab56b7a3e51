//! The most valuable load of one bin: depth-first branch and bound over items in order of value per weight.
//!
//! The weight of an item is its size priced by the surrogate multipliers of the type, so a single number tells how
//! much value can still come in whatever room is left; whether a load really fits is checked per dimension. The
//! search starts from what the linear relaxation takes and works outwards, so that its first leaves are good ones.

mod near;

use super::{
    meter::Meter,
    model::{Load, Model},
    number::{count, real, whole},
    surrogate::Surrogate,
};

/// A candidate for the bin.
#[derive(Debug)]
struct Entry {
    kind: usize,
    most: u32,
    value: f64,
    weight: f64,
    /// How many the linear relaxation takes.
    sliced: f64,
}

impl Entry {
    /// Value per weight; what has no weight comes first.
    fn ratio(&self) -> f64 {
        if self.weight > 0.0 { self.value / self.weight } else { f64::INFINITY }
    }
}

/// The search for the loads of one type of bin.
#[derive(Debug)]
pub(super) struct Search<'m> {
    model: &'m Model,
    entries: Vec<Entry>,
    dims: usize,
    /// Sizes of the entries, `dims` each.
    sizes: Vec<i64>,
    /// Value per unit of size of the entries, `dims` each.
    ratios: Vec<f64>,
    left: Vec<i64>,
    classes: Vec<u32>,
    /// Entries that still fit, one run per level of the search.
    fitting: Vec<usize>,
    chosen: Vec<(usize, u32)>,
    /// Weight of a whole bin.
    room: f64,
    /// Loads must be worth more than this.
    best: f64,
    found: Vec<(Load, f64)>,
    /// Whether to start from what the relaxation takes, or from as much as fits.
    guided: bool,
    steps: usize,
    limit: usize,
}

impl<'m> Search<'m> {
    /// Prepares for loads of `ty`, items being worth `values`.
    pub(super) fn new(
        model: &'m Model,
        ty: usize,
        values: &[f64],
        surrogate: &Surrogate,
        rates: &[f64],
    ) -> Self {
        let room = surrogate.whole(ty, rates);
        let held = model.holds[ty].iter().enumerate();
        let mut entries: Vec<Entry> = held
            .filter(|&(_, &(kind, _))| values[kind] > 1e-9)
            .map(|(at, &(kind, most))| Entry {
                kind,
                most,
                value: values[kind],
                weight: surrogate.weight(kind, rates),
                sliced: surrogate.sliced(ty, at, most),
            })
            .collect();
        entries.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()).then(a.kind.cmp(&b.kind)));
        let sizes: Vec<i64> =
            entries.iter().flat_map(|entry| model.kinds[entry.kind].size.iter().copied()).collect();
        let dims = model.types[ty].capacity.len();
        let ratio = |(at, &size): (usize, &i64)| match size {
            0 => f64::INFINITY,
            _ => entries[at / dims].value / real(size),
        };
        Self {
            model,
            dims,
            ratios: sizes.iter().enumerate().map(ratio).collect(),
            sizes,
            left: model.types[ty].capacity.to_vec(),
            classes: model.classes.clone(),
            fitting: Vec::new(),
            chosen: Vec::new(),
            // A little more than all, so that rounding never makes a full bin look overfull.
            room: room * (1.0 + 1e-9) + 1e-9,
            best: 0.0,
            found: Vec::new(),
            guided: true,
            steps: entries.len() * 4,
            limit: 0,
            entries,
        }
    }

    /// Loads worth more than `floor`, the best last, and whether nothing better exists; takes at most about `limit`
    /// steps.
    pub(super) fn best(
        &mut self,
        floor: f64,
        limit: usize,
        meter: &mut Meter,
    ) -> (Vec<(Load, f64)>, bool) {
        self.guided = true;
        self.run(0.0, self.room, floor, limit, meter)
    }

    fn run(
        &mut self,
        value: f64,
        room: f64,
        floor: f64,
        limit: usize,
        meter: &mut Meter,
    ) -> (Vec<(Load, f64)>, bool) {
        self.best = floor;
        self.limit = limit;
        self.fitting.clear();
        if value + self.extend(0..self.entries.len(), room) > floor {
            self.descend(0..self.fitting.len(), value, room);
        }
        let exact = self.steps <= limit;
        meter.charge(self.steps * 2);
        self.steps = 0;
        (std::mem::take(&mut self.found), exact)
    }

    fn load(&self) -> Load {
        let mut load: Load = Vec::with_capacity(self.chosen.len());
        for &(at, times) in &self.chosen {
            let kind = self.entries[at].kind;
            match load.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, sum)) => *sum += times,
                None => load.push((kind, times)),
            }
        }
        load.sort_unstable();
        load
    }

    /// Extends the chosen load by the `candidates`; `value` is what it is worth, `room` the weight left.
    fn descend(&mut self, candidates: std::ops::Range<usize>, value: f64, room: f64) {
        if candidates.is_empty() {
            if value > self.best {
                self.best = value;
                self.found.push((self.load(), value));
            }
            return;
        }
        let at = self.fitting[candidates.start];
        let most = self.most(at);
        let Entry { value: each, weight, sliced, .. } = self.entries[at];
        let others = candidates.start + 1..candidates.end;
        let next_ratio = self
            .fitting
            .get(others.clone())
            .and_then(|rest| rest.first())
            .map_or(0.0, |&next| self.entries[next].ratio());
        // Outwards from what the relaxation takes: its neighbours are the likeliest to complete to a full bin.
        let middle = if self.guided { whole(sliced + 1e-6).min(most) } else { most };
        let (mut up, mut down) = (middle, middle.checked_sub(1));
        while up <= most || down.is_some() {
            let times = match down {
                Some(fewer) if up > most || middle - fewer <= up - middle => {
                    down = fewer.checked_sub(1);
                    fewer
                }
                _ => {
                    up += 1;
                    up - 1
                }
            };
            if self.steps > self.limit {
                return;
            }
            let value = value + each * f64::from(times);
            let room = room - weight * f64::from(times);
            // The entry has the best ratio of those left: were the room filled at the next best ratio and still
            // not worth it, taking fewer would be worth even less.
            if next_ratio.is_finite() && value + room * next_ratio <= self.best {
                down = down.filter(|&fewer| fewer > times);
                continue;
            }
            self.put(at, i64::from(times));
            let start = self.fitting.len();
            let hope = self.extend(others.clone(), room);
            if value + hope > self.best + 1e-9 {
                if times > 0 {
                    self.chosen.push((at, times));
                }
                self.descend(start..self.fitting.len(), value, room);
                if times > 0 {
                    self.chosen.pop();
                }
            }
            self.fitting.truncate(start);
            self.put(at, -i64::from(times));
        }
    }

    /// Appends those of the candidates that still fit; returns the most value they could add within this weight.
    fn extend(&mut self, candidates: std::ops::Range<usize>, mut room: f64) -> f64 {
        // At the root nothing is sorted out yet and places are entries.
        let root = self.fitting.is_empty();
        self.steps += candidates.len() + 4;
        let mut by_weight = 0.0;
        let mut by_size = [0.0_f64; 8];
        for place in candidates {
            let at = if root { place } else { self.fitting[place] };
            let range = at * self.dims..(at + 1) * self.dims;
            let sizes = &self.sizes[range.clone()];
            if !sizes.iter().zip(&self.left).all(|(size, left)| size <= left) {
                continue;
            }
            if self.entries[at].most == 0 || self.barred(at) {
                continue;
            }
            self.fitting.push(at);
            for (best, &ratio) in by_size.iter_mut().zip(&self.ratios[range]) {
                *best = best.max(ratio);
            }
            let Entry { value, weight, most, .. } = self.entries[at];
            let most = f64::from(most);
            let taken = if weight * most <= room.max(0.0) { most } else { room.max(0.0) / weight };
            by_weight += value * taken;
            room -= weight * taken;
        }
        let by_size = by_size.iter().zip(&self.left).map(|(ratio, &left)| ratio * real(left));
        by_size.filter(|hope| !hope.is_nan()).fold(by_weight, f64::min)
    }

    /// Whether a class is full.
    fn barred(&self, at: usize) -> bool {
        let classes = &self.model.kinds[self.entries[at].kind].classes;
        classes.iter().any(|&class| self.classes[class] == 0)
    }

    /// How many of an entry fit in what is left.
    fn most(&self, at: usize) -> u32 {
        let sizes = &self.sizes[at * self.dims..(at + 1) * self.dims];
        let mut most = self.entries[at].most;
        for (&size, &left) in sizes.iter().zip(&self.left) {
            if size.saturating_mul(i64::from(most)) > left {
                most = count(left / size);
            }
        }
        let classes = &self.model.kinds[self.entries[at].kind].classes;
        classes.iter().fold(most, |most, &class| most.min(self.classes[class]))
    }

    /// Puts some of an entry into the bin, or takes them out again.
    fn put(&mut self, at: usize, times: i64) {
        let sizes = &self.sizes[at * self.dims..(at + 1) * self.dims];
        for (left, size) in self.left.iter_mut().zip(sizes) {
            *left -= size * times;
        }
        for &class in &self.model.kinds[self.entries[at].kind].classes {
            self.classes[class] = count(i64::from(self.classes[class]) - times);
        }
    }
}
