//! Disruption budgets: what they allow, and that nodes share it.

use plimsoll_model::{BudgetRule, CountOrPercent, Deletion, Phase};

use super::{Builder, at, min_available, world};

/// Nodes with one pod of `api` each.
fn api_on(nodes: &[&str]) -> Builder {
    nodes.iter().fold(world().fixed().group("g", 0..=9), |world, node| {
        world.node(node).pod(&format!("api-{node}"), 100).app("api")
    })
}

fn leaving(world: &Builder) -> usize {
    world.plan().retirements.len()
}

#[test]
fn nodes_of_one_pass_share_a_budget() {
    let world = api_on(&["a", "b", "c"]).budget("api", min_available(1), Some(2));
    world.check(&[
        "a leaves Underutilized api-a",
        "b leaves Underutilized api-b",
        "c stays BlockedByPod api-c NotEnoughPdb",
    ]);
    // It waits for the budget with its clock running.
    assert_eq!(world.plan().unneeded.len(), 3);
}

#[test]
fn a_budget_that_allows_nothing_holds_all() {
    let world = api_on(&["a"]).budget("api", min_available(1), Some(0));
    world.check(&["a stays BlockedByPod api-a NotEnoughPdb"]);
    // Not even a pod that says it may be evicted: the API would refuse.
    let willing = world.says(plimsoll_model::SafeToEvict::Yes);
    willing.check(&["a stays BlockedByPod api-a NotEnoughPdb"]);
}

#[test]
fn a_pod_needs_all_of_its_budgets() {
    let world = api_on(&["a", "b"]).budget("api", min_available(0), Some(9));
    assert_eq!(leaving(&world), 2);
    let mut world = world.budget("api", min_available(0), Some(1));
    assert_eq!(leaving(&world), 1);
    world.0.budgets[1].selector = Some(plimsoll_model::LabelSelector::everything());
    assert_eq!(leaving(&world), 1);
    world.0.budgets[1].selector = None;
    assert_eq!(leaving(&world), 2);
}

#[test]
fn two_pods_of_one_node_need_two_disruptions() {
    let world = api_on(&["a"]).pod("api-2", 100).app("api");
    let world = world.budget("api", min_available(0), Some(1));
    world.check(&["a stays BlockedByPod api-2 NotEnoughPdb"]);
}

#[test]
fn drains_under_way_have_their_part() {
    let world = api_on(&["a", "b"]).budget("api", min_available(1), Some(1));
    let draining = world.change_node(|node| node.deleting = true);
    draining.check(&["a stays BlockedByPod api-a NotEnoughPdb", "b stays CurrentlyBeingDeleted"]);
    // An eviction that has happened stands in the status.
    let evicted = draining.change_pod(|pod| pod.deletion = Some(Deletion { at: at(1), grace: 30 }));
    assert_eq!(leaving(&evicted), 1);
}

#[test]
fn daemon_pods_are_evicted_only_within_their_budget() {
    let world = world().fixed().daemon_set("agent").group("g", 0..=5).node("a").pod("p", 100);
    let world = world.pod("agent-0", 100).app("agent").owner(Some(("DaemonSet", "agent")));
    world
        .clone()
        .budget("agent", min_available(0), Some(1))
        .check(&["a leaves Underutilized agent-0 p"]);
    world.budget("agent", min_available(0), Some(0)).check(&["a leaves Underutilized p"]);
}

/// How many of five nodes with a pod each may leave, `web` wanting five pods.
fn allows(rule: BudgetRule) -> usize {
    leaving(&api_on(&["a", "b", "c", "d", "e"]).budget("api", rule, None))
}

#[test]
fn without_a_status_the_controllers_arithmetic_holds() {
    use BudgetRule::{MaxUnavailable, MinAvailable};
    use CountOrPercent::{Count, Percent};
    assert_eq!(allows(MinAvailable(Count(4))), 1);
    assert_eq!(allows(MinAvailable(Count(6))), 0);
    // Half of five is three, rounded up: two may go; and of those away, three may.
    assert_eq!(allows(MinAvailable(Percent(50))), 2);
    assert_eq!(allows(MaxUnavailable(Percent(50))), 3);
    assert_eq!(allows(MaxUnavailable(Percent(1))), 1);
    assert_eq!(allows(MaxUnavailable(Count(0))), 0);
    assert_eq!(allows(MaxUnavailable(Count(4))), 4);
    assert_eq!(allows(MaxUnavailable(Count(9))), 5);
}

#[test]
fn pods_that_do_not_run_are_already_away() {
    let rule = BudgetRule::MaxUnavailable(CountOrPercent::Count(2));
    // Five are wanted and four are there.
    assert_eq!(leaving(&api_on(&["a", "b", "c", "d"]).budget("api", rule, None)), 1);
    let starting = api_on(&["a", "b", "c", "d", "e"]).change_pod(|pod| pod.phase = Phase::Pending);
    assert_eq!(leaving(&starting.budget("api", rule, None)), 1);
}
