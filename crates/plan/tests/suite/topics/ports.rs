//! Host ports: each is used once a host.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_port_is_used_once_a_host() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        pods web*3 100m 1Gi port=80
        pods api*3 100m 1Gi port=81
        ",
        expect![[r#"
            buy     only 0 → 3 for api-0 … api-2, web-0 … web-2
            cost    $0.00 → $0.60
        "#]],
    );
}

#[test]
fn a_daemons_port_is_taken_on_every_new_host() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        daemon proxy 100m 100Mi port=80
        pods web 100m 1Gi port=80
        ",
        expect![[r#"
            wait    web: NoGroupFits (only: NodePorts)
        "#]],
    );
}

#[test]
fn a_port_in_use_here_is_free_on_a_new_host() {
    check(
        "
        group only 0..10 4cpu 16Gi $0.20
        node a-0 of only
        pods old 100m 1Gi port=80 on=a-0 owner=rs
        pods web*2 100m 1Gi port=80
        ",
        expect![[r#"
            buy     only 1 → 3 for web-0, web-1
            keep    a-0: NoPlaceToMovePods
            cost    $0.20 → $0.60
        "#]],
    );
}
