//! Accelerators are for those who ask for them.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_gpu_pod_gets_a_gpu_node() {
    check(
        "
        group cpu 0..10 4cpu 16Gi $0.20
        group gpu 0..10 4cpu 16Gi $2.00 gpu=1
        pods train 1cpu 1Gi gpu=1
        ",
        expect![[r#"
            buy     gpu 0 → 1 for train
            cost    $0.00 → $2.00
        "#]],
    );
}

#[test]
fn a_cpu_pod_gets_a_cpu_node() {
    check(
        "
        group cpu 0..10 4cpu 16Gi $0.20
        group gpu 0..10 4cpu 16Gi $2.00 gpu=1
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     cpu 0 → 1 for web
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_cpu_pod_gets_a_cpu_node_even_if_the_gpu_node_is_cheaper() {
    check(
        "
        group cpu 0..10 4cpu 16Gi $0.50
        group gpu 0..10 4cpu 16Gi $0.20 gpu=1
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     cpu 0 → 1 for web
            cost    $0.00 → $0.50
        "#]],
    );
}

#[test]
fn many_cpu_pods_get_cpu_nodes_even_if_gpu_nodes_are_cheaper() {
    check(
        "
        group cpu 0..10 4cpu 16Gi $0.50
        group gpu 0..10 4cpu 16Gi $0.20 gpu=1
        pods web*10 1cpu 1Gi
        ",
        expect![[r#"
            buy     cpu 0 → 3 for web-0 … web-9
            cost    $0.00 → $1.50
        "#]],
    );
}

#[test]
fn a_cpu_pod_that_only_a_gpu_node_can_hold_gets_one() {
    check(
        "
        group cpu 0..10 2cpu 8Gi  $0.10
        group gpu 0..10 8cpu 32Gi $2.00 gpu=1
        pods big 6cpu 1Gi
        ",
        expect![[r#"
            buy     gpu 0 → 1 for big
            cost    $0.00 → $2.00
        "#]],
    );
}

#[test]
fn cpu_pods_use_what_is_left_beside_the_gpu() {
    check(
        "
        group cpu 0..10 4cpu 16Gi $0.20
        group gpu 0..10 4cpu 16Gi $2.00 gpu=1
        pods train 1cpu 1Gi gpu=1
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            buy     gpu 0 → 1 for train, web-0 … web-2
            cost    $0.00 → $2.00
        "#]],
    );
}

#[test]
fn cpu_pods_that_find_no_room_beside_the_gpu_get_cpu_nodes() {
    check(
        "
        group cpu 0..10 4cpu 16Gi $0.50
        group gpu 0..10 4cpu 16Gi $0.20 gpu=1
        pods train 1cpu 1Gi gpu=1
        pods web*5 1cpu 1Gi
        ",
        expect![[r#"
            buy     cpu 0 → 1 for web-0, web-1
            buy     gpu 0 → 1 for train, web-2 … web-4
            cost    $0.00 → $0.70
        "#]],
    );
}

/// The cpu group is full, and a node of the other is better than none.
#[test]
fn cpu_pods_get_a_gpu_node_where_there_is_no_other() {
    check(
        "
        group cpu 0..0 4cpu 16Gi $0.50
        group gpu 0..10 4cpu 16Gi $0.20 gpu=1
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     gpu 0 → 1 for web
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn several_gpus_a_node_are_shared() {
    check(
        "
        group one  0..10 4cpu 16Gi  $1.00 gpu=1
        group four 0..10 16cpu 64Gi $3.00 gpu=4
        pods train*4 1cpu 1Gi gpu=1
        ",
        expect![[r#"
            buy     four 0 → 1 for train-0 … train-3
            cost    $0.00 → $3.00
        "#]],
    );
}

#[test]
fn two_gpus_for_one_pod_are_not_two_nodes() {
    check(
        "
        group one  0..10 4cpu 16Gi  $1.00 gpu=1
        group four 0..10 16cpu 64Gi $3.00 gpu=4
        pods train 1cpu 1Gi gpu=2
        ",
        expect![[r#"
            buy     four 0 → 1 for train
            cost    $0.00 → $3.00
        "#]],
    );
}

#[test]
fn gpus_are_spared_where_pods_are_spread_over_zones() {
    check(
        "
        group a-gpu 0..10 4cpu 16Gi $0.20 gpu=1 zone=a
        group a-cpu 0..10 4cpu 16Gi $0.50 zone=a
        group b-cpu 0..10 4cpu 16Gi $0.50 zone=b
        pods web*4 1cpu 1Gi zone-spread=1
        ",
        expect![[r#"
            buy     a-cpu 0 → 1 for web-0, web-2
            buy     b-cpu 0 → 1 for web-1, web-3
            cost    $0.00 → $1.00
        "#]],
    );
}

#[test]
fn gpu_pods_and_cpu_pods_share_the_last_node() {
    check(
        "
        flags max-nodes-total=1
        group cpu 0..10 4cpu 16Gi $0.20
        group gpu 0..10 4cpu 16Gi $2.00 gpu=1
        pods web*3 1cpu 1Gi
        pods train 1cpu 1Gi gpu=1
        ",
        expect![[r#"
            buy     gpu 0 → 1 for train, web-0 … web-2
            cost    $0.00 → $2.00
        "#]],
    );
}
