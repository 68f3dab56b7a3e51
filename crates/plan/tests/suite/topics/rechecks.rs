//! Nodes for whose pods no other place was found, and how long none is looked for.

use expect_test::expect;

use crate::fixture::{check_passes, last_of};

/// A node whose pod has no other place, and nobody to blame but a node that is full.
const STUCK: &str = "
    flags unremovable-node-recheck-timeout=5m
    group a 0..10 4cpu 16Gi $0.20
    node a-0 of a
    node other 4cpu 16Gi
    pods web 1cpu 1Gi on=a-0 owner=rs
    pods full 4cpu 1Gi on=other owner=rs
";

#[test]
fn a_node_that_could_not_be_emptied_is_left_alone_for_a_while() {
    let free = STUCK.replace("pods full 4cpu", "pods full 2cpu");
    check_passes(
        &[(0, STUCK)],
        expect![[r#"
            keep    other: NoNodeGroup
            keep    a-0: NoPlaceToMovePods
        "#]],
    );
    check_passes(
        &[(0, STUCK), (4, &free)],
        expect![[r#"
            keep    other: NoNodeGroup
            keep    a-0: RecentlyUnremovable
        "#]],
    );
    check_passes(
        &[(0, STUCK), (4, &free), (5, &free)],
        expect![[r#"
            keep    other: NoNodeGroup
            keep    a-0: NotUnneededLongEnough, idle since 12:05
        "#]],
    );
}

#[test]
fn every_pass_looks_unless_told_otherwise() {
    let always = STUCK.replace("recheck-timeout=5m", "recheck-timeout=0s");
    let free = always.replace("pods full 4cpu", "pods full 2cpu");
    assert!(last_of(&[(0, &always)]).memory.unremovable_until.is_empty());
    // What is remembered from a time with other settings does not count either.
    check_passes(
        &[(0, STUCK), (1, &free)],
        expect![[r#"
            keep    other: NoNodeGroup
            keep    a-0: NotUnneededLongEnough, idle since 12:01
        "#]],
    );
}

#[test]
fn a_node_that_would_go_now_is_left_alone_too() {
    let old = format!("{STUCK}\n memory unneeded a-0 since=1h");
    let free = STUCK.replace("pods full 4cpu", "pods full 2cpu");
    check_passes(
        &[(0, &old), (1, &free)],
        expect![[r#"
            keep    other: NoNodeGroup
            keep    a-0: RecentlyUnremovable
        "#]],
    );
}

#[test]
fn what_is_remembered_of_a_node_goes_with_it() {
    let gone = "
        flags unremovable-node-recheck-timeout=5m
        group a 0..10 4cpu 16Gi $0.20
        node other 4cpu 16Gi
    ";
    let memory = last_of(&[(0, STUCK)]).memory.unremovable_until;
    let until: Vec<String> = memory.iter().map(|(node, until)| format!("{node} {until}")).collect();
    assert_eq!(until, ["a-0 2026-01-01T12:05:00Z"]);
    assert!(last_of(&[(0, STUCK), (1, gone)]).memory.unremovable_until.is_empty());
}

#[test]
fn the_time_is_not_prolonged_by_waiting() {
    let memory = |passes: &[(i64, &str)]| last_of(passes).memory.unremovable_until;
    assert_eq!(memory(&[(0, STUCK), (4, STUCK)]), memory(&[(0, STUCK)]));
    assert_ne!(memory(&[(0, STUCK), (5, STUCK)]), memory(&[(0, STUCK)]));
}
