//! One test for every reason that keeps a node.

use std::sync::Arc;

use plimsoll_model::{Consolidation, Range, SafeToEvict, Symbol};

use super::{at, labels, mins, world};

#[test]
fn a_node_of_no_group_is_nobodys_to_give_back() {
    let plan = world().group("g", 0..=5).fixed().plan();
    assert_eq!(format!("{:?}", plan.blocked[0].reason), "NoNodeGroup");
}

#[test]
fn an_annotation_keeps_an_empty_node() {
    let world = world().group("g", 0..=5).node("a").change_node(|node| node.keep = true);
    world.check(&["a stays ScaleDownDisabledAnnotation"]);
}

#[test]
fn a_control_plane_node_is_never_touched() {
    for role in ["control-plane", "master", "etcd"] {
        let key = format!("node-role.kubernetes.io/{role}");
        let pairs = [("plimsoll.dev/node-group", "g"), (key.as_str(), "")];
        let world =
            world().group("g", 0..=5).node("a").change_node(|node| node.labels = labels(&pairs));
        world.check(&["a stays ScaleDownDisabledAnnotation"]);
    }
}

#[test]
fn a_node_on_its_way_out_is_not_chosen_again() {
    let world = world().group("g", 0..=5).node("a").change_node(|node| node.deleting = true);
    world.check(&["a stays CurrentlyBeingDeleted"]);
}

#[test]
fn a_node_that_has_not_started_is_not_judged() {
    let world =
        world().group("g", 0..=5).node("a").unready(-2).change_node(|node| node.created = at(-2));
    world.check(&["a stays NotUnreadyLongEnough"]);
    assert!(world.plan().unneeded.is_empty());
}

#[test]
fn a_sleeping_node_is_not_judged() {
    let world =
        world().group("g", 0..=5).node("a").change_node(|node| node.conditions.suspended = true);
    world.check(&["a stays NotUnreadyLongEnough"]);
}

#[test]
fn unready_nodes_stay_when_the_user_says_so() {
    let world = world().group("g", 0..=5).node("a").unready(-60);
    world.check(&["a leaves Unready"]);
    world
        .set(|settings| settings.unready_enabled = false)
        .check(&["a stays ScaleDownUnreadyDisabled"]);
}

#[test]
fn a_used_node_stays() {
    let world = world().fixed().group("g", 0..=5).node("a").pod("p", 2001);
    world.check(&["a stays NotUnderutilized"]);
}

#[test]
fn a_node_that_a_waiting_pod_goes_to_is_needed() {
    let world = world().group("g", 0..=5).node("a").waiting("p", 100);
    world.check(&["a stays NotUnderutilized"]);
    assert!(world.plan().memory.unneeded_since.is_empty());
}

#[test]
fn times_that_are_not_up() {
    let world = world().group("g", 0..=5).busy_node("a").node("b").node("c").unready(-10);
    let world = world.remember(|memory| {
        memory.unneeded_since.insert(Symbol::new("b"), at(-9));
    });
    world.check(&[
        "a stays NotUnneededLongEnough",
        "b stays NotUnneededLongEnough",
        "c stays NotUnreadyLongEnough",
    ]);
    let plan = world.plan();
    let since: Vec<_> = plan.unneeded.iter().map(|unneeded| unneeded.since).collect();
    assert_eq!(since, [at(0), at(-9), at(-30)]);
}

#[test]
fn a_group_keeps_its_minimum() {
    let world = world().group("g", 1..=5).node("a").node("b");
    world.check(&["a leaves Empty", "b stays NodeGroupMinSizeReached"]);
}

#[test]
fn a_deletion_that_the_target_still_counts_is_counted_once() {
    // The drain of the last has begun, and its machine has not been given back yet.
    let world = world().group("g", 1..=5).node("a").node("b").node("c");
    let world = world.change_node(|node| node.deleting = true);
    world.check(&[
        "a leaves Empty",
        "b stays NodeGroupMinSizeReached",
        "c stays CurrentlyBeingDeleted",
    ]);
}

#[test]
fn what_is_on_its_way_does_not_make_up_the_minimum() {
    let world = world().group("g", 1..=5).node("a").change_group(|group| group.target = 2);
    assert_eq!(world.plan().groups[0].upcoming, 1);
    world.check(&["a stays NodeGroupMinSizeReached"]);
}

