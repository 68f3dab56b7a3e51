//! All pods and all groups at once, as cheaply as possible.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn pods_that_fit_on_one_node_get_one() {
    check(
        "
        group small 0..10 4cpu 16Gi $0.20
        pods web*3 1cpu 2Gi
        ",
        expect![[r#"
            buy     small 0 → 1 for web-0 … web-2
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_pod_larger_than_what_daemons_leave_is_no_reason_to_buy() {
    check(
        "
        group small 0..10 4cpu 16Gi $0.20
        daemon agent 100m 200Mi
        pods big 4cpu 1Gi
        ",
        expect![[r#"
            wait    big: NoGroupFits (small: NodeResourcesFit)
        "#]],
    );
}

#[test]
fn one_large_node_replaces_several_small_ones_when_that_is_cheaper() {
    check(
        "
        group small 0..10 2cpu 8Gi  $0.10
        group large 0..10 8cpu 32Gi $0.30
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web-0 … web-7
            cost    $0.00 → $0.30
        "#]],
    );
}

#[test]
fn a_remainder_goes_to_a_small_node() {
    check(
        "
        group small 0..10 2cpu 8Gi  $0.10
        group large 0..10 8cpu 32Gi $0.30
        pods web*9 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web-1 … web-8
            buy     small 0 → 1 for web-0
            cost    $0.00 → $0.40
        "#]],
    );
}

/// Each kind alone would fill two nodes; beside each other they fill the same two.
#[test]
fn pods_of_different_needs_share_nodes() {
    check(
        "
        group even 0..10 4cpu 16Gi $0.20
        pods cpu*4 1500m 1Gi
        pods mem*4 500m 7Gi
        ",
        expect![[r#"
            buy     even 0 → 2 for cpu-0 … cpu-3, mem-0 … mem-3
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn each_group_serves_those_that_only_it_can_serve() {
    check(
        "
        group cpu-rich 0..10 16cpu 16Gi $0.50
        group mem-rich 0..10 4cpu 64Gi $0.50
        pods cpu*2 8cpu 1Gi
        pods mem*2 1cpu 30Gi
        ",
        expect![[r#"
            buy     cpu-rich 0 → 1 for cpu-0, cpu-1
            buy     mem-rich 0 → 1 for mem-0, mem-1
            cost    $0.00 → $1.00
        "#]],
    );
}

/// The pods with a selector need a node of dear; what fits beside them needs none of cheap.
#[test]
fn what_one_group_has_left_serves_others_too() {
    check(
        "
        group cheap 0..10 4cpu 16Gi $0.20
        group dear  0..10 4cpu 16Gi $0.50 label=disk=ssd
        pods db   2cpu 2Gi selector=disk=ssd
        pods web*2 1cpu 2Gi
        ",
        expect![[r#"
            buy     dear 0 → 1 for db, web-0, web-1
            cost    $0.00 → $0.50
        "#]],
    );
}

#[test]
fn slots_for_pods_are_a_resource() {
    check(
        "
        group small 0..10 4cpu 16Gi $0.20 slots=4
        pods tiny*10 10m 10Mi
        ",
        expect![[r#"
            buy     small 0 → 3 for tiny-0 … tiny-9
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn pods_that_ask_for_nothing_still_need_a_node() {
    check(
        "
        group small 0..10 4cpu 16Gi $0.20
        pods idle*5
        ",
        expect![[r#"
            buy     small 0 → 1 for idle-0 … idle-4
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn room_on_nodes_that_are_here_comes_first() {
    check(
        "
        group small 0..10 4cpu 16Gi $0.20
        node a-0 of small
        pods old*2 1cpu 2Gi on=a-0 owner=rs
        pods web*4 1cpu 2Gi
        ",
        expect![[r#"
            buy     small 1 → 2 for web-2, web-3
            fits    web-0, web-1 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn nodes_of_no_group_take_pods_too() {
    check(
        "
        group small 0..10 4cpu 16Gi $0.20
        node byhand 2cpu 4Gi
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            buy     small 0 → 1 for web-2
            fits    web-0, web-1 on byhand
            keep    byhand: NoNodeGroup
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn nothing_is_bought_for_nobody() {
    check(
        "
        group small 0..10 4cpu 16Gi $0.20
        node a-0 of small
        pods web*2 1500m 2Gi on=a-0 owner=rs
        ",
        expect![[r#"
            keep    a-0: NotUnderutilized
        "#]],
    );
}

/// The packing may have put the web pods beside shy ones, which find no place in this zone at all.
#[test]
fn pods_that_others_refuse_do_not_leave_half_empty_nodes_behind() {
    check(
        "
        group only 0..3 16cpu 64Gi $0.10 zone=a
        node n-0 of only
        pods db 16cpu 1Gi on=n-0 owner=rs
        pods shy*3 7cpu 1Gi apart=zone:db
        pods web*2 1500m 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web-0, web-1
            wait    shy-0 … shy-2: AwaitsNextPass (only: InterPodAffinity)
            keep    n-0: NotUnderutilized
            cost    $0.10 → $0.20
        "#]],
    );
}
