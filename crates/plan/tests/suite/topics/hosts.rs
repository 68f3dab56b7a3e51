//! Spread over hosts, anti-affinity and ports: what keeps pods off each other's nodes.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn one_a_host_needs_as_many_hosts() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods web*3 500m 1Gi apart
        ",
        expect![[r#"
            buy     only 0 → 3 for web-0 … web-2
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn one_a_host_prefers_small_hosts() {
    check(
        "
        group small 0..10 1cpu 4Gi  $0.05
        group large 0..10 8cpu 32Gi $0.30
        pods web*4 500m 1Gi apart
        ",
        expect![[r#"
            buy     small 0 → 4 for web-0 … web-3
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn others_fill_the_hosts_of_those_that_keep_apart() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods web*3 1cpu 1Gi apart
        pods job*9 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 3 for job-0 … job-8, web-0 … web-2
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn one_that_keeps_apart_uses_a_host_that_is_here() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods web*2 1cpu 1Gi apart
        ",
        expect![[r#"
            buy     only 1 → 2 for web-1
            fits    web-0 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn hosts_that_have_one_already_do_not_count() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods old 1cpu 1Gi on=a-0 app=web owner=rs
        pods web*2 1cpu 1Gi apart
        ",
        expect![[r#"
            buy     only 1 → 3 for web-0, web-1
            keep    a-0: NoPlaceToMovePods
            cost    $0.20 → $0.60
        "#]],
    );
}

#[test]
fn hosts_stop_at_the_maximum() {
    check(
        "
        group only 0..2 4cpu 16Gi $0.20
        pods web*3 1cpu 1Gi apart
        ",
        expect![[r#"
            buy     only 0 → 2 for web-0, web-1
            wait    web-2: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.40
        "#]],
    );
}

/// With a skew of one, six pods need the same number on each host.
#[test]
fn spread_over_hosts_fills_new_hosts_evenly() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods web*6 1cpu 1Gi host-spread=1
        ",
        expect![[r#"
            buy     only 0 → 2 for web-0 … web-5
            cost    $0.00 → $0.40
        "#]],
    );
}

/// The host that is here has none, so it takes the first, and new ones may be one ahead.
#[test]
fn spread_over_hosts_counts_an_idle_host() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods big 3cpu 1Gi on=a-0 owner=rs
        pods web*3 1cpu 1Gi host-spread=1
        ",
        expect![[r#"
            buy     only 1 → 2 for web-1, web-2
            fits    web-0 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn a_full_host_without_any_leaves_one_for_each_new_host() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods big 4cpu 1Gi on=a-0 owner=rs
        pods web*3 1cpu 1Gi host-spread=1
        ",
        expect![[r#"
            buy     only 1 → 4 for web-0 … web-2
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.80
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
fn a_port_is_used_once_a_host() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods web*3 100m 1Gi port=80
        pods api*3 100m 1Gi port=81
        ",
        expect![[r#"
            buy     only 0 → 3 for api-0 … api-2, web-0 … web-2
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn a_daemons_port_is_taken_on_every_new_host() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        daemon proxy 100m 100Mi port=80
        pods web 100m 1Gi port=80
        ",
        expect![[r#"
            wait    web: NoGroupFits (only: NodePorts)
        "#]],
    );
}

#[test]
fn a_port_in_use_here_is_free_on_a_new_host() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods old 100m 1Gi port=80 on=a-0 owner=rs
        pods web*2 100m 1Gi port=80
        ",
        expect![[r#"
            buy     only 1 → 3 for web-0, web-1
            keep    a-0: NoPlaceToMovePods
            cost    $0.20 → $0.60
        "#]],
    );
}
