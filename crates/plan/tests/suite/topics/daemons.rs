//! What every new node carries from the start.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn overhead_is_taken_off_every_new_node() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        daemon agent 100m 200Mi
        pods web*4 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for web-0 … web-3
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_daemon_that_does_not_run_there_takes_nothing() {
    check(
        "
        group plain 0..10 4cpu 16Gi $0.20
        daemon agent 3cpu 200Mi selector=disk=ssd
        pods web*4 1cpu 1Gi
        ",
        expect![[r#"
            buy     plain 0 → 1 for web-0 … web-3
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_daemon_that_does_not_tolerate_the_group_takes_nothing() {
    check(
        "
        group tainted 0..10 4cpu 16Gi $0.20 taint=team=a:NoSchedule
        daemon agent 3cpu 200Mi
        pods web*4 1cpu 1Gi tolerate=team
        ",
        expect![[r#"
            buy     tainted 0 → 1 for web-0 … web-3
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_daemon_that_tolerates_it_does() {
    check(
        "
        group tainted 0..10 4cpu 16Gi $0.20 taint=team=a:NoSchedule
        daemon agent 3cpu 200Mi tolerate=team
        pods web*4 1cpu 1Gi tolerate=team
        ",
        expect![[r#"
            buy     tainted 0 → 4 for web-0 … web-3
            cost    $0.00 → $0.80
        "#]],
    );
}

#[test]
fn overhead_makes_large_nodes_the_better_bargain() {
    check(
        "
        group small 0..20 2cpu 8Gi  $0.10
        group large 0..20 8cpu 32Gi $0.45
        daemon agent 1cpu 200Mi
        pods web*7 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web-0 … web-6
            cost    $0.00 → $0.45
        "#]],
    );
}

#[test]
fn what_runs_here_already_is_not_counted_twice() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        daemon agent 1cpu 200Mi on=a-0
        pods web*6 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web-3 … web-5
            fits    web-0 … web-2 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn daemon_pods_that_wait_are_nobodys_business() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        raw {apiVersion: v1, kind: Pod, metadata: {name: agent-x, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: agent-uid, controller: true}]}, spec: {containers: [{name: a, image: a, resources: {requests: {cpu: '8'}}}]}}
        ",
        expect![[r#"
            wait    agent-x: Ignored
            keep    a-0: NotUnneededLongEnough, idle since 12:00
        "#]],
    );
}

#[test]
fn a_daemon_counts_before_it_runs_anywhere() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        daemon agent 1cpu 200Mi
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 3 for web-4 … web-7
            fits    web-0 … web-3 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.60
        "#]],
    );
}

#[test]
fn without_force_ds_only_daemons_of_the_model_count() {
    check(
        "
        flags force-ds=false
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        daemon agent 1cpu 200Mi
        daemon proxy 500m 200Mi on=a-0
        pods web*6 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 2 for web-3 … web-5
            fits    web-0 … web-2 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.40
        "#]],
    );
}

#[test]
fn without_force_ds_all_daemons_count_where_there_is_no_model() {
    check(
        "
        flags force-ds=false
        group only 0..10 4cpu 16Gi $0.20
        daemon agent 1cpu 200Mi
        pods web*4 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for web-0 … web-3
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn a_daemon_that_is_critical_for_its_node_counts_in_any_case() {
    check(
        "
        flags force-ds=false
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        raw {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, uid: agent-uid}, spec: {selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: {priorityClassName: system-node-critical, containers: [{name: a, image: a, resources: {requests: {cpu: '1'}}}]}}}}
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 1 → 3 for web-4 … web-7
            fits    web-0 … web-3 on a-0
            keep    a-0: NotUnderutilized
            cost    $0.20 → $0.60
        "#]],
    );
}
