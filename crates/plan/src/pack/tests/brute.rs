//! Small problems against a search of all packings.

use super::{Problem, checked, holds, problem};
use crate::pack::chance::Chance;

/// Unplaced items, cost and bins of the best packing there is.
fn brute(problem: &Problem) -> (u64, u64, u64) {
    let all: Vec<usize> = problem
        .items
        .iter()
        .enumerate()
        .flat_map(|(item, kind)| (0..kind.count).map(move |_| item))
        .collect();
    let mut best = (u64::MAX, u64::MAX, u64::MAX);
    place(problem, &all, &mut Vec::new(), 0, &mut best);
    best
}

type Open = Vec<(usize, Vec<(usize, u32)>)>;

fn place(
    problem: &Problem,
    items: &[usize],
    open: &mut Open,
    unplaced: u64,
    best: &mut (u64, u64, u64),
) {
    let cost = open.iter().map(|(bin, _)| problem.bins[*bin].cost).sum();
    let score = (unplaced, cost, u64::try_from(open.len()).unwrap());
    if score >= *best {
        return;
    }
    let Some((&item, rest)) = items.split_first() else {
        *best = score;
        return;
    };
    for at in 0..open.len() {
        let before = open[at].1.clone();
        match open[at].1.iter_mut().find(|(known, _)| *known == item) {
            Some((_, count)) => *count += 1,
            None => open[at].1.push((item, 1)),
        }
        if holds(problem, open[at].0, &open[at].1) {
            place(problem, rest, open, unplaced, best);
        }
        open[at].1 = before;
    }
    for (bin, ty) in problem.bins.iter().enumerate() {
        let used = open.iter().filter(|(other, _)| *other == bin).count();
        let more = u32::try_from(used).unwrap() < ty.max
            && problem
                .max_bins_total
                .is_none_or(|most| open.len() < usize::try_from(most).unwrap());
        if more && holds(problem, bin, &[(item, 1)]) {
            open.push((bin, vec![(item, 1)]));
            place(problem, rest, open, unplaced, best);
            open.pop();
        }
    }
    place(problem, rest, open, unplaced + 1, best);
}

/// A problem of a few items, from a number.
fn small(seed: u64, limited: bool) -> Problem {
    let mut chance = Chance::new(seed);
    let mut pick = |low: u32, high: u32| low + chance.below(high - low + 1);
    let bins: Vec<(u64, u32, Vec<i64>)> = (0..pick(1, 3))
        .map(|_| {
            let max = if limited { pick(0, 3) } else { 99 };
            (u64::from(pick(3, 30)), max, vec![i64::from(pick(5, 20)), i64::from(pick(5, 20))])
        })
        .collect();
    let bins: Vec<(u64, u32, &[i64])> =
        bins.iter().map(|(cost, max, size)| (*cost, *max, size.as_slice())).collect();
    let mut problem = problem(&bins).class(1).class(2);
    for _ in 0..pick(1, 4) {
        problem = problem.item(pick(1, 2), &[i64::from(pick(0, 10)), i64::from(pick(0, 10))]);
        if pick(0, 3) == 0 {
            problem = problem.exclusive(pick(0, 1));
        }
    }
    if limited && pick(0, 1) == 0 {
        problem = problem.at_most(pick(1, 3));
    }
    problem
}

/// How many of the problems are not packed optimally.
fn missed(problems: impl Iterator<Item = Problem>) -> usize {
    problems
        .filter(|problem| {
            let packing = checked(problem);
            let unplaced = packing.unplaced.iter().map(|&(_, count)| u64::from(count)).sum();
            let best = brute(problem);
            let score = (unplaced, packing.cost, packing.opened());
            assert!(score >= best, "brute force missed {score:?}");
            assert!(
                unplaced > best.0 || packing.lower_bound <= best.1,
                "the bound is wrong: {problem:?}"
            );
            score > best
        })
        .count()
}

#[test]
fn small_problems_are_packed_optimally() {
    assert_eq!(missed((0..400).map(|seed| small(seed, false))), 0);
}

#[test]
fn small_problems_with_limits_are_packed_optimally() {
    assert_eq!(missed((0..400).map(|seed| small(seed, true))), 0);
}
