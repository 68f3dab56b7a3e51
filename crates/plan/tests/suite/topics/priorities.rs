//! Who is served when not all can be: the more important pod, whatever it costs.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn the_important_pod_gets_the_last_node() {
    check(
        "
        group only 0..1 4cpu 16Gi $0.20
        pods low*4 1cpu 1Gi
        pods high 3cpu 1Gi prio=100
        ",
        expect![[r#"
            buy     only 0 → 1 for high, low-0
            wait    low-1 … low-3: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn all_are_served_together_when_there_is_room_for_all() {
    check(
        "
        group only 0..3 4cpu 16Gi $0.20
        pods low*4 1cpu 1Gi
        pods high*4 1cpu 1Gi prio=100
        ",
        expect![[r#"
            buy     only 0 → 2 for high-0 … high-3, low-0 … low-3
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn an_important_pod_that_nobody_can_serve_holds_nobody_up() {
    check(
        "
        group only 0..1 4cpu 16Gi $0.20
        pods low*2 1cpu 1Gi
        pods high 8cpu 1Gi prio=100
        ",
        expect![[r#"
            buy     only 0 → 1 for low-0, low-1
            wait    high: NoGroupFits (only: NodeResourcesFit)
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn what_is_left_beside_the_important_serves_the_rest() {
    check(
        "
        flags max-nodes-total=1
        group only 0..5 4cpu 16Gi $0.20
        pods low*4 1cpu 1Gi
        pods high*3 1cpu 1Gi prio=100
        ",
        expect![[r#"
            buy     only 0 → 1 for high-0 … high-2, low-0
            wait    low-1 … low-3: AwaitsNextPass (only: QuotaExceeded by max-nodes-total)
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn three_ranks_are_served_in_order() {
    check(
        "
        group only 0..2 4cpu 16Gi $0.20
        pods low*4  1cpu 1Gi
        pods mid*4  1cpu 1Gi prio=50
        pods high*4 1cpu 1Gi prio=100
        ",
        expect![[r#"
            buy     only 0 → 2 for high-0 … high-3, mid-0 … mid-3
            wait    low-0 … low-3: AwaitsNextPass (only: MaxSizeReached)
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn the_important_pod_takes_room_that_is_here_first() {
    check(
        "
        group only 0..1 4cpu 16Gi $0.20
        node a-0 of only
        pods low*4 2cpu 1Gi
        pods high 3cpu 1Gi prio=100
        ",
        expect![[r#"
            fits    high on a-0
            wait    low-0 … low-3: AwaitsNextPass (only: MaxSizeReached)
            keep    a-0: NotUnderutilized
        "#]],
    );
}

#[test]
fn an_important_pod_that_needs_the_dear_group_gets_it() {
    check(
        "
        flags max-nodes-total=1
        group cheap 0..5 4cpu 16Gi $0.20
        group dear  0..5 4cpu 16Gi $2.00 label=disk=ssd
        pods low*4 1cpu 1Gi
        pods high 1cpu 1Gi prio=100 selector=disk=ssd
        ",
        expect![[r#"
            buy     dear 0 → 1 for high, low-0 … low-2
            wait    low-3: AwaitsNextPass (cheap: QuotaExceeded by max-nodes-total, dear: QuotaExceeded by max-nodes-total)
            cost    $0.00 → $2.00
        "#]],
    );
}

#[test]
fn an_important_pod_overtakes_only_those_it_needs_to() {
    check(
        "
        group cheap 0..1 4cpu 16Gi $0.20
        group ssd   0..1 4cpu 16Gi $0.50 label=disk=ssd
        pods low*6  1cpu 1Gi
        pods high*4 1cpu 1Gi prio=100 selector=disk=ssd
        ",
        expect![[r#"
            buy     cheap 0 → 1 for low-0 … low-3
            buy     ssd 0 → 1 for high-0 … high-3
            wait    low-4, low-5: AwaitsNextPass (cheap: MaxSizeReached, ssd: MaxSizeReached)
            cost    $0.00 → $0.70
        "#]],
    );
}

#[test]
fn a_cheaper_choice_for_the_unimportant_does_not_cost_the_important_their_node() {
    check(
        "
        flags cores-total=0:8
        group small 0..10 2cpu 8Gi  $0.01
        group large 0..10 8cpu 32Gi $1.00
        pods low*8 1cpu 1Gi
        pods high 6cpu 1Gi prio=100
        ",
        expect![[r#"
            buy     large 0 → 1 for high, low-0, low-1
            wait    low-2 … low-7: AwaitsNextPass (large: QuotaExceeded by cores-total, small: QuotaExceeded by cores-total)
            cost    $0.00 → $1.00
        "#]],
    );
}
