//! Every group says what it has against a pod.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn each_group_has_its_own_reason() {
    check(
        "
        flags cores-total=0:40
        group a-small   0..10 2cpu 8Gi   $0.10
        group b-tainted 0..10 8cpu 32Gi  $0.10 taint=team=a:NoSchedule
        group c-full    0..1  8cpu 32Gi  $0.10
        group d-resting 0..10 8cpu 32Gi  $0.10
        group e-huge    0..10 64cpu 32Gi $0.10
        group f-unknown 0..10 8cpu 32Gi  $0.10 no-template
        node c-0 of c-full
        pods old 6cpu 1Gi on=c-0 owner=rs
        memory backoff d-resting until=+3m code=STOCKOUT
        pods big 4cpu 1Gi
        ",
        expect![[r#"
            group   d-resting: backing off until 12:03, STOCKOUT, 0 ready and 0 upcoming of 0
            wait    big: AwaitsNextPass (a-small: NodeResourcesFit, b-tainted: TaintToleration, c-full: MaxSizeReached, d-resting: Backoff, e-huge: QuotaExceeded by cores-total, f-unknown: NoTemplate)
            keep    c-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn a_pod_that_no_node_will_ever_hold() {
    check(
        "
        group small 0..10 2cpu 8Gi $0.10
        group other 0..10 4cpu 8Gi $0.10 label=disk=ssd
        pods big 6cpu 1Gi
        pods picky 1cpu 1Gi selector=disk=tape
        ",
        expect![[r#"
            wait    picky: NoGroupFits (other: NodeAffinity, small: NodeAffinity)
            wait    big: NoGroupFits (other: NodeResourcesFit, small: NodeResourcesFit)
        "#]],
    );
}

/// That it rests will be over; that its nodes are too small will not.
#[test]
fn a_group_that_rests_says_what_will_still_be_so_afterwards() {
    check(
        "
        group small   0..10 2cpu 8Gi $0.10
        group tainted 0..10 8cpu 8Gi $0.10 taint=team=a:NoSchedule
        memory backoff small until=+3m code=STOCKOUT
        memory backoff tainted until=+3m code=STOCKOUT
        pods big 4cpu 1Gi
        ",
        expect![[r#"
            group   small: backing off until 12:03, STOCKOUT, 0 ready and 0 upcoming of 0
            group   tainted: backing off until 12:03, STOCKOUT, 0 ready and 0 upcoming of 0
            wait    big: NoGroupFits (small: NodeResourcesFit, tainted: TaintToleration)
        "#]],
    );
}

#[test]
fn without_groups_nothing_fits() {
    check(
        "
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            wait    web: NoGroupFits
        "#]],
    );
}

/// Raising the maximum would not help, so the maximum is not the reason.
#[test]
fn a_filter_comes_before_a_full_group() {
    check(
        "
        group full 0..0 2cpu 8Gi $0.10
        pods big 6cpu 1Gi
        ",
        expect![[r#"
            wait    big: NoGroupFits (full: NodeResourcesFit)
        "#]],
    );
}

#[test]
fn a_group_without_a_template_may_fit() {
    check(
        "
        group unknown 0..10 4cpu 16Gi $0.10 no-template
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            wait    web: AwaitsNextPass (unknown: NoTemplate)
        "#]],
    );
}

#[test]
fn a_spread_that_stops_is_told_as_such() {
    check(
        "
        group a 0..10 2cpu 16Gi $0.20 zone=a
        group b 0..0  2cpu 16Gi $0.20 zone=b
        node b-0 of b
        pods old*2 1cpu 1Gi on=b-0 owner=rs
        pods web*3 1cpu 1Gi zone-spread=1
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0
            wait    web-1, web-2: AwaitsNextPass (a: PodTopologySpread, b: MaxSizeReached)
            keep    b-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn pods_of_one_line_differ_when_only_some_are_served() {
    check(
        "
        group only 0..1 4cpu 16Gi $0.20
        pods web*6 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 1 for web-0 … web-3
            wait    web-4, web-5: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn no_new_node_takes_a_pod_that_avoids_what_every_node_carries() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        daemon agent 100m 100Mi
        pods shy 1cpu 1Gi apart=host:agent
        ",
        expect![[r#"
            wait    shy: NoGroupFits (only: InterPodAffinity)
        "#]],
    );
}