#[test]
fn the_cluster_keeps_its_least_cores_and_memory() {
    let mut world = world().group("g", 0..=5).node("a").node("b").node("c");
    world.0.settings.limits.cores = Range { min: 8, max: 100 };
    world.check(&[
        "a leaves Empty",
        "b stays MinimalResourceLimitExceeded",
        "c stays MinimalResourceLimitExceeded",
    ]);
    world.0.settings.limits.cores = Range { min: 0, max: 100 };
    world.0.settings.limits.memory_gib = Range { min: 17, max: 100 };
    world.check(&[
        "a leaves Empty",
        "b stays MinimalResourceLimitExceeded",
        "c stays MinimalResourceLimitExceeded",
    ]);
}

#[test]
fn pods_that_fit_nowhere_keep_their_node() {
    let world = world().group("g", 0..=5).busy_node("a").pod("big", 3800).node("b").pod("p", 300);
    world.check(&["a stays NotUnderutilized", "b stays NoPlaceToMovePods"]);
    assert!(world.plan().unneeded.is_empty());
}

#[test]
fn a_pod_that_runs_to_its_end_keeps_its_node() {
    let world =
        world().fixed().group("g", 0..=5).node("a").pod("p", 100).says(SafeToEvict::OnCompletion);
    world.check(&["a stays BlockedByOnCompletionPod p"]);
}

#[test]
fn nothing_leaves_while_the_cluster_settles() {
    let calm = world().group("g", 0..=5).node("a");
    let after = |change: fn(&mut plimsoll_model::Memory)| calm.clone().remember(change);
    after(|memory| memory.last_scale_up = Some(at(-9))).check(&["a stays Cooldown"]);
    after(|memory| memory.last_scale_up = Some(at(-10))).check(&["a leaves Empty"]);
    after(|memory| memory.last_scale_down_failure = Some(at(-2))).check(&["a stays Cooldown"]);
    let after_delete = after(|memory| memory.last_scale_down = Some(at(-1)));
    after_delete.check(&["a leaves Empty"]);
    after_delete.set(|settings| settings.delay_after_delete = mins(2)).check(&["a stays Cooldown"]);
}

#[test]
fn local_delays_concern_the_group_alone() {
    let world = world().group("g", 0..=5).node("a").group("h", 0..=5).node("b");
    let world = world.set(|settings| settings.local_delays = true).remember(|memory| {
        memory.last_scale_up = Some(at(-1));
        memory.group_activity.entry(Symbol::new("g")).or_default().scale_up = Some(at(-1));
    });
    world.check(&["a stays Cooldown", "b leaves Empty"]);
}

#[test]
fn what_this_pass_buys_starts_the_cooldown() {
    let world = world().group("g", 0..=5).node("a").group("big", 0..=1);
    let world = world.change_group(|group| {
        let mut template = super::node("");
        template.allocatable = super::amounts(&[("cpu", 8000), ("pods", 110)]);
        template.capacity = template.allocatable.clone();
        group.template = Some(Arc::new(template));
    });
    let world = world.waiting("p", 5000);
    assert_eq!(world.plan().purchases.len(), 1);
    world.check(&["a stays Cooldown"]);
}

#[test]
fn a_group_raised_to_its_minimum_starts_the_cooldown() {
    let world = world().group("g", 0..=5).node("a").group("h", 1..=5);
    world.check(&["a stays Cooldown"]);
    assert_eq!(world.plan().memory.last_scale_up, Some(at(0)));
}

#[test]
fn an_unhealthy_cluster_is_left_alone_and_keeps_its_clocks() {
    let mut world = world().group("g", 0..=9).node("good").busy_node("plain");
    for name in ["s0", "s1", "s2", "s3"] {
        world = world.node(name).unready(-60);
    }
    let plan = world.plan();
    assert!(plan.retirements.is_empty());
    assert_eq!(plan.blocked.len(), 6);
    assert!(
        plan.blocked.iter().all(|blocked| format!("{:?}", blocked.reason) == "ClusterUnhealthy")
    );
    assert_eq!(plan.memory.unneeded_since, world.0.memory.unneeded_since);
}

#[test]
fn switched_off_nothing_leaves() {
    let world = world().group("g", 0..=5).node("a").busy_node("b").pod("p", 3000);
    let expected = ["a stays Budget", "b stays NotUnderutilized"];
    world.clone().set(|settings| settings.enabled = false).check(&expected);
    world.set(|settings| settings.consolidation = Consolidation::Off).check(&expected);
}

#[test]
fn only_empty_nodes_leave_when_the_user_says_so() {
    let world = world().fixed().group("g", 0..=5).node("a").node("b").pod("p", 100);
    let world = world.set(|settings| settings.consolidation = Consolidation::Empty);
    world.check(&["a leaves Empty", "b stays NotUnderutilized"]);
}
