//! Maximums of groups, and what a pass may buy.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_group_grows_to_its_maximum() {
    check(
        "
        group only 0..2 4cpu 16Gi $0.20
        pods web*12 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for web-0 … web-7
            wait    web-8 … web-11: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_full_group_says_so() {
    check(
        "
        group only 1..1 4cpu 16Gi $0.20
        node a-0 of only
        pods old 3cpu 1Gi on=a-0 owner=rs
        pods web*2 2cpu 1Gi
        ",
        expect![[r#"
            wait    web-0, web-1: AwaitsNextPass (only: MaxSizeReached)
            keep    a-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn the_next_group_takes_over_where_the_maximum_ends() {
    check(
        "
        group cheap 0..1 4cpu 16Gi $0.20
        group dear  0..1 4cpu 16Gi $0.50
        pods web*12 1cpu 1Gi
        ",
        expect![[r#"
            buy     cheap 0 → 1 for web-0 … web-3
            buy     dear 0 → 1 for web-4 … web-7
            wait    web-8 … web-11: AwaitsNextPass (cheap: MaxSizeReached, dear: MaxSizeReached)
            cost    $0.00 → $0.70
        "#]],
    );
}

#[test]
fn a_pass_buys_no_more_than_it_may() {
    check(
        "
        flags max-nodes-per-scaleup=2
        group only 0..10 4cpu 16Gi $0.20
        pods web*12 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for web-0 … web-7
            wait    web-8 … web-11: AwaitsNextPass (only: ScaleUpLimitReached by max-nodes-per-scaleup)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn the_bound_of_a_pass_is_for_each_group() {
    check(
        "
        flags max-nodes-per-scaleup=2
        group cheap 0..10 4cpu 16Gi $0.20
        group dear  0..10 4cpu 16Gi $0.50
        pods web*20 1cpu 1Gi
        ",
        expect![[r#"
            buy     cheap 0 → 2 for web-0 … web-3, web-8 … web-11
            buy     dear 0 → 2 for web-4 … web-7, web-12 … web-15
            wait    web-16 … web-19: AwaitsNextPass (cheap: ScaleUpLimitReached by max-nodes-per-scaleup, dear: ScaleUpLimitReached by max-nodes-per-scaleup)
            cost    $0.00 → $1.40
        "#]],
    );
}

#[test]
fn the_oldest_are_served_first() {
    check(
        "
        group only 0..1 1cpu 4Gi $0.20
        pods new 1cpu 1Gi app=web age=1m
        pods old 1cpu 1Gi app=web age=3h
        pods mid 1cpu 1Gi app=web age=1h
        ",
        expect![[r#"
            buy     only 0 → 1 for old
            wait    mid, new: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn min_and_max_of_one_group_may_be_the_same() {
    check(
        "
        group only 2..2 4cpu 16Gi $0.20
        pods web*9 1cpu 1Gi
        ",
        expect![[r#"
            repair  raise only 0 → 2
            fits    web-0 … web-3 on only#upcoming-1
            fits    web-4 … web-7 on only#upcoming-2
            wait    web-8: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.40
        "#]],
    );
}
