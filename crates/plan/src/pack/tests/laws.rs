//! Laws that hold for any problem.

use fixedbitset::FixedBitSet;
use proptest::prelude::*;

use super::{Bin, Class, Effort, Item, Problem, checked};
use crate::pack::{greedy, meter::Meter, pack, reduce};

fn items(types: usize) -> impl Strategy<Value = Item> {
    let size = prop::collection::vec(0_i64..40, 3);
    let bins = prop::collection::vec(prop::bool::weighted(0.8), types);
    let exclusive = prop::collection::vec(0_u32..3, 0..2);
    (1_u32..30, size, bins, exclusive).prop_map(|(count, size, allowed, exclusive)| {
        let mut bins = FixedBitSet::with_capacity(allowed.len());
        bins.extend(
            allowed.iter().enumerate().filter(|(_, allowed)| **allowed).map(|(bin, _)| bin),
        );
        Item { count, size, bins, exclusive }
    })
}

fn bins(max: std::ops::Range<u32>) -> impl Strategy<Value = Bin> {
    (0_u64..100, max, prop::collection::vec(10_i64..100, 3)).prop_map(|(cost, max, capacity)| Bin {
        cost,
        capacity,
        max,
    })
}

fn problems(
    max: std::ops::Range<u32>,
    total: std::ops::Range<u32>,
) -> impl Strategy<Value = Problem> {
    let bins = prop::collection::vec(bins(max), 1..6);
    (bins, prop::collection::vec(1_u32..4, 3), prop::option::of(total)).prop_flat_map(
        |(bins, classes, max_bins_total)| {
            prop::collection::vec(items(bins.len()), 1..12).prop_map(move |items| Problem {
                items,
                bins: bins.clone(),
                classes: classes.iter().map(|&per_bin| Class { per_bin }).collect(),
                max_bins_total,
                effort: Effort { steps: 3_000_000 },
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_packing_is_a_packing(problem in problems(500..501, 1000..1001)) {
        checked(&problem);
    }

    #[test]
    fn limits_hold_and_leave_no_room_unused(problem in problems(0..6, 0..20)) {
        checked(&problem);
    }

    #[test]
    fn the_same_problem_has_the_same_answer(problem in problems(0..60, 5..60)) {
        prop_assert_eq!(pack(&problem), pack(&problem));
    }

    #[test]
    fn a_packing_is_never_dearer_than_the_greedy_one(problem in problems(500..501, 1000..1001)) {
        let model = reduce::reduce(&problem).model;
        let greedy = greedy::greedy(&model, &mut Meter::new(u64::MAX)).score(&model);
        prop_assert!(pack(&problem).cost <= greedy.cost);
    }

    #[test]
    fn another_type_to_choose_from_never_hurts(
        problem in problems(500..501, 1000..1001),
        extra in bins(500..501),
    ) {
        let model = reduce::reduce(&problem).model;
        let greedy = greedy::greedy(&model, &mut Meter::new(u64::MAX)).score(&model);
        let items = problem.items.iter().map(|item| u64::from(item.count)).sum();
        let mut wider = problem;
        for item in &mut wider.items {
            item.bins.grow(wider.bins.len() + 1);
            item.bins.insert(wider.bins.len());
        }
        wider.bins.push(extra);
        let wider = checked(&wider);
        // Unless the other type gives a place to what had none.
        prop_assert!(wider.cost <= greedy.cost || model.items() < items || greedy.unplaced > 0);
    }
}
