//! Pods that get their places together or not at all.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_gang_is_placed_whole() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20
        pods ring*4 3cpu 1Gi gang=ring
        ",
        expect![[r#"
            buy     only 0 → 4 for ring-0 … ring-3
            cost    $0.00 → $0.80
        "#]],
    );
}

#[test]
fn a_gang_that_does_not_fit_buys_nothing() {
    check(
        "
        group only 0..3 4cpu 16Gi $0.20
        pods ring*4 3cpu 1Gi gang=ring
        ",
        expect![[r#"
            wait    ring-0 … ring-3: AwaitsNextPass (only: MaxSizeReached)
        "#]],
    );
}

#[test]
fn others_are_served_beside_a_gang_that_failed() {
    check(
        "
        group only 0..3 4cpu 16Gi $0.20
        pods ring*4 3cpu 1Gi gang=ring
        pods web*2 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 1 for web-0, web-1
            wait    ring-0 … ring-3: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn one_gang_succeeds_where_another_fails() {
    check(
        "
        group only 0..3 4cpu 16Gi $0.20
        pods small*2 3cpu 1Gi gang=small
        pods large*4 3cpu 1Gi gang=large
        ",
        expect![[r#"
            buy     only 0 → 2 for small-0, small-1
            wait    large-0 … large-3: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.40
        "#]],
    );
}

/// Whichever comes first, it must not keep the room from the other for nothing.
#[test]
fn gangs_that_cannot_both_be_served_do_not_both_wait() {
    check(
        "
        group only 0..8 4cpu 16Gi $0.20
        pods one*6 3cpu 1Gi gang=one
        pods two*6 3cpu 1Gi gang=two
        pods tri*6 3cpu 1Gi gang=tri
        ",
        expect![[r#"
            buy     only 0 → 6 for one-0 … one-5
            wait    tri-0 … tri-5, two-0 … two-5: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $1.20
        "#]],
    );
    check(
        "
        group only 0..8 4cpu 16Gi $0.20
        pods a*9 3cpu 1Gi gang=a
        pods b*9 3cpu 1Gi gang=b
        pods c*5 3cpu 1Gi gang=c
        pods d*3 3cpu 1Gi gang=d
        ",
        expect![[r#"
            buy     only 0 → 8 for c-0 … c-4, d-0 … d-2
            wait    a-0 … a-8, b-0 … b-8: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $1.60
        "#]],
    );
}

#[test]
fn the_more_important_gang_comes_first() {
    check(
        "
        group only 0..3 4cpu 16Gi $0.20
        pods low*3  3cpu 1Gi gang=low
        pods high*2 3cpu 1Gi gang=high prio=10
        ",
        expect![[r#"
            buy     only 0 → 2 for high-0, high-1
            wait    low-0 … low-2: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_gang_of_unequal_members_is_whole_too() {
    check(
        "
        group cpu 0..4 4cpu 16Gi $0.20
        group gpu 0..0 4cpu 16Gi $2.00 gpu=1
        pods lead 1cpu 1Gi gang=ring gpu=1
        pods worker*3 3cpu 1Gi gang=ring
        ",
        expect![[r#"
            wait    lead: AwaitsNextPass (cpu: NodeResourcesFit, gpu: MaxSizeReached)
            wait    worker-0 … worker-2: AwaitsNextPass (cpu: NotChosen, gpu: MaxSizeReached)
        "#]],
    );
}

#[test]
fn gangs_of_one_name_in_two_namespaces_are_two() {
    check(
        "
        group only 0..2 4cpu 16Gi $0.20
        pods ring*2 3cpu 1Gi gang=ring ns=one
        pods ring*3 3cpu 1Gi gang=ring ns=two
        ",
        expect![[r#"
            buy     only 0 → 2 for one/ring-0, one/ring-1
            wait    two/ring-0 … two/ring-2: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_gang_uses_room_that_is_here() {
    check(
        "
        group only 0..2 4cpu 16Gi $0.20
        node a-0 of only
        pods ring*2 3cpu 1Gi gang=ring
        ",
        expect![[r#"
            buy     only 1 → 2 for ring-1
            fits    ring-0 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn no_member_takes_room_that_is_here_when_the_others_fail() {
    check(
        "
        group only 0..1 4cpu 16Gi $0.20
        node a-0 of only
        pods ring*2 3cpu 1Gi gang=ring
        ",
        expect![[r#"
            wait    ring-0, ring-1: AwaitsNextPass (only: MaxSizeReached)
            keep    a-0: NotUnneededLongEnough, idle since 12:00
        "#]],
    );
}

#[test]
fn a_gang_with_a_member_that_nobody_takes_waits() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20
        pods ring*2 3cpu 1Gi gang=ring
        pods huge 30cpu 1Gi gang=ring
        ",
        expect![[r#"
            wait    ring-0, ring-1: AwaitsNextPass (only: NotChosen)
            wait    huge: NoGroupFits (only: NodeResourcesFit)
        "#]],
    );
}

#[test]
fn a_member_that_is_too_young_keeps_the_gang_waiting() {
    check(
        "
        flags new-pod-scale-up-delay=30s
        group only 0..4 4cpu 16Gi $0.20
        pods ring*2 3cpu 1Gi gang=ring
        pods late 3cpu 1Gi gang=ring age=10s
        ",
        expect![[r#"
            wait    ring-0, ring-1: AwaitsNextPass (only: NotChosen)
            wait    late: TooYoung
        "#]],
    );
}

/// Four small nodes would be cheapest, but only three may come; one large one holds the gang.
#[test]
fn a_gang_meets_the_limit_of_nodes() {
    check(
        "
        flags max-nodes-total=3
        group small 0..10 4cpu 16Gi  $0.20
        group large 0..10 16cpu 64Gi $1.50
        pods ring*4 3cpu 1Gi gang=ring
        ",
        expect![[r#"
            buy     large 0 → 1 for ring-0 … ring-3
            cost    $0.00 → $1.50
        "#]],
    );
}

#[test]
fn a_gang_on_what_is_here_and_on_its_way_buys_nothing() {
    check(
        "
        group only 0..2 4cpu 16Gi $0.20 instance i-0 creating
        node a-0 of only
        pods ring*2 3cpu 1Gi gang=ring
        ",
        expect![[r#"
            group   only: healthy, 1 ready and 1 upcoming of 2
            fits    ring-0 on a-0
            fits    ring-1 on only#upcoming-1
            keep    a-0: NotUnderutilized
        "#]],
    );
}
