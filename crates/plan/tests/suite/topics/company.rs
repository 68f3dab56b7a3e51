//! Pods that want others near, or far.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn company_gathers_in_the_cheapest_zone() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.50 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        group c 0..10 4cpu 16Gi $0.50 zone=c
        pods web*10 1cpu 1Gi near=zone
        ",
        expect![[r#"
            buy     b 0 → 3 for web-0 … web-9
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn company_follows_those_that_are_there() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.50 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        node a-0 of a
        pods db 3cpu 1Gi on=a-0 owner=rs
        pods web*4 1cpu 1Gi near=zone:db
        ",
        expect![[r#"
            buy     a 1 → 2 for web-1 … web-3
            fits    web-0 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.50 → $1.00
        "#]],
    );
}

/// Zone b is cheaper, but its group can hold only some of them.
#[test]
fn company_goes_where_all_find_room() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.50 zone=a
        group b 0..1  4cpu 16Gi $0.20 zone=b
        pods web*8 1cpu 1Gi near=zone
        ",
        expect![[r#"
            buy     a 0 → 2 for web-0 … web-7
            cost    $0.00 → $1.00
        "#]],
    );
}

#[test]
fn two_kinds_that_want_each_other_share_a_zone() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.50 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        pods db 2cpu 1Gi
        pods web*3 1cpu 1Gi near=zone:db
        ",
        expect![[r#"
            buy     b 0 → 2 for db, web-0 … web-2
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn one_a_zone() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        pods web*3 1cpu 1Gi apart=zone
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0
            buy     b 0 → 1 for web-1
            wait    web-2: AwaitsNextPass (a: InterPodAffinity, b: InterPodAffinity)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn rivals_get_zones_of_their_own() {
    check(
        "
        group a 0..10 8cpu 16Gi $0.20 zone=a
        group b 0..10 8cpu 16Gi $0.20 zone=b
        pods red*2  1cpu 1Gi apart=zone:blue
        pods blue*2 1cpu 1Gi apart=zone:red
        ",
        expect![[r#"
            buy     a 0 → 1 for blue-0, blue-1
            buy     b 0 → 1 for red-0, red-1
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn company_avoids_a_zone_that_rests() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.50 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b
        memory backoff b until=+3m code=STOCKOUT
        pods web*3 1cpu 1Gi near=zone
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0 … web-2
            group   b: backing off until 12:03, STOCKOUT, 0 ready and 0 upcoming of 0
            cost    $0.00 → $0.50
        "#]],
    );
}

#[test]
fn rivals_do_not_share_a_host() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods red*2  1cpu 1Gi apart=host:blue
        pods blue*2 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for blue-0, blue-1, red-0, red-1
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn company_on_a_host_has_to_fit_there() {
    check(
        "
        group small 0..10 2cpu 8Gi  $0.10
        group large 0..10 8cpu 32Gi $0.60
        pods pair*3 1cpu 1Gi near=host
        ",
        expect![[r#"
            buy     large 0 → 1 for pair-0 … pair-2
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn company_on_a_host_does_not_keep_others_from_being_spread() {
    check(
        "
        group g0 0..1 2cpu 4Gi $0.10 zone=a
        group g1 0..1 2cpu 4Gi $0.10 zone=b
        pods p0*2 1cpu
        pods p1*1 100m near=host
        pods p2*2 zone-spread=1
        ",
        expect![[r#"
            buy     g0 0 → 1 for p1-0, p2-0
            buy     g1 0 → 1 for p0-0, p0-1, p2-1
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn company_on_a_host_spares_accelerators() {
    check(
        "
        group cpu 0..10 4cpu 16Gi $0.50
        group gpu 0..10 4cpu 16Gi $0.20 gpu=1
        pods pair*3 1cpu 1Gi near=host
        ",
        expect![[r#"
            buy     cpu 0 → 1 for pair-0 … pair-2
            cost    $0.00 → $0.50
        "#]],
    );
}

/// A small node for the first draws the others to its zone, where they need large ones. Cheaper kinds are elsewhere, and one of them
/// has room for all.
#[test]
fn those_that_follow_are_not_bought_nodes_of_their_own() {
    check(
        "
        group large 0..3 4cpu 16Gi  $0.21 zone=a
        group small 0..1 2cpu 4Gi   $0.10 zone=a
        group other 0..4 16cpu 64Gi $0.10 zone=b
        pods lead 0cpu 1Gi near=host
        pods web*2 3cpu 1Gi near=zone:lead
        ",
        expect![[r#"
            buy     other 0 → 1 for lead, web-0, web-1
            cost    $0.00 → $0.10
        "#]],
    );
}
