//! Prices, the fee for each node, and stand-ins where no price is known.

use expect_test::expect;

use crate::fixture::check;

#[test]
fn the_cheaper_of_two_equal_groups_is_bought() {
    check(
        "
        group dear  0..10 4cpu 16Gi $0.50
        group cheap 0..10 4cpu 16Gi $0.20
        pods web*6 1cpu 2Gi
        ",
        expect![[r#"
            buy     cheap 0 → 2 for web-0 … web-5
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn price_counts_not_size() {
    check(
        "
        group large 0..10 16cpu 64Gi $0.30
        group small 0..10 2cpu 4Gi   $0.40
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web
            cost    $0.00 → $0.30
        "#]],
    );
}

#[test]
fn of_equal_prices_the_fee_prefers_fewer_nodes() {
    check(
        "
        group small 0..10 2cpu 8Gi  $0.10
        group large 0..10 4cpu 16Gi $0.20
        pods web*4 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web-0 … web-3
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_high_fee_makes_many_small_nodes_dear() {
    check(
        "
        flags node-fee=1
        group small 0..10 1cpu 4Gi  $0.01
        group large 0..10 8cpu 32Gi $2.00
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web-0 … web-7
            cost    $0.00 → $2.00
        "#]],
    );
}

#[test]
fn free_nodes_are_bought_first_and_still_sparingly() {
    check(
        "
        group free 0..2 4cpu 16Gi $0
        group paid 0..9 4cpu 16Gi $0.20
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            buy     free 0 → 1 for web-0 … web-2
        "#]],
    );
}

#[test]
fn without_prices_size_stands_in() {
    check(
        "
        group large 0..10 16cpu 64Gi
        group small 0..10 2cpu 8Gi
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     small 0 → 1 for web
        "#]],
    );
}

/// Two cores and 8 GiB stand in for 0.092 an hour, which is less than the price.
#[test]
fn a_stand_in_is_compared_with_a_price() {
    check(
        "
        group priced   0..10 2cpu 8Gi $0.10
        group unpriced 0..10 2cpu 8Gi
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     unpriced 0 → 1 for web
        "#]],
    );
}

#[test]
fn the_users_weights_make_the_stand_in() {
    check(
        "
        flags cost-per-cpu=1 cost-per-gib=0
        group cpus   0..10 4cpu 8Gi
        group memory 0..10 2cpu 32Gi
        pods web 1cpu 4Gi
        ",
        expect![[r#"
            buy     memory 0 → 1 for web
        "#]],
    );
}

#[test]
fn the_cheap_group_is_filled_before_the_dear_one() {
    check(
        "
        group cheap 0..1 4cpu 16Gi $0.20
        group dear  0..9 4cpu 16Gi $0.50
        pods web*8 1cpu 2Gi
        ",
        expect![[r#"
            buy     cheap 0 → 1 for web-0 … web-3
            buy     dear 0 → 1 for web-4 … web-7
            cost    $0.00 → $0.70
        "#]],
    );
}

#[test]
fn a_cheap_node_beside_a_dear_one_that_holds_all_is_not_bought() {
    check(
        "
        group cheap 0..1 2cpu 4Gi  $0.10
        group dear  0..9 8cpu 32Gi $1.00
        pods web*3 1cpu 1Gi
        ",
        expect![[r#"
            buy     dear 0 → 1 for web-0 … web-2
            cost    $0.00 → $1.00
        "#]],
    );
}
