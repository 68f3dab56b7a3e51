//! What is on its way, and nodes that have not started or have failed.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_machine_on_its_way_takes_pods() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20 instance i-0 creating
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            group   only: healthy, 0 ready and 1 upcoming of 1
            fits    web-0 … web-2 on only#upcoming-1
        "#]],
    );
}

#[test]
fn what_does_not_fit_there_is_bought() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20 instance i-0 creating
        pods web*6 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web-4, web-5
            group   only: healthy, 0 ready and 1 upcoming of 1
            fits    web-0 … web-3 on only#upcoming-1
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn a_target_above_what_is_listed_is_on_its_way() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20 target=2
        memory order only 2 at=1m
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            group   only: healthy, 0 ready and 2 upcoming of 2
            fits    web-0 … web-3 on only#upcoming-1
            fits    web-4 … web-7 on only#upcoming-2
        "#]],
    );
}

#[test]
fn a_young_node_that_is_not_ready_is_on_its_way() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20
        node a-0 of only unready=2m created=2m
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            fits    web-0 … web-2 on a-0
            keep    a-0: NotUnreadyLongEnough
        "#]],
    );
}

#[test]
fn a_node_with_a_startup_taint_is_on_its_way() {
    check(
        "
        flags startup-taint=net
        group only 0..4 4cpu 16Gi $0.20
        node a-0 of only created=2m taint=net:NoSchedule
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            fits    web-0 … web-2 on a-0
            keep    a-0: NotUnreadyLongEnough
        "#]],
    );
}

#[test]
fn an_old_node_that_is_not_ready_takes_nobody() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20
        node a-0 of only unready=2m
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web-0 … web-2
            keep    a-0: NotUnreadyLongEnough, idle since 12:00
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn a_gpu_that_does_not_show_yet_is_waited_for() {
    check(
        "
        group gpu 0..4 4cpu 16Gi $2 gpu=1 label=accelerator=t4
        node g-0 of gpu created=3m gpu=0
        pods train 1cpu 1Gi gpu=1
        ",
        expect![[r#"
            fits    train on g-0
            keep    g-0: NotUnreadyLongEnough
        "#]],
    );
}

#[test]
fn a_cordoned_node_takes_nobody() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20
        node a-0 of only cordoned
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web
            keep    a-0: NotUnneededLongEnough, idle since 12:00
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn a_taint_of_the_moment_is_not_on_new_nodes() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20
        node a-0 of only taint=node.kubernetes.io/memory-pressure:NoSchedule
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web
            keep    a-0: NotUnneededLongEnough, idle since 12:00
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn a_taint_of_the_member_is_on_new_nodes() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20
        node a-0 of only taint=team=a:NoSchedule
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            wait    web: NoGroupFits (only: TaintToleration)
            keep    a-0: NotUnneededLongEnough, idle since 12:00
        "#]],
    );
}

#[test]
fn pods_of_a_node_that_leaves_need_a_place_too() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20
        node a-0 of only leaving
        node a-1 of only
        pods old*3 1cpu 1Gi on=a-0 owner=rs
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 2 → 3 for web-1, web-2
            fits    web-0 on a-1
            keep    a-0: CurrentlyBeingDeleted
            keep    a-1: NotUnderutilized
            cost    $0.40 → $0.60
        "#]],
    );
}

#[test]
fn pods_without_an_owner_go_with_their_node() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20
        node a-0 of only leaving
        node a-1 of only
        pods old*3 1cpu 1Gi on=a-0
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            fits    web-0 … web-2 on a-1
            keep    a-0: CurrentlyBeingDeleted
            keep    a-1: NotUnderutilized
        "#]],
    );
}

#[test]
fn a_machine_that_is_being_deleted_brings_nothing() {
    check(
        "
        group only 0..4 4cpu 16Gi $0.20 instance i-0 deleting
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 1 for web
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_node_whose_startup_taint_stays_too_long_is_not_waited_for() {
    check(
        "
        flags startup-taint=net
        group only 0..4 4cpu 16Gi $0.20
        node a-0 of only created=40m taint=net:NoSchedule
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web
            keep    a-0: NotUnreadyLongEnough, idle since 12:00
            cost    $0.20 → $0.40
        "#]],
    );
}
