//! What a packing must be, whatever the problem, and what it should be on problems one can solve by hand.

mod brute;
mod hand;
mod laws;

use fixedbitset::FixedBitSet;
use plimsoll_model::SignedDuration;

use super::{Bin, Class, Effort, Item, Packing, Problem, pack};

/// A problem without items; every test adds its own.
fn problem(bins: &[(u64, u32, &[i64])]) -> Problem {
    let bin = |&(cost, max, capacity): &(u64, u32, &[i64])| Bin {
        cost,
        max,
        capacity: capacity.to_vec(),
    };
    Problem {
        items: Vec::new(),
        bins: bins.iter().map(bin).collect(),
        classes: Vec::new(),
        max_bins_total: None,
        effort: Effort { steps: 20_000_000 },
    }
}

impl Problem {
    /// Adds items that may go anywhere.
    fn item(mut self, count: u32, size: &[i64]) -> Self {
        let mut bins = FixedBitSet::with_capacity(self.bins.len());
        bins.insert_range(..);
        self.items.push(Item { count, size: size.to_vec(), bins, exclusive: Vec::new() });
        self
    }

    /// Restricts the last item to some bins.
    fn only(mut self, bins: &[usize]) -> Self {
        let item = self.items.last_mut().unwrap();
        item.bins.clear();
        item.bins.extend(bins.iter().copied());
        self
    }

    /// Puts the last item into a class.
    fn exclusive(mut self, class: u32) -> Self {
        self.items.last_mut().unwrap().exclusive.push(class);
        self
    }

    fn class(mut self, per_bin: u32) -> Self {
        self.classes.push(Class { per_bin });
        self
    }

    fn at_most(mut self, bins: u32) -> Self {
        self.max_bins_total = Some(bins);
        self
    }
}

/// Whether one bin of a type may hold these contents.
fn holds(problem: &Problem, bin: usize, contents: &[(usize, u32)]) -> bool {
    let capacity = &problem.bins[bin].capacity;
    let within = (0..capacity.len()).all(|dim| {
        let used: i64 = contents
            .iter()
            .map(|&(item, count)| problem.items[item].size[dim] * i64::from(count))
            .sum();
        used <= capacity[dim]
    });
    let allowed = contents.iter().all(|&(item, _)| problem.items[item].bins.contains(bin));
    let lawful = problem.classes.iter().enumerate().all(|(class, Class { per_bin })| {
        let class = u32::try_from(class).unwrap();
        let members =
            contents.iter().filter(|(item, _)| problem.items[*item].exclusive.contains(&class));
        members.map(|(_, count)| count).sum::<u32>() <= *per_bin
    });
    within && allowed && lawful
}

/// Packs, and checks everything that must hold of any packing.
fn checked(problem: &Problem) -> Packing {
    let packing = pack(problem);
    let mut left: Vec<u32> = problem.items.iter().map(|item| item.count).collect();
    let mut opened = vec![0_u32; problem.bins.len()];
    let mut cost = 0;
    for bin in &packing.bins {
        assert!(bin.times > 0 && !bin.contents.is_empty(), "an empty bin: {bin:?}");
        assert!(bin.contents.is_sorted_by(|a, b| a.0 < b.0), "contents out of order: {bin:?}");
        assert!(holds(problem, bin.bin, &bin.contents), "overfull: {bin:?}");
        opened[bin.bin] += bin.times;
        cost += problem.bins[bin.bin].cost * u64::from(bin.times);
        for &(item, count) in &bin.contents {
            left[item] -= count * bin.times;
        }
    }
    assert_eq!(packing.cost, cost);
    assert!(packing.lower_bound <= cost);
    let unplaced: Vec<(usize, u32)> =
        left.into_iter().enumerate().filter(|(_, left)| *left > 0).collect();
    assert_eq!(packing.unplaced, unplaced, "items lost or found");
    for (bin, opened) in problem.bins.iter().zip(&opened) {
        assert!(*opened <= bin.max, "too many of one type");
    }
    let all: u32 = opened.iter().sum();
    assert!(problem.max_bins_total.is_none_or(|most| all <= most), "too many bins");
    for &(item, _) in &packing.unplaced {
        nowhere(problem, &packing, item, &opened, all);
    }
    packing
}

/// Checks that an unplaced item has no place: neither in an open bin nor in one that could still be opened.
fn nowhere(problem: &Problem, packing: &Packing, item: usize, opened: &[u32], all: u32) {
    for bin in &packing.bins {
        let mut contents = bin.contents.clone();
        match contents.iter_mut().find(|(known, _)| *known == item) {
            Some((_, count)) => *count += 1,
            None => contents.push((item, 1)),
        }
        assert!(!holds(problem, bin.bin, &contents), "item {item} has room in {bin:?}");
    }
    if problem.max_bins_total.is_none_or(|most| all < most) {
        for (bin, ty) in problem.bins.iter().enumerate() {
            let fits = opened[bin] < ty.max && holds(problem, bin, &[(item, 1)]);
            assert!(!fits, "item {item} has room in a new bin of type {bin}");
        }
    }
}

#[test]
fn time_is_counted_in_steps() {
    let steps = |time| Effort::within(time).steps;
    assert_eq!(steps(SignedDuration::from_secs(1)), Effort::default().steps);
    assert_eq!(steps(SignedDuration::from_nanos(4)), 0);
    assert_eq!(steps(SignedDuration::from_mins(-1)), 0);
    assert_eq!(steps(SignedDuration::MAX), u64::MAX);
    assert_eq!(Effort { steps: 7 }.times(3).less(1), Effort { steps: 20 });
    assert_eq!(Effort::BOUNDLESS.times(2), Effort::BOUNDLESS);
}
