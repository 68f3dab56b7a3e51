//! Problems one can solve by hand.

use super::{Packing, checked, problem};

#[test]
fn nothing_to_pack_needs_no_bins() {
    let packing = checked(&problem(&[(5, 10, &[10])]));
    assert_eq!(
        packing,
        Packing { bins: vec![], unplaced: vec![], cost: 0, lower_bound: 0, steps: packing.steps }
    );
}

#[test]
fn one_large_bin_beats_two_small_ones_when_cheaper() {
    let packing = checked(&problem(&[(6, 9, &[10]), (10, 9, &[20])]).item(4, &[5]));
    assert_eq!((packing.cost, packing.opened()), (10, 1));
}

#[test]
fn the_last_bin_is_no_larger_than_its_contents() {
    let packing = checked(&problem(&[(10, 9, &[10]), (2, 9, &[2])]).item(1, &[10]).item(1, &[2]));
    assert_eq!(packing.cost, 12);
}

#[test]
fn items_that_complement_each_other_share_bins() {
    // Neither kind alone fills a bin well: three of each in one bin do.
    let packing = checked(&problem(&[(7, 99, &[12, 12])]).item(30, &[3, 1]).item(30, &[1, 3]));
    assert_eq!((packing.cost, packing.lower_bound), (70, 70));
}

#[test]
fn what_fits_nowhere_is_unplaced_and_the_rest_is_packed() {
    let packing = checked(&problem(&[(1, 9, &[4, 4])]).item(2, &[5, 1]).item(4, &[2, 2]));
    assert_eq!((packing.unplaced, packing.cost), (vec![(0, 2)], 2));
}

#[test]
fn anti_affinity_gives_each_item_its_own_bin() {
    let packing = checked(&problem(&[(1, 99, &[10])]).class(1).item(7, &[1]).exclusive(0));
    assert_eq!(packing.opened(), 7);
}

#[test]
fn a_class_binds_different_items_together() {
    let packing = checked(
        &problem(&[(1, 99, &[10])]).class(2).item(3, &[1]).exclusive(0).item(3, &[2]).exclusive(0),
    );
    assert_eq!(packing.opened(), 3);
}

#[test]
fn items_keep_to_their_bins() {
    let packing = checked(&problem(&[(1, 99, &[10]), (9, 99, &[10])]).item(1, &[1]).only(&[1]));
    assert_eq!(packing.cost, 9);
}

#[test]
fn a_cheap_type_that_runs_out_is_followed_by_the_next() {
    let packing = checked(&problem(&[(1, 2, &[10]), (3, 99, &[10])]).item(5, &[10]));
    assert_eq!(packing.cost, 2 + 3 * 3);
}

#[test]
fn when_bins_are_few_as_many_items_as_possible_are_placed() {
    let packing = checked(&problem(&[(1, 99, &[10])]).item(1, &[10]).item(4, &[5]).at_most(2));
    assert_eq!(packing.unplaced, vec![(0, 1)]);
}

#[test]
fn when_bins_are_few_larger_ones_are_worth_their_price() {
    let packing = checked(&problem(&[(1, 99, &[10]), (100, 99, &[20])]).item(4, &[10]).at_most(2));
    assert_eq!((packing.unplaced, packing.cost), (vec![], 200));
}

#[test]
fn zones_with_the_same_machines_are_used_up_in_order() {
    let packing = checked(&problem(&[(1, 1, &[10]), (1, 1, &[10]), (1, 5, &[10])]).item(4, &[10]));
    let bins: Vec<(usize, u32)> = packing.bins.iter().map(|bin| (bin.bin, bin.times)).collect();
    assert_eq!(bins, vec![(0, 1), (1, 1), (2, 2)]);
}

#[test]
fn alike_items_of_different_owners_are_told_apart_again() {
    let packing = checked(&problem(&[(1, 99, &[10])]).item(3, &[5]).item(3, &[5]));
    assert_eq!(packing.opened(), 3);
}

#[test]
fn free_bins_are_used_but_no_more_than_needed() {
    let packing = checked(&problem(&[(0, 9, &[10]), (1, 9, &[100])]).item(30, &[1]));
    assert_eq!((packing.cost, packing.opened()), (0, 3));
}

#[test]
fn items_without_size_need_a_bin_all_the_same() {
    let packing = checked(&problem(&[(4, 9, &[10])]).item(1000, &[0]));
    assert_eq!((packing.cost, packing.opened()), (4, 1));
}

#[test]
fn a_million_alike_items_are_as_easy_as_one() {
    let packing = checked(&problem(&[(3, u32::MAX, &[7])]).item(1_000_000, &[2]));
    assert_eq!(packing.cost, 1_000_002);
    assert!(packing.steps < 100_000);
}

#[test]
fn no_effort_at_all_still_gives_a_packing() {
    let mut problem = problem(&[(7, 99, &[12, 12])]).item(30, &[3, 1]).item(30, &[1, 3]);
    problem.effort.steps = 0;
    assert_eq!(checked(&problem).unplaced, vec![]);
}

#[test]
fn a_thousand_bins_of_their_own_kind_do_not_overwhelm() {
    // Machines that exist already: one of each, free of charge, all different.
    let capacities: Vec<Vec<i64>> =
        (0..1000).map(|machine| vec![10 + machine % 37, 20 + machine % 11]).collect();
    let mut bins: Vec<(u64, u32, &[i64])> =
        capacities.iter().map(|capacity| (0, 1, capacity.as_slice())).collect();
    bins.push((1_000_000, 99, &[100, 100]));
    let mut problem = problem(&bins);
    for kind in 0..30 {
        problem = problem.item(200, &[1 + kind % 7, 1 + kind % 5]);
    }
    let packing = checked(&problem);
    assert!(packing.unplaced.is_empty() && packing.cost <= 40_000_000, "{}", packing.cost);
}

#[test]
fn items_all_of_different_sizes_are_packed_in_outline() {
    let mut problem = problem(&[(16, 99, &[64, 90]), (9, 99, &[32, 45])]).class(1).class(3);
    for kind in 0..400_i64 {
        problem = problem.item(1, &[3 + kind % 23, 2 + kind % 31]);
        if kind % 9 == 0 {
            problem = problem.exclusive(u32::from(kind % 2 == 0));
        }
    }
    let packing = checked(&problem);
    assert!(packing.unplaced.is_empty());
    let (cost, bound) = (packing.cost, packing.lower_bound);
    assert!(cost * 100 <= bound * 106, "{cost} is far from {bound}");
}
