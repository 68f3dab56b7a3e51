//! Balancing a purchase over similar groups.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_purchase_is_spread_evenly() {
    check(
        "
        flags balance-similar-node-groups=true
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        group c 0..10 4cpu 16Gi $0.20 zone=c
        pods web*24 1cpu 1Gi
        ",
        expect![[r#"
            buy     a 0 → 2 for web-0 … web-3, web-12 … web-15
            buy     b 0 → 2 for web-4 … web-7, web-16 … web-19
            buy     c 0 → 2 for web-8 … web-11, web-20 … web-23
            cost    $0.00 → $1.20
        "#]],
    );
}

#[test]
fn the_smallest_group_grows_first() {
    check(
        "
        flags balance-similar-node-groups=true
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        node a-0 of a
        node a-1 of a
        pods old*2 2cpu 1Gi on=a-0 owner=rs
        pods older*2 2cpu 1Gi on=a-1 owner=rs
        pods web*12 1cpu 1Gi
        ",
        expect![[r#"
            buy     a 2 → 3 for web-8 … web-11
            buy     b 0 → 2 for web-0 … web-7
            keep    a-0, a-1: NotUnderutilized
            cost    $0.40 → $1.00
        "#]],
    );
}

#[test]
fn without_the_flag_nothing_is_balanced() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     a 0 → 2 for web-0 … web-7
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn other_labels_make_groups_different() {
    check(
        "
        flags balance-similar-node-groups=true
        group a 0..10 4cpu 16Gi $0.20 label=team=x
        group b 0..10 4cpu 16Gi $0.20 label=team=y
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     a 0 → 2 for web-0 … web-7
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn labels_that_are_ignored_do_not() {
    check(
        "
        flags balance-similar-node-groups=true balancing-ignore-label=team
        group a 0..10 4cpu 16Gi $0.20 label=team=x
        group b 0..10 4cpu 16Gi $0.20 label=team=y
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0 … web-3
            buy     b 0 → 1 for web-4 … web-7
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_full_look_alike_gives_way() {
    check(
        "
        flags balance-similar-node-groups=true
        group a 0..1  4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        pods web*16 1cpu 1Gi
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0 … web-3
            buy     b 0 → 3 for web-4 … web-15
            cost    $0.00 → $0.80
        "#]],
    );
}

#[test]
fn a_pod_that_only_one_look_alike_takes_stays_there() {
    check(
        "
        flags balance-similar-node-groups=true
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        pods web*8 1cpu 1Gi selector=topology.kubernetes.io/zone=b
        ",
        expect![[r#"
            buy     b 0 → 2 for web-0 … web-7
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_look_alike_that_rests_is_left_out() {
    check(
        "
        flags balance-similar-node-groups=true
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        memory backoff a until=+3m code=STOCKOUT
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     b 0 → 2 for web-0 … web-7
            group   a: backing off until 12:03, STOCKOUT, 0 ready and 0 upcoming of 0
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn similar_groups_of_another_price_are_balanced_too() {
    check(
        "
        flags balance-similar-node-groups=true
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.25 zone=b
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0 … web-3
            buy     b 0 → 1 for web-4 … web-7
            cost    $0.00 → $0.45
        "#]],
    );
}

#[test]
fn balance_keeps_the_spread_over_zones() {
    check(
        "
        flags balance-similar-node-groups=true
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        pods web*6 1cpu 1Gi zone-spread=1
        pods job*2 1cpu 1Gi
        ",
        expect![[r#"
            buy     a 0 → 1 for job-0, web-0, web-2, web-4
            buy     b 0 → 1 for job-1, web-1, web-3, web-5
            cost    $0.00 → $0.40
        "#]],
    );
}
