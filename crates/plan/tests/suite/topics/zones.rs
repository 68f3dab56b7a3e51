//! Spread over zones.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn pods_are_spread_over_the_zones_of_groups() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        group c 0..10 4cpu 16Gi $0.20 zone=c
        pods web*6 1cpu 1Gi zone-spread=1
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0, web-3
            buy     b 0 → 1 for web-1, web-4
            buy     c 0 → 1 for web-2, web-5
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn spread_opens_a_dear_zone_too() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.90 zone=b
        pods web*3 1cpu 1Gi zone-spread=1
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0, web-2
            buy     b 0 → 1 for web-1
            cost    $0.00 → $1.10
        "#]],
    );
}

#[test]
fn a_wider_skew_lets_the_cheap_zone_take_more() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.90 zone=b
        pods web*5 1cpu 1Gi zone-spread=4
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0 … web-3
            buy     b 0 → 1 for web-4
            cost    $0.00 → $1.10
        "#]],
    );
}

#[test]
fn spread_counts_the_pods_that_are_there() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        node a-0 of a
        pods old*2 2cpu 1Gi on=a-0 app=web owner=rs
        pods web*2 2cpu 1Gi zone-spread=1
        ",
        expect![[r#"
            buy     b 0 → 1 for web-0, web-1
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

/// With one node in b the others may be at most one ahead of it.
#[test]
fn a_full_zone_stops_the_spread() {
    check(
        "
        group a 0..10 2cpu 16Gi $0.20 zone=a
        group b 0..1  2cpu 16Gi $0.20 zone=b
        pods web*8 1cpu 1Gi zone-spread=1
        ",
        expect![[r#"
            buy     a 0 → 2 for web-0, web-2, web-4
            buy     b 0 → 1 for web-1, web-3
            wait    web-5 … web-7: AwaitsNextPass (a: PodTopologySpread, b: MaxSizeReached)
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn minimum_domains_are_opened() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.90 zone=b
        group c 0..10 4cpu 16Gi $0.90 zone=c
        pods web*3 1cpu 1Gi zone-spread=1/3
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0
            buy     b 0 → 1 for web-1
            buy     c 0 → 1 for web-2
            cost    $0.00 → $2.00
        "#]],
    );
}

#[test]
fn too_few_domains_stop_the_spread() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        pods web*4 1cpu 1Gi zone-spread=1/3
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0
            buy     b 0 → 1 for web-1
            wait    web-2, web-3: AwaitsNextPass (a: PodTopologySpread, b: PodTopologySpread)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_group_without_a_zone_takes_no_part_in_the_spread() {
    check(
        "
        group none 0..10 4cpu 16Gi $0.10
        group a    0..10 4cpu 16Gi $0.20 zone=a
        pods web*2 1cpu 1Gi zone-spread=1
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0, web-1
            cost    $0.00 → $0.20
        "#]],
    );
}

/// A fifth pod in the cheap zone would need a second node there, and the dear zone has one with room.
#[test]
fn spread_counts_in_nodes_not_in_pods() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.90 zone=b
        pods web*6 1cpu 1Gi zone-spread=4
        ",
        expect![[r#"
            buy     a 0 → 1 for web-1 … web-3, web-5
            buy     b 0 → 1 for web-0, web-4
            cost    $0.00 → $1.10
        "#]],
    );
}
