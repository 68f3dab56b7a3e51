//! Nodes that cheaper ones could replace.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_dear_node_with_little_on_it_is_replaced_and_the_new_one_comes_first() {
    check(
        "
        flags consolidation=cost
        group dear  0..10 16cpu 64Gi $1.60
        group cheap 0..10 4cpu 16Gi  $0.20
        node a-0 of dear
        pods web*3 1cpu 2Gi on=a-0 owner=rs
        ",
        expect![[r#"
            buy     cheap 0 → 1 for nobody
            keep    a-0: NoPlaceToMovePods
            cost    $1.60 → $1.80
        "#]],
    );
}

#[test]
fn one_large_node_may_become_two_small_ones() {
    check(
        "
        flags consolidation=cost
        group large 0..10 16cpu 64Gi $1.60
        group small 0..10 4cpu 16Gi  $0.20
        node a-0 of large
        pods web*6 1cpu 2Gi on=a-0 owner=rs
        ",
        expect![[r#"
            buy     small 0 → 2 for nobody
            keep    a-0: NoPlaceToMovePods
            cost    $1.60 → $2.00
        "#]],
    );
}

#[test]
fn what_saves_too_little_is_left_alone() {
    check(
        "
        flags consolidation=cost
        group dear  0..10 4cpu 16Gi $0.204
        group cheap 0..10 4cpu 16Gi $0.200
        node a-0 of dear
        pods web*3 1cpu 2Gi on=a-0 owner=rs
        ",
        expect![[r#"
            keep    a-0: NoPlaceToMovePods
        "#]],
    );
}

#[test]
fn nothing_is_replaced_unless_asked_for() {
    check(
        "
        group dear  0..10 16cpu 64Gi $1.60
        group cheap 0..10 4cpu 16Gi  $0.20
        node a-0 of dear
        pods web*3 1cpu 2Gi on=a-0 owner=rs
        ",
        expect![[r#"
            keep    a-0: NoPlaceToMovePods
        "#]],
    );
}

#[test]
fn a_pod_that_must_not_be_evicted_keeps_its_dear_node() {
    check(
        "
        flags consolidation=cost
        group dear  0..10 16cpu 64Gi $1.60
        group cheap 0..10 4cpu 16Gi  $0.20
        node a-0 of dear
        pods lonely 1cpu 2Gi on=a-0
        ",
        expect![[r#"
            keep    a-0: BlockedByPod lonely, NotReplicated
        "#]],
    );
}

#[test]
fn nothing_is_replaced_right_after_a_purchase() {
    check(
        "
        flags consolidation=cost
        group dear  0..10 16cpu 64Gi $1.60
        group cheap 0..10 4cpu 16Gi  $0.20
        node a-0 of dear
        pods web*3 1cpu 2Gi on=a-0 owner=rs
        memory bought at=5m
        ",
        expect![[r#"
            keep    a-0: NoPlaceToMovePods
        "#]],
    );
}
