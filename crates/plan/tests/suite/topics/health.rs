//! Brakes: nothing is bought on a view that cannot be trusted.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn too_many_unready_nodes_stop_everything() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        node a-1 of only unready=40m
        node a-2 of only unready=40m
        node a-3 of only unready=40m
        node a-4 of only unready=40m
        pods web*5 1cpu 1Gi
        ",
        expect![[r#"
            cluster unhealthy
            group   only: unhealthy, 1 ready and 0 upcoming of 5
            fits    web-0 … web-3 on a-0
            wait    web-4: AwaitsNextPass (only: ClusterUnhealthy)
            keep    a-0 … a-4: ClusterUnhealthy
        "#]],
    );
}

#[test]
fn a_few_are_always_tolerated() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        node a-1 of only unready=10m
        node a-2 of only unready=10m
        node a-3 of only unready=10m
        pods web*5 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 4 → 5 for web-4
            fits    web-0 … web-3 on a-0
            keep    a-0: NotUnderutilized
            keep    a-1 … a-3: NotUnreadyLongEnough, idle since 12:00
            cost    $0.80 → $1.00
        "#]],
    );
}

#[test]
fn what_a_silent_provider_has_is_left_alone_and_others_serve() {
    check(
        "
        group cheap 2..10 4cpu 16Gi $0.20 frozen=away target=4 instance c-1 creating error=Other/BROKEN
        group dear  0..10 4cpu 16Gi $0.50
        node a-0 of cheap
        memory unneeded a-0 since=40m
        pods web*14 1cpu 1Gi
        ",
        expect![[r#"
            buy     dear 0 → 1 for web-12, web-13
            group   cheap: frozen (away), 1 ready and 2 upcoming of 4
            fits    web-0 … web-3 on a-0
            fits    web-4 … web-7 on cheap#upcoming-1
            fits    web-8 … web-11 on cheap#upcoming-2
            keep    a-0: GroupFrozen
            cost    $0.80 → $1.30
        "#]],
    );
}

#[test]
fn stock_that_is_known_is_not_overdrawn() {
    check(
        "
        group cheap 0..10 4cpu 16Gi $0.20 stock=1
        group none  0..10 4cpu 16Gi $0.10 stock=0
        group whole 0..4  4cpu 16Gi $0.10 stock=3 atomic
        group dear  0..1 4cpu 16Gi $0.50
        pods web*9 1cpu 1Gi
        ",
        expect![[r#"
            buy     cheap 0 → 1 for web-0 … web-3
            buy     dear 0 → 1 for web-4 … web-7
            wait    web-8: AwaitsNextPass (cheap: OutOfStock 0, dear: MaxSizeReached, none: OutOfStock 0, whole: OutOfStock 3)
            cost    $0.00 → $0.70
        "#]],
    );
}

#[test]
fn the_user_may_want_to_buy_all_the_same() {
    check(
        "
        flags scale-up-when-unhealthy=true
        group only 0..10 4cpu 16Gi $0.20
        group next 0..10 4cpu 16Gi $0.50
        node a-0 of only
        node a-1 of only unready=40m
        node a-2 of only unready=40m
        node a-3 of only unready=40m
        node a-4 of only unready=40m
        pods web*5 1cpu 1Gi
        ",
        expect![[r#"
            cluster unhealthy
            buy     next 0 → 1 for web-4
            group   only: unhealthy, 1 ready and 0 upcoming of 5
            fits    web-0 … web-3 on a-0
            keep    a-0 … a-4: ClusterUnhealthy
            cost    $1.00 → $1.50
        "#]],
    );
}

#[test]
fn an_unhealthy_group_leaves_the_others_alone() {
    check(
        "
        group ill 0..10 4cpu 16Gi $0.20
        group well 0..10 4cpu 16Gi $0.50
        node a-0 of ill unready=10m
        node a-1 of ill unready=10m
        node a-2 of ill unready=10m
        node a-3 of ill unready=10m
        node b-0 of well
        node b-1 of well
        node b-2 of well
        node b-3 of well
        node b-4 of well
        node b-5 of well
        pods web*25 1cpu 1Gi
        ",
        expect![[r#"
            buy     well 6 → 7 for web-24
            group   ill: unhealthy, 0 ready and 0 upcoming of 4
            fits    web-0 … web-3 on b-0
            fits    web-4 … web-7 on b-1
            fits    web-8 … web-11 on b-2
            fits    web-12 … web-15 on b-3
            fits    web-16 … web-19 on b-4
            fits    web-20 … web-23 on b-5
            keep    b-0 … b-5: NotUnderutilized
            keep    a-0 … a-3: NotUnreadyLongEnough, idle since 12:00
            cost    $3.80 → $4.30
        "#]],
    );
}

#[test]
fn nothing_is_bought_from_zero_unless_wanted() {
    check(
        "
        flags scale-up-from-zero=false
        group only 0..10 4cpu 16Gi $0.20
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            wait    web: AwaitsNextPass (only: SwitchedOff by scale-up-from-zero)
        "#]],
    );
}

#[test]
fn an_unhealthy_cluster_is_not_raised_to_its_minimum() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        group more 2..10 4cpu 16Gi $0.20
        node a-1 of only unready=40m
        node a-2 of only unready=40m
        node a-3 of only unready=40m
        node a-4 of only unready=40m
        ",
        expect![[r#"
            cluster unhealthy
            group   only: unhealthy, 0 ready and 0 upcoming of 4
            keep    a-1 … a-4: ClusterUnhealthy
        "#]],
    );
}
