//! Named expanders, and chains of them.

use expect_test::expect;

use plimsoll_model::{Advice, Symbol};
use plimsoll_plan::plan;

use crate::fixture::{check, show, world};

#[test]
fn least_waste_fills_its_node_best() {
    check(
        "
        flags expander=least-waste
        group tight 0..10 2cpu 4Gi  $0.90
        group loose 0..10 8cpu 64Gi $0.10
        pods web 2cpu 4Gi
        ",
        expect![[r#"
            buy     tight 0 → 1 for web
            cost    $0.00 → $0.90
        "#]],
    );
}

#[test]
fn most_pods_helps_most() {
    check(
        "
        flags expander=most-pods
        group plain 0..10 4cpu 16Gi $0.10
        group ssd   0..10 4cpu 16Gi $0.90 label=disk=ssd
        pods web*2 1cpu 1Gi
        pods db 1cpu 1Gi selector=disk=ssd
        ",
        expect![[r#"
            buy     ssd 0 → 1 for db, web-0, web-1
            cost    $0.00 → $0.90
        "#]],
    );
}

#[test]
fn least_nodes_takes_the_largest() {
    check(
        "
        flags expander=least-nodes
        group small 0..10 2cpu 8Gi  $0.10
        group large 0..10 8cpu 32Gi $0.90
        pods web*8 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web-0 … web-7
            cost    $0.00 → $0.90
        "#]],
    );
}

#[test]
fn price_weighs_size_too() {
    check(
        "
        flags expander=price
        group small 0..10 2cpu 8Gi   $0.10
        group large 0..10 32cpu 96Gi $1.80
        pods web*4 1cpu 1Gi
        ",
        expect![[r#"
            buy     small 0 → 2 for web-0 … web-3
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn the_users_list_decides_whatever_the_price() {
    check(
        "
        flags expander=priority
        priorities 10=.* 50=dear
        group cheap 0..10 4cpu 16Gi $0.20
        group dear  0..10 4cpu 16Gi $0.90
        pods web*6 1cpu 1Gi
        ",
        expect![[r#"
            buy     dear 0 → 2 for web-0 … web-5
            cost    $0.00 → $1.80
        "#]],
    );
}

#[test]
fn where_the_list_ends_the_next_number_follows() {
    check(
        "
        flags expander=priority
        priorities 10=cheap 50=dear
        group cheap 0..10 4cpu 16Gi $0.20
        group dear  0..1  4cpu 16Gi $0.90
        pods web*6 1cpu 1Gi
        ",
        expect![[r#"
            buy     cheap 0 → 1 for web-4, web-5
            buy     dear 0 → 1 for web-0 … web-3
            cost    $0.00 → $1.10
        "#]],
    );
}

#[test]
fn a_list_that_names_nobody_decides_nothing() {
    check(
        "
        flags expander=priority
        priorities 50=nobody
        group cheap 0..10 4cpu 16Gi $0.20
        group dear  0..10 4cpu 16Gi $0.90
        pods web 1cpu 1Gi
        ",
        expect![[r#"
            buy     cheap 0 → 1 for web
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn a_chain_decides_ties_by_its_next_rule() {
    check(
        "
        flags expander=priority,least-waste
        priorities 50=dear.*
        group cheap  0..10 4cpu 16Gi $0.20
        group dear-a 0..10 8cpu 32Gi $0.90
        group dear-b 0..10 2cpu 4Gi  $0.95
        pods web 2cpu 4Gi
        ",
        expect![[r#"
            buy     dear-b 0 → 1 for web
            cost    $0.00 → $0.95
        "#]],
    );
}

#[test]
fn random_keeps_to_its_seed() {
    check(
        "
        flags expander=random seed=7
        group a 0..10 4cpu 16Gi $0.20
        group b 0..10 4cpu 16Gi $0.20
        group c 0..10 4cpu 16Gi $0.20
        pods web*2 1cpu 1Gi
        ",
        expect![[r#"
            buy     b 0 → 1 for web-0, web-1
            cost    $0.00 → $0.20
        "#]],
    );
}

#[test]
fn what_one_group_cannot_take_goes_another_round() {
    check(
        "
        flags expander=least-waste
        group cpu-rich 0..10 16cpu 16Gi $0.50
        group mem-rich 0..10 4cpu 64Gi $0.50
        pods cpu*2 8cpu 1Gi
        pods mem*2 1cpu 30Gi
        ",
        expect![[r#"
            buy     cpu-rich 0 → 1 for cpu-0, cpu-1
            buy     mem-rich 0 → 1 for mem-0, mem-1
            cost    $0.00 → $1.00
        "#]],
    );
}

#[test]
fn least_cost_by_name_is_the_default() {
    check(
        "
        flags expander=least-cost
        group small 0..10 2cpu 8Gi  $0.10
        group large 0..10 8cpu 32Gi $0.30
        pods web*9 1cpu 1Gi
        ",
        expect![[r#"
            buy     large 0 → 1 for web-1 … web-8
            buy     small 0 → 1 for web-0
            cost    $0.00 → $0.40
        "#]],
    );
}

#[test]
fn least_waste_counts_idle_accelerators() {
    check(
        "
        flags expander=least-waste
        group cpu 0..10 3cpu 12Gi $0.50
        group gpu 0..10 2cpu 8Gi  $0.20 gpu=1
        pods web 2cpu 8Gi
        ",
        expect![[r#"
            buy     cpu 0 → 1 for web
            cost    $0.00 → $0.50
        "#]],
    );
}

#[test]
fn a_service_of_the_users_own_is_asked_and_heard() {
    let mut world = world(
        "
        flags expander=grpc,least-waste
        group a 0..10 4cpu 16Gi $0.20
        group b 0..10 4cpu 16Gi $0.30
        group c 0..10 8cpu 32Gi $0.40
        pods web*6 1cpu 1Gi
        ",
    );
    // Without an answer the next rule decides, and the question is left for who can ask it.
    let first = plan(&world);
    expect![[r#"
        buy     c 0 → 1 for web-0 … web-5
        cost    $0.00 → $0.40
    "#]]
    .assert_eq(&show(&first));
    let [question] = first.questions.as_slice() else { panic!("{:?}", first.questions) };
    let asked =
        question.alternatives.iter().map(|one| (one.group.as_str(), one.nodes, one.pods.len()));
    assert_eq!(asked.collect::<Vec<_>>(), [("a", 2, 6), ("b", 2, 6), ("c", 1, 6)]);

    let answer = |best: &[&str]| Advice {
        question: question.clone(),
        best: Some(best.iter().map(|group| Symbol::new(group)).collect()),
    };
    world.advice = vec![answer(&["b"])];
    let second = plan(&world);
    expect![[r#"
        buy     b 0 → 2 for web-0 … web-5
        cost    $0.00 → $0.60
    "#]]
    .assert_eq(&show(&second));
    assert!(second.questions.is_empty());

    // A service that names nothing of use is not listened to, and not asked again.
    let silent = Advice { question: question.clone(), best: None };
    for advice in [answer(&["gone"]), silent] {
        world.advice = vec![advice];
        assert_eq!(show(&plan(&world)), show(&first));
        assert!(plan(&world).questions.is_empty());
    }

    // One that names nothing wants no scale-up.
    world.advice = vec![answer(&[])];
    let none = plan(&world);
    assert!(none.purchases.is_empty() && none.questions.is_empty(), "{}", show(&none));
}
