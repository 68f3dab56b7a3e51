use proptest::prelude::*;
use serde_json::{Value, json};

use super::{keep_minimum, room};
use crate::stackpoint::{
    config::Bounds,
    reconcile::{Books, reconcile},
    wire::{Pool, Record},
};

/// Groups by minimum, maximum and how many machines each has.
fn books(groups: &[(u32, u32, u32)]) -> Books {
    let mut nodes = Vec::new();
    let mut pools = Vec::new();
    for (pk, (min, max, has)) in (1..).zip(groups) {
        pools.push(json!({"pk": pk, "instance_id": format!("p{pk}"), "autoscaled": true, "min_count": min, "max_count": max}));
        for place in 0..*has {
            let id = format!("m-{pk}-{place}");
            nodes.push(json!({"pk": nodes.len(), "pool": pk, "instance_id": id, "role": "worker", "state": "running"}));
        }
    }
    let pools: Vec<Pool> = serde_json::from_value(Value::Array(pools)).unwrap();
    let records: Vec<Record> = serde_json::from_value(Value::Array(nodes)).unwrap();
    reconcile(1, pools, &records.into()).unwrap()
}

fn minimums(min: u32, groups: &[(u32, u32, u32)]) -> Vec<u32> {
    let mut books = books(groups);
    keep_minimum(Bounds { min, max: None }, &mut books);
    books.groups.iter().map(|shelf| shelf.min).collect()
}

#[test]
fn a_common_minimum_is_kept_by_the_groups() {
    assert_eq!(minimums(0, &[(1, 5, 3), (0, 5, 2)]), [1, 0], "there is none");
    assert_eq!(minimums(7, &[(0, 5, 2), (0, 9, 1)]), [5, 2], "missing ones are asked in order");
    assert_eq!(minimums(99, &[(0, 5, 2), (0, 9, 1)]), [5, 9], "no maximum is passed");
    assert_eq!(minimums(5, &[(0, 9, 4), (0, 9, 1)]), [4, 1], "none may go");
    assert_eq!(minimums(4, &[(0, 9, 4), (0, 9, 1)]), [4, 0], "one may go");
    assert_eq!(minimums(1, &[(0, 20, 10), (0, 9, 2)]), [1, 0], "who has little gives all");
    assert_eq!(minimums(3, &[(3, 20, 10), (0, 9, 2)]), [3, 0], "minimums of its own suffice");
}

#[test]
fn a_common_maximum_leaves_room() {
    let books = books(&[(0, 9, 2), (0, 9, 3)]);
    let room = |max| room(Bounds { min: 0, max }, &books);
    assert_eq!((room(None), room(Some(7)), room(Some(4))), (None, Some(2), Some(0)));
}

proptest! {
    /// Whatever the groups give up down to their minimums, the common minimum is left, unless the maximums forbid it.
    #[test]
    fn the_minimum_holds_together(
        min in 0..40_u32,
        groups in prop::collection::vec((0..5_u32, 5..15_u32, 0..15_u32), 1..5),
    ) {
        let kept = minimums(min, &groups);
        let sum: u32 = kept.iter().sum();
        let most: u32 = groups.iter().map(|(_, max, _)| *max).sum();
        prop_assert!(sum >= min.min(most), "{kept:?} of {groups:?} for {min}");
        for ((low, max, _), kept) in groups.iter().zip(kept) {
            prop_assert!(kept >= *low && kept <= *max);
        }
    }
}
