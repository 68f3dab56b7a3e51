//! Limits of the whole cluster: nodes, cores, memory and accelerators.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn max_nodes_total_counts_nodes_of_no_group() {
    check(
        "
        flags max-nodes-total=3
        group only 0..10 4cpu 16Gi $0.20
        node byhand 1cpu 1Gi
        pods web*12 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for web-1 … web-8
            fits    web-0 on byhand
            wait    web-9 … web-11: AwaitsNextPass (only: QuotaExceeded by max-nodes-total)
            keep    byhand: NoNodeGroup
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn max_nodes_total_counts_what_is_on_its_way() {
    check(
        "
        flags max-nodes-total=3
        group only 0..10 4cpu 16Gi $0.20 instance i-0 creating
        pods web*16 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 3 for web-4 … web-11
            group   only: healthy, 0 ready and 1 upcoming of 1
            fits    web-0 … web-3 on only#upcoming-1
            wait    web-12 … web-15: AwaitsNextPass (only: QuotaExceeded by max-nodes-total)
            cost    $0.20 → $0.60
        "#]],
    );
}

/// With one node left it has to be the one that takes most.
#[test]
fn under_max_nodes_total_larger_nodes_serve_more() {
    check(
        "
        flags max-nodes-total=1
        group small 0..10 2cpu 8Gi  $0.10
        group large 0..10 8cpu 32Gi $0.60
        pods web*6 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web-0 … web-5
            cost    $0.00 → $0.60
        "#]],
    );
}

/// Six small nodes would be cheapest, but only two nodes may come.
#[test]
fn under_max_nodes_total_nobody_waits_whom_another_choice_serves() {
    check(
        "
        flags max-nodes-total=2
        group small 0..10 2cpu 8Gi  $0.10
        group large 0..10 8cpu 32Gi $0.90
        pods web*12 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 2 for web-0 … web-11
            cost    $0.00 → $1.80
        "#]],
    );
}

#[test]
fn a_full_cluster_buys_nothing() {
    check(
        "
        flags max-nodes-total=1
        group only 0..10 4cpu 16Gi $0.20
        node byhand 1cpu 1Gi
        pods web 2cpu 1Gi
        ",
        expect![[r#"
            wait    web: AwaitsNextPass (only: QuotaExceeded by max-nodes-total)
            keep    byhand: NoNodeGroup
        "#]],
    );
}

#[test]
fn nodes_that_leave_make_room_under_the_limit() {
    check(
        "
        flags max-nodes-total=2
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        node a-1 of only leaving
        pods old 3cpu 1Gi on=a-0 owner=rs
        pods web 2cpu 1Gi
        ",
        expect![[r#"
            buy     only 2 → 3 for web
            keep    a-1: CurrentlyBeingDeleted
            keep    a-0: NotUnderutilized
            cost    $0.40 → $0.60
        "#]],
    );
}

#[test]
fn cores_total_bounds_the_purchase() {
    check(
        "
        flags cores-total=0:8
        group only 0..10 4cpu 16Gi $0.20
        pods web*12 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for web-0 … web-7
            wait    web-8 … web-11: AwaitsNextPass (only: QuotaExceeded by cores-total)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn cores_total_leaves_room_for_a_smaller_kind() {
    check(
        "
        flags cores-total=0:10
        group large 0..10 8cpu 32Gi $0.30
        group small 0..10 2cpu 8Gi  $0.10
        pods web*10 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web-0 … web-7
            buy     small 0 → 1 for web-8, web-9
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn memory_total_bounds_the_purchase() {
    check(
        "
        flags memory-total=0:40
        group only 0..10 4cpu 16Gi $0.20
        pods web*12 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for web-0 … web-7
            wait    web-8 … web-11: AwaitsNextPass (only: QuotaExceeded by memory-total)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn gpu_total_bounds_a_kind() {
    check(
        "
        flags gpu-total=t4:0:2
        group t4 0..10 4cpu 16Gi $1 gpu=1 label=accelerator=t4
        pods train*3 1cpu 1Gi gpu=1
        ",
        expect![[r#"
            buy     t4 0 → 2 for train-0, train-1
            wait    train-2: AwaitsNextPass (t4: QuotaExceeded by gpu-total)
            cost    $0.00 → $2.00
        "#]],
    );
}
