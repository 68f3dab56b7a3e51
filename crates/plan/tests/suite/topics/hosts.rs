//! Spread over hosts, and pods that keep apart from their own kind.

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
fn machines_on_their_way_are_hosts_too() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20 instance i-0 creating instance i-1 creating
        pods web*3 1cpu 1Gi apart
        ",
        expect![[r#"
            buy     only 2 → 3 for web-2
            group   only: healthy, 0 ready and 2 upcoming of 2
            fits    web-0 on only#upcoming-1
            fits    web-1 on only#upcoming-2
            cost    $0.40 → $0.60
        "#]],
    );
}

#[test]
fn those_that_keep_apart_meet_the_limit_of_nodes() {
    check(
        "
        flags max-nodes-total=2
        group only 0..4 4cpu 16Gi $0.20
        pods web*3 1cpu 1Gi apart
        pods job*2 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for job-0, job-1, web-0, web-1
            wait    web-2: AwaitsNextPass (only: QuotaExceeded by max-nodes-total)
            cost    $0.00 → $0.40
        "#]],
    );
}

/// The cheapest packing puts both large pods on one node and leaves no room there for a second small one, so a third node is opened
/// for the spread. With it, the first is not needed any more.
#[test]
fn a_node_that_a_later_one_makes_superfluous_is_not_bought() {
    check(
        "
        group only 0..3 16cpu 64Gi $0.10
        pods large*2 7cpu 1Gi
        pods small*4 1500m 1Gi host-spread=1
        ",
        expect![[r#"
            buy     only 0 → 2 for large-0, large-1, small-0 … small-3
            cost    $0.00 → $0.20
        "#]],
    );
}
