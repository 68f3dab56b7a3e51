//! CapacityQuotas: limits for nodes with certain labels, each of which holds by itself.

use expect_test::expect;
use plimsoll_plan::plan;

use crate::fixture::{check, world};

#[test]
fn nodes_that_are_there_and_on_their_way_count() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20 instance i-0 creating
        node n of only
        raw {kind: CapacityQuota, apiVersion: autoscaling.x-k8s.io/v1beta1, metadata: {name: few}, spec: {limits: {resources: {nodes: 3}}}}
        pods web*16 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 2 → 3 for web-8 … web-11
            group   only: healthy, 1 ready and 1 upcoming of 2
            fits    web-0 … web-3 on n
            fits    web-4 … web-7 on only#upcoming-1
            wait    web-12 … web-15: AwaitsNextPass (only: QuotaExceeded by CapacityQuota/few)
            keep    n: NotUnderutilized
            cost    $0.40 → $0.60
        "#]],
    );
}

#[test]
fn other_nodes_are_not_concerned() {
    check(
        "
        group spot 0..10 4cpu 16Gi $0.10 label=kind=spot
        group firm 0..10 4cpu 16Gi $0.20 label=kind=firm
        raw {kind: CapacityQuota, apiVersion: autoscaling.x-k8s.io/v1alpha1, metadata: {name: spot}, spec: {selector: {matchLabels: {kind: spot}}, limits: {resources: {cpu: 9}}}}
        pods web*16 1cpu 1Gi
        ",
        expect![[r#"
            buy     firm 0 → 2 for web-4 … web-7, web-12 … web-15
            buy     spot 0 → 2 for web-0 … web-3, web-8 … web-11
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn of_several_quotas_each_has_to_hold() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20 label=kind=spot
        raw {kind: CapacityQuota, apiVersion: autoscaling.x-k8s.io/v1beta1, metadata: {name: all}, spec: {limits: {resources: {nodes: 9, memory: 40Gi}}}}
        raw {kind: CapacityQuota, apiVersion: autoscaling.x-k8s.io/v1beta1, metadata: {name: spot}, spec: {selector: {matchLabels: {kind: spot}}, limits: {resources: {nodes: 5, cpu: 100}}}}
        pods web*16 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 2 for web-0 … web-7
            wait    web-8 … web-15: AwaitsNextPass (only: QuotaExceeded by CapacityQuota/all)
            cost    $0.00 → $0.40
        "#]],
    );
}

/// What is above its quota already stays as it is.
#[test]
fn a_quota_gives_nothing_back() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a of only
        node b of only
        raw {kind: CapacityQuota, apiVersion: autoscaling.x-k8s.io/v1beta1, metadata: {name: few}, spec: {limits: {resources: {nodes: 1}}}}
        pods here 4cpu 1Gi on=a
        pods there 4cpu 1Gi on=b
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            wait    web: AwaitsNextPass (only: QuotaExceeded by CapacityQuota/few)
            keep    a, b: NotUnderutilized
        "#]],
    );
}

/// A resource that nodes of the group do not have is no obstacle.
#[test]
fn a_quota_for_something_else_does_not_matter() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        raw {kind: CapacityQuota, apiVersion: autoscaling.x-k8s.io/v1beta1, metadata: {name: gpus}, spec: {limits: {resources: {nvidia.com/gpu: 0}}}}
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     only 0 → 1 for web
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn groups_are_raised_to_their_minimum_within_quotas() {
    check(
        "
        group only 3..10 4cpu 16Gi $0.20
        raw {kind: CapacityQuota, apiVersion: autoscaling.x-k8s.io/v1beta1, metadata: {name: few}, spec: {limits: {resources: {nodes: 2}}}}
        ",
        expect![[r#"
            repair  raise only 0 → 2
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn what_is_used_is_told() {
    let world = world(
        "
        group only 0..10 4cpu 16Gi $0.20 label=kind=spot
        node a of only
        node byhand 1cpu 1Gi
        raw {kind: CapacityQuota, apiVersion: autoscaling.x-k8s.io/v1beta1, metadata: {name: spot, generation: 2}, spec: {selector: {matchLabels: {kind: spot}}, limits: {resources: {nodes: 5, cpu: 100}}}}
        raw {kind: CapacityQuota, apiVersion: autoscaling.x-k8s.io/v1beta1, metadata: {name: all}, spec: {limits: {resources: {nodes: 5}}}}
        ",
    );
    let told: Vec<String> = plan(&world)
        .quotas
        .iter()
        .map(|quota| format!("{} {} {:?}", quota.name, quota.generation, quota.used))
        .collect();
    expect![[r#"
        all 0 [("nodes", 2)]
        spot 2 [("cpu", 4000), ("nodes", 1)]"#]]
    .assert_eq(&told.join("\n"));
}
