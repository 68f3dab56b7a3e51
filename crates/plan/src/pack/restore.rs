//! Back from kinds and types to the items and bins of the problem.

use super::{
    PackedBin, Packing, Problem,
    meter::Meter,
    model::Pattern,
    plan::{Plan, Score},
    reduce::Reduced,
};

/// Hands out counts of merged things, first comer first.
struct Purse {
    left: Vec<(usize, u32)>,
}

pub(super) fn restore(
    problem: &Problem,
    reduced: &Reduced,
    plan: &Plan,
    bound: u64,
    meter: &Meter,
) -> Packing {
    let purse = |members: &Vec<usize>, count: &dyn Fn(usize) -> u32| Purse {
        left: members.iter().rev().map(|&index| (index, count(index))).collect(),
    };
    let mut items: Vec<Purse> =
        reduced.items.iter().map(|kind| purse(kind, &|item| problem.items[item].count)).collect();
    let mut types: Vec<Purse> =
        reduced.bins.iter().map(|ty| purse(ty, &|bin| problem.bins[bin].max)).collect();

    let mut bins = Vec::new();
    let mut unplaced: Vec<u32> = problem.items.iter().map(|item| item.count).collect();
    for (pattern, times) in &plan.bins {
        let mut left = *times;
        while left > 0 {
            let packed = unfold(pattern, left, &mut items, &mut types);
            for &(item, count) in &packed.contents {
                unplaced[item] -= count * packed.times;
            }
            left -= packed.times;
            bins.push(packed);
        }
    }
    bins.sort();
    bins.dedup_by(|later, earlier| {
        let same = later.bin == earlier.bin && later.contents == earlier.contents;
        if same {
            earlier.times += later.times;
        }
        same
    });

    let Score { cost, .. } = plan.score(&reduced.model);
    Packing {
        bins,
        unplaced: unplaced.into_iter().enumerate().filter(|&(_, count)| count > 0).collect(),
        cost,
        lower_bound: bound,
        steps: meter.used(),
    }
}

/// As many bins of one pattern as the same items and the same bin serve.
fn unfold(pattern: &Pattern, most: u32, items: &mut [Purse], types: &mut [Purse]) -> PackedBin {
    let mut contents: Vec<(usize, u32)> = Vec::new();
    // Several items may have to mix in one bin; then it is a bin of its own.
    let mut mixed = false;
    let mut times = most.min(types[pattern.ty].first());
    for &(kind, count) in &pattern.load {
        let first = items[kind].first();
        mixed |= first < count;
        times = times.min(first / count);
    }
    times = if mixed { 1 } else { times };
    for &(kind, count) in &pattern.load {
        items[kind].take(count * times, |item, taken| contents.push((item, taken / times)));
    }
    contents.sort_unstable();
    let mut bin = 0;
    types[pattern.ty].take(times, |index, _| bin = index);
    PackedBin { bin, contents, times }
}

impl Purse {
    /// What is left of the first.
    fn first(&mut self) -> u32 {
        while self.left.len() > 1 && self.left.last().is_some_and(|&(_, left)| left == 0) {
            self.left.pop();
        }
        self.left.last().map_or(0, |&(_, left)| left)
    }

    fn take(&mut self, mut count: u32, mut each: impl FnMut(usize, u32)) {
        while count > 0 {
            let first = self.first();
            let Some((index, left)) = self.left.last_mut().filter(|_| first > 0) else { return };
            let taken = count.min(first);
            *left -= taken;
            count -= taken;
            each(*index, taken);
        }
    }
}
