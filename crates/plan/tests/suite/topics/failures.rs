//! Failures, backoff and what is done about them in the same pass.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_stockout_falls_back_in_the_same_pass() {
    check(
        "
        group cheap 0..10 4cpu 16Gi $0.20 instance c-1 creating error=OutOfResources
        group dear  0..10 4cpu 16Gi $0.50
        pods web*6 1cpu 2Gi
        ",
        expect![[r#"
            repair  delete c-1 of cheap: failed: OutOfResources
            buy     dear 0 → 2 for web-0 … web-5
            group   cheap: backing off until 12:05, OutOfResources, 0 ready and 0 upcoming of 1
            cost    $0.20 → $1.00
        "#]],
    );
}

#[test]
fn a_group_that_rests_says_until_when() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        memory backoff only until=+3m code=STOCKOUT
        pods web 1cpu 2Gi
        ",
        expect![[r#"
            group   only: backing off until 12:03, STOCKOUT, 0 ready and 0 upcoming of 0
            wait    web: AwaitsNextPass (only: Backoff)
        "#]],
    );
}

#[test]
fn a_rest_that_is_over_is_over() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        memory backoff only until=0s code=STOCKOUT
        pods web 1cpu 2Gi
        ",
        expect![[r#"
            buy     only 0 → 1 for web
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_second_failure_rests_twice_as_long() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20 instance c-1 creating error=Other/QUOTA
        memory backoff only until=2m step=5m code=STOCKOUT
        pods web 1cpu 2Gi
        ",
        expect![[r#"
            repair  delete c-1 of only: failed: QUOTA
            group   only: backing off until 12:10, QUOTA, 0 ready and 0 upcoming of 1
            wait    web: AwaitsNextPass (only: Backoff)
            cost    $0.20 → $0.00
        "#]],
    );
}

#[test]
fn a_failure_beside_machines_that_come_keeps_those() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20 instance c-1 creating error=OutOfResources instance c-2 creating
        pods web*2 1cpu 2Gi
        ",
        expect![[r#"
            repair  delete c-1 of only: failed: OutOfResources
            group   only: backing off until 12:05, OutOfResources, 0 ready and 1 upcoming of 2
            fits    web-0, web-1 on only#upcoming-1
            cost    $0.40 → $0.20
        "#]],
    );
}

#[test]
fn an_order_that_did_not_arrive_is_taken_back() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20 target=2
        memory order only 2 at=20m
        pods web 1cpu 2Gi
        ",
        expect![[r#"
            repair  lower only 2 → 0: ordered machines did not arrive within max-node-provision-time (15m)
            group   only: backing off until 12:05, timeout, 0 ready and 0 upcoming of 2
            wait    web: AwaitsNextPass (only: Backoff)
            cost    $0.40 → $0.00
        "#]],
    );
}

#[test]
fn a_machine_that_never_became_a_node_is_deleted() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20 instance c-1 running age=20m
        group dear 0..10 4cpu 16Gi $0.50
        pods web 1cpu 2Gi
        ",
        expect![[r#"
            repair  delete c-1 of only: no node for 20m, longer than max-node-provision-time (15m)
            buy     only 0 → 1 for web
        "#]],
    );
}

#[test]
fn a_target_that_was_never_met_is_lowered() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20 target=3
        memory mismatch only since=20m
        node a-0 of only
        ",
        expect![[r#"
            repair  lower only 3 → 1: machines have been missing for longer than max-node-provision-time (15m)
            keep    a-0: NotUnneededLongEnough, idle since 12:00
            cost    $0.60 → $0.20
        "#]],
    );
}

#[test]
fn all_groups_resting_buys_nothing() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20
        group b 0..10 4cpu 16Gi $0.20
        memory backoff a until=+3m code=STOCKOUT
        memory backoff b until=+4m code=QUOTA
        pods web 1cpu 2Gi
        ",
        expect![[r#"
            group   a: backing off until 12:03, STOCKOUT, 0 ready and 0 upcoming of 0
            group   b: backing off until 12:04, QUOTA, 0 ready and 0 upcoming of 0
            wait    web: AwaitsNextPass (a: Backoff, b: Backoff)
        "#]],
    );
}

#[test]
fn a_failed_machine_of_the_minimum_is_replaced_when_the_rest_is_over() {
    check(
        "
        group only 1..10 4cpu 16Gi $0.20 instance c-1 creating error=OutOfResources
        ",
        expect![[r#"
            repair  delete c-1 of only: failed: OutOfResources
            group   only: backing off until 12:05, OutOfResources, 0 ready and 0 upcoming of 1
            cost    $0.20 → $0.00
        "#]],
    );
}

#[test]
fn a_failed_group_does_not_stop_its_own_ready_nodes() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20 instance c-1 creating error=OutOfResources
        node a-0 of only
        pods web*2 1cpu 2Gi
        ",
        expect![[r#"
            repair  delete c-1 of only: failed: OutOfResources
            group   only: backing off until 12:05, OutOfResources, 1 ready and 0 upcoming of 2
            fits    web-0, web-1 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.40 → $0.20
        "#]],
    );
}

#[test]
fn a_failure_in_one_zone_keeps_the_spread_waiting() {
    check(
        "
        group a 0..10 4cpu 16Gi $0.20 zone=a
        group b 0..10 4cpu 16Gi $0.20 zone=b instance b-1 creating error=OutOfResources
        node a-0 of a
        node b-0 of b
        pods old*4 1cpu 1Gi on=b-0 owner=rs
        pods web*6 1cpu 1Gi zone-spread=1
        ",
        expect![[r#"
            repair  delete b-1 of b: failed: OutOfResources
            group   b: backing off until 12:05, OutOfResources, 1 ready and 0 upcoming of 2
            fits    web-0 on a-0
            wait    web-1 … web-5: AwaitsNextPass (a: PodTopologySpread, b: Backoff)
            keep    a-0, b-0: NotUnderutilized
            cost    $0.60 → $0.40
        "#]],
    );
}
