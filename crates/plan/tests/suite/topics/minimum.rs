//! Groups are raised to their minimum.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_group_below_its_minimum_is_raised() {
    check(
        "
        group only 2..10 4cpu 16Gi $0.20
        ",
        expect![[r#"
            repair  raise only 0 → 2
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn what_the_minimum_brings_takes_pods() {
    check(
        "
        group dear  2..10 4cpu 16Gi $0.50
        group cheap 0..10 4cpu 16Gi $0.20
        pods web*6 1cpu 1Gi
        ",
        expect![[r#"
            repair  raise dear 0 → 2
            fits    web-0 … web-3 on dear#upcoming-1
            fits    web-4, web-5 on dear#upcoming-2
            cost    $0.00 → $1.00
        "#]],
    );
}

#[test]
fn what_is_on_its_way_counts() {
    check(
        "
        group only 2..10 4cpu 16Gi $0.20 instance i-0 creating
        ",
        expect![[r#"
            repair  raise only 1 → 2
            group   only: healthy, 0 ready and 1 upcoming of 1
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn not_without_the_flag() {
    check(
        "
        flags enforce-node-group-min-size=false
        group only 2..10 4cpu 16Gi $0.20
        ",
        expect![[""]],
    );
}

#[test]
fn not_above_the_limit_of_nodes() {
    check(
        "
        flags max-nodes-total=1
        group only 2..10 4cpu 16Gi $0.20
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            repair  raise only 0 → 1
            fits    web on only#upcoming-1
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn not_while_the_group_rests() {
    check(
        "
        group only 2..10 4cpu 16Gi $0.20
        memory backoff only until=+3m code=STOCKOUT
        ",
        expect![[r#"
            group   only: backing off until 12:03, STOCKOUT, 0 ready and 0 upcoming of 0
        "#]],
    );
}

#[test]
fn nodes_above_the_minimum_alone_are_given_back() {
    check(
        "
        group only 1..10 4cpu 16Gi $0.20
        node a-0 of only
        node a-1 of only
        memory unneeded a-0 since=15m
        memory unneeded a-1 since=15m
        ",
        expect![[r#"
            give    a-0 of only: empty
            keep    a-1: NodeGroupMinSizeReached, idle since 11:45
            cost    $0.40 → $0.20
        "#]],
    );
}

#[test]
fn a_minimum_above_the_pass_bound_is_raised_at_once() {
    check(
        "
        flags max-nodes-per-scaleup=1
        group only 3..10 4cpu 16Gi $0.20
        ",
        expect![[r#"
            repair  raise only 0 → 3
            cost    $0.00 → $0.60
        "#]],
    );
}
