//! Room that is kept free for pods to come.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn room_is_bought_when_there_is_none() {
    check(
        "
        flags headroom=3:cpu=1,memory=1Gi
        group only 0..10 2cpu 8Gi $0.20
        ",
        expect![[r#"
            buy     only 0 → 2 for nobody
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_pod_takes_the_room_that_was_kept_and_room_is_bought_anew() {
    check(
        "
        flags headroom=2:cpu=1,memory=1Gi
        group only 0..10 2cpu 8Gi $0.20
        node a-0 of only
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for nobody
            fits    web on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn a_node_with_room_to_keep_is_not_given_back() {
    check(
        "
        flags headroom=1:cpu=1,memory=1Gi
        group only 0..10 2cpu 8Gi $0.20
        node a-0 of only
        node a-1 of only
        memory unneeded a-0 since=30m
        memory unneeded a-1 since=30m
        ",
        expect![[r#"
            give    a-1 of only: empty
            keep    a-0: NotUnderutilized
            cost    $0.40 → $0.20
        "#]],
    );
}

#[test]
fn a_percentage_is_that_of_what_runs() {
    check(
        "
        flags headroom-percent=50
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods web*4 1cpu 1Gi on=a-0 owner=rs
        ",
        expect![[r#"
            buy     only 1 → 2 for nobody
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}
