//! Which pods matter: the young, expendable, gated, nominated and foreign ones do not.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_pod_that_is_too_young_waits() {
    check(
        "
        flags new-pod-scale-up-delay=30s
        group only 0..10 4cpu 16Gi $0.20
        pods new 1cpu 1Gi age=10s
        pods old 1cpu 1Gi age=40s
        ",
        expect![[r#"
            buy     only 0 → 1 for old
            wait    new: TooYoung
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_pod_with_a_delay_of_its_own_waits() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods new 1cpu 1Gi age=10s delay=1m
        ",
        expect![[r#"
            wait    new: TooYoung
        "#]],
    );
}

#[test]
fn a_young_pod_uses_what_is_here() {
    check(
        "
        flags new-pod-scale-up-delay=30s
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods new 1cpu 1Gi age=10s
        ",
        expect![[r#"
            fits    new on a-0
            keep    a-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn an_expendable_pod_gets_nothing() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods cheap 1cpu 1Gi prio=-11
        pods edge  1cpu 1Gi prio=-10
        ",
        expect![[r#"
            buy     only 0 → 1 for edge
            wait    cheap: Expendable
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn an_expendable_pod_holds_no_room() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods cheap*4 1cpu 1Gi prio=-11 on=a-0 owner=rs
        pods web*4 1cpu 1Gi
        ",
        expect![[r#"
            fits    web-0 … web-3 on a-0
            keep    a-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn a_gated_pod_is_ignored() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods later 1cpu 1Gi gated
        ",
        expect![[r#"
            wait    later: Ignored
        "#]],
    );
}

#[test]
fn a_foreign_schedulers_pod_is_ignored() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods alien 1cpu 1Gi scheduler=volcano
        ",
        expect![[r#"
            wait    alien: Ignored
        "#]],
    );
}

#[test]
fn a_foreign_scheduler_that_is_allowed_is_not() {
    check(
        "
        flags allowed-scheduler-names=default-scheduler,volcano
        group only 0..10 4cpu 16Gi $0.20
        pods alien 1cpu 1Gi scheduler=volcano
        ",
        expect![[r#"
            buy     only 0 → 1 for alien
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_nominated_pod_has_its_node() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods vip 4cpu 1Gi nominated=a-0
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web
            wait    vip: Nominated on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn a_nomination_to_a_node_that_is_gone_counts_for_nothing() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods vip 4cpu 1Gi nominated=a-0
        ",
        expect![[r#"
            buy     only 0 → 1 for vip
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_pod_that_is_going_away_needs_no_node() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods gone 1cpu 1Gi terminating
        pods done 1cpu 1Gi ended
        ",
        expect![[r#"
            wait    done, gone: Ignored
        "#]],
    );
}

#[test]
fn a_young_pod_that_fits_beside_a_purchase_is_still_too_young() {
    check(
        "
        flags new-pod-scale-up-delay=30s
        group only 0..1 4cpu 16Gi $0.20
        pods new*4 1cpu 1Gi age=10s prio=10
        pods old 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 1 for old
            wait    new-0 … new-3: TooYoung
            cost    $0.00 → $0.20
        "#]],
    );
}
