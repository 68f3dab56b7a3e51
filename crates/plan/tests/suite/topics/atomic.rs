//! Groups that come whole or not at all.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn the_whole_group_comes_for_one_pod() {
    check(
        "
        group slice 0..4 4cpu 16Gi $0.20 atomic label=slice=yes
        pods job 1cpu 1Gi selector=slice=yes
        ",
        expect![[r#"
            buy     slice 0 → 4 for job
            cost    $0.00 → $0.80
        "#]],
    );
}

#[test]
fn others_are_preferred() {
    check(
        "
        group slice 0..4 4cpu 16Gi $0.05 atomic
        group plain 0..4 4cpu 16Gi $0.20
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     plain 0 → 1 for web
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn part_of_a_group_is_not_bought() {
    check(
        "
        flags max-nodes-total=3
        group slice 0..4 4cpu 16Gi $0.20 atomic
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            wait    web: AwaitsNextPass (slice: QuotaExceeded by max-nodes-total)
        "#]],
    );
}

#[test]
fn a_bound_of_the_pass_does_not_cut_it_in_parts() {
    check(
        "
        flags max-nodes-per-scaleup=2
        group slice 0..4 4cpu 16Gi $0.20 atomic
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            wait    web: AwaitsNextPass (slice: ScaleUpLimitReached by max-nodes-per-scaleup)
        "#]],
    );
}

#[test]
fn of_two_the_cheaper_whole_comes() {
    check(
        "
        group few  0..2 8cpu 32Gi $0.50 atomic
        group many 0..8 4cpu 16Gi $0.20 atomic
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     few 0 → 2 for web
            cost    $0.00 → $1.00
        "#]],
    );
}

/// A purchase for the less important does not give back what was bought whole for others.
#[test]
fn an_atomic_group_stays_whole_when_others_are_bought_for() {
    check(
        "
        group whole 0..3 16cpu 64Gi $0.10 zone=a atomic
        pods web*2 7Gi apart=zone
        pods pair*2 7Gi prio=5 apart near=host
        ",
        expect![[r#"
            buy     whole 0 → 3 for pair-0, web-0
            wait    pair-1, web-1: AwaitsNextPass (whole: MaxSizeReached)
            cost    $0.00 → $0.30
        "#]],
    );
}
