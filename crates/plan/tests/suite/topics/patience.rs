//! Limits of time, counted in steps: what a pass thinks about, and what it leaves to the next.

use expect_test::expect;
use plimsoll_plan::plan;

use crate::fixture::check;

#[test]
fn one_choice_is_one_group() {
    check(
        "
        flags expander=most-pods salvo-scale-up=false
        group plain 0..10 4cpu 16Gi $0.10
        group ssd   0..10 4cpu 16Gi $0.90 label=disk=ssd taint=team=x:NoSchedule
        pods web*6 1cpu 1Gi
        pods db 1cpu 1Gi selector=disk=ssd tolerate=team
        ",
        expect![[r#"
            buy     plain 0 → 2 for web-0 … web-5
            wait    db: AwaitsNextPass (plain: NodeAffinity, ssd: NotChosen)
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn one_choice_is_spread_over_groups_that_are_alike() {
    check(
        "
        flags expander=most-pods salvo-scale-up=false balance-similar-node-groups=true
        group a   0..10 4cpu 16Gi $0.10 zone=a
        group b   0..10 4cpu 16Gi $0.10 zone=b
        group ssd 0..10 4cpu 16Gi $0.90 label=disk=ssd taint=team=x:NoSchedule
        pods web*8 1cpu 1Gi
        pods db 1cpu 1Gi selector=disk=ssd tolerate=team
        ",
        expect![[r#"
            buy     a 0 → 1 for web-0 … web-3
            buy     b 0 → 1 for web-4 … web-7
            wait    db: AwaitsNextPass (a: NodeAffinity, b: NodeAffinity, ssd: NotChosen)
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn one_choice_is_for_the_most_important_first() {
    check(
        "
        flags expander=most-pods salvo-scale-up=false
        group plain 0..10 4cpu 16Gi $0.10
        group ssd   0..10 4cpu 16Gi $0.90 label=disk=ssd taint=team=x:NoSchedule
        pods web*6 1cpu 1Gi
        pods db 1cpu 1Gi selector=disk=ssd tolerate=team prio=5
        ",
        expect![[r#"
            buy     ssd 0 → 1 for db
            wait    web-0 … web-5: AwaitsNextPass (plain: NotChosen, ssd: TaintToleration)
            cost    $0.00 → $0.90
        "#]],
    );
}

/// Pods that have to share a host are bought for before all others; that is a choice like any other.
#[test]
fn a_company_is_a_choice() {
    check(
        "
        flags expander=least-waste salvo-scale-up=false
        group plain 0..10 4cpu 16Gi $0.10
        group ssd   0..10 4cpu 16Gi $0.90 label=disk=ssd taint=team=x:NoSchedule
        pods web*6 1cpu 1Gi
        pods pair*2 1cpu 1Gi near=host selector=disk=ssd tolerate=team
        ",
        expect![[r#"
            buy     ssd 0 → 1 for pair-0, pair-1
            wait    web-0 … web-5: AwaitsNextPass (plain: NotChosen, ssd: TaintToleration)
            cost    $0.00 → $0.90
        "#]],
    );
}

#[test]
fn the_joint_purchase_is_one_choice() {
    check(
        "
        flags salvo-scale-up=false
        group plain 0..10 4cpu 16Gi $0.10
        group ssd   0..10 4cpu 16Gi $0.90 label=disk=ssd taint=team=x:NoSchedule
        pods web*6 1cpu 1Gi
        pods db 1cpu 1Gi selector=disk=ssd tolerate=team
        ",
        expect![[r#"
            buy     plain 0 → 2 for web-0 … web-5
            buy     ssd 0 → 1 for db
            cost    $0.00 → $1.10
        "#]],
    );
}

/// Groups that grow whole are no part of the packing. Where it helps nobody, they are the choice.
#[test]
fn a_group_that_grows_whole_is_a_choice() {
    check(
        "
        flags salvo-scale-up=false
        group whole 0..2 4cpu 16Gi $0.10 atomic
        pods web*2 4cpu 1Gi
        ",
        expect![[r#"
            buy     whole 0 → 2 for web-0, web-1
            cost    $0.00 → $0.20
        "#]],
    );
}

/// Each request is a choice of its own: it gets all that it asks for, or nothing.
#[test]
fn a_request_is_a_choice_of_its_own() {
    check(
        "
        flags expander=price salvo-scale-up=false enable-provisioning-requests=true
        group plain 0..10 4cpu 16Gi $0.10
        group ssd   0..10 4cpu 16Gi $0.90 label=disk=ssd
        pods web*6 1cpu 1Gi
        template db 1cpu 1Gi selector=disk=ssd
        request room atomic db*5
        ",
        expect![[r#"
            buy     plain 0 → 1 for web-2 … web-5
            buy     ssd 0 → 2 for web-0, web-1
            request room booked
                      Accepted=True, Accepted, ProvisioningRequest is accepted
                      Provisioned=True, CapacityIsProvisioned, Capacity is bought, and on its way
            cost    $0.00 → $1.90
        "#]],
    );
}

#[test]
fn once_the_budget_is_spent_no_choice_begins() {
    check(
        "
        flags expander=most-pods salvo-scale-up-budget=0s
        group plain 0..10 4cpu 16Gi $0.10
        group ssd   0..10 4cpu 16Gi $0.90 label=disk=ssd taint=team=x:NoSchedule
        pods web*6 1cpu 1Gi
        pods db 1cpu 1Gi selector=disk=ssd tolerate=team
        ",
        expect![[r#"
            buy     plain 0 → 2 for web-0 … web-5
            wait    db: AwaitsNextPass (plain: NodeAffinity, ssd: NotChosen)
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn the_budget_is_for_the_most_important_first() {
    check(
        "
        flags expander=most-pods salvo-scale-up-budget=0s
        group plain 0..10 4cpu 16Gi $0.10
        group ssd   0..10 4cpu 16Gi $0.90 label=disk=ssd taint=team=x:NoSchedule
        pods web*6 1cpu 1Gi
        pods db 1cpu 1Gi selector=disk=ssd tolerate=team prio=5
        ",
        expect![[r#"
            buy     ssd 0 → 1 for db
            wait    web-0 … web-5: AwaitsNextPass (plain: NotChosen, ssd: TaintToleration)
            cost    $0.00 → $0.90
        "#]],
    );
}

/// The dearer group is the first, and there is no time for another.
#[test]
fn without_time_the_choice_is_among_the_groups_considered() {
    check(
        "
        flags expander=price max-binpacking-time=0s
        group first  0..10 4cpu 16Gi $0.90
        group second 0..10 4cpu 16Gi $0.10
        pods web*4 1cpu 1Gi
        ",
        expect![[r#"
            buy     first 0 → 1 for web-0 … web-3
            cost    $0.00 → $0.90
        "#]],
    );
}

/// A group that helps nobody does not count.
#[test]
fn without_time_groups_are_considered_until_one_helps() {
    check(
        "
        flags expander=price max-binpacking-time=0s
        group first  0..10 4cpu 16Gi $0.90 taint=team=x:NoSchedule
        group second 0..10 4cpu 16Gi $0.10
        pods web*4 1cpu 1Gi
        ",
        expect![[r#"
            buy     second 0 → 1 for web-0 … web-3
            cost    $0.00 → $0.10
        "#]],
    );
}

/// The first idea costs more than what is found with time to think.
#[test]
fn without_time_the_first_idea_is_bought() {
    let world = "
        group a 0..20 4cpu 8Gi  $0.20
        group b 0..20 8cpu 16Gi $0.39
        pods web*6 1500m 3Gi
        pods one 2500m 1Gi
        pods db*5 1cpu 7Gi
    ";
    let cost = |flags: &str| {
        plan(&crate::fixture::world(&format!("{flags}\n{world}"))).cost.after.to_string()
    };
    let costs = [
        "",
        "flags max-binpacking-time=0s",
        "flags max-nodegroup-binpacking-duration=1ns",
        "flags max-nodegroup-binpacking-duration=0s",
        "flags max-binpacking-time=1ns max-nodegroup-binpacking-duration=1h",
    ];
    let costs: Vec<String> = costs.into_iter().map(cost).collect();
    expect!["$1.37 $1.57 $1.57 $1.37 $1.57"].assert_eq(&costs.join(" "));
}

/// A microsecond is time for one pod. Nothing is bought for the others, and the room that seems free may be for them.
#[test]
fn pods_that_nobody_has_looked_at_wait() {
    check(
        "
        flags enable-graceful-degradation=true pending-pods-batching-timeout=1us
        group a 0..10 4cpu 16Gi $0.20
        node a-0 of a
        node a-1 of a
        memory unneeded a-1 since=1h
        pods web*6 3cpu 1Gi
        ",
        expect![[r#"
            fits    web-0 on a-0
            wait    web-1 … web-5: AwaitsNextPass (a: TimeLimitReached by pending-pods-batching-timeout)
            keep    a-0: PodsNotLookedAt
            keep    a-1: PodsNotLookedAt, idle since 11:00
        "#]],
    );
}

#[test]
fn the_most_important_are_looked_at_first() {
    check(
        "
        flags enable-graceful-degradation=true pending-pods-batching-timeout=3us
        group a 0..10 4cpu 16Gi $0.20
        pods web*6 3cpu 1Gi
        pods db*2 1cpu 1Gi prio=5
        ",
        expect![[r#"
            buy     a 0 → 2 for db-0, db-1, web-0
            wait    web-1 … web-5: AwaitsNextPass (a: TimeLimitReached by pending-pods-batching-timeout)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_gang_of_which_one_was_not_looked_at_waits() {
    check(
        "
        flags enable-graceful-degradation=true pending-pods-batching-timeout=5us
        group a 0..10 4cpu 16Gi $0.20
        pods ring*3 3cpu 1Gi gang=ring prio=1
        pods web*3 3cpu 1Gi prio=2
        ",
        expect![[r#"
            buy     a 0 → 3 for web-0 … web-2
            wait    ring-0 … ring-2: AwaitsNextPass (a: TimeLimitReached by pending-pods-batching-timeout)
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn without_graceful_degradation_all_pods_are_looked_at() {
    check(
        "
        flags pending-pods-batching-timeout=1us
        group a 0..10 4cpu 16Gi $0.20
        pods web*6 3cpu 1Gi
        ",
        expect![[r#"
            buy     a 0 → 6 for web-0 … web-5
            cost    $0.00 → $1.20
        "#]],
    );
}

/// A microsecond is time for one empty node, which goes. The clocks of the others stand as they were.
#[test]
fn nodes_that_were_not_looked_at_stay() {
    check(
        "
        flags scale-down-simulation-timeout=1us
        group a 0..10 4cpu 16Gi $0.20
        node a-0 of a
        node a-1 of a
        node a-2 of a
        memory unneeded a-0 since=2h
        memory unneeded a-1 since=1h
        ",
        expect![[r#"
            give    a-0 of a: empty
            keep    a-2: SimulationTimeout
            keep    a-1: SimulationTimeout, idle since 11:00
            cost    $0.60 → $0.40
        "#]],
    );
}

/// Nodes whose time has not come are looked at after those that can go.
#[test]
fn clocks_are_started_with_the_time_that_is_left() {
    check(
        "
        flags scale-down-simulation-timeout=2us
        group a 0..10 4cpu 16Gi $0.20
        node a-0 of a
        node a-1 of a
        node a-2 of a
        memory unneeded a-2 since=2h
        ",
        expect![[r#"
            give    a-2 of a: empty
            keep    a-0: NotUnneededLongEnough, idle since 12:00
            keep    a-1: SimulationTimeout
            cost    $0.60 → $0.40
        "#]],
    );
}
