//! How much of a node is used, seen by what the threshold of a half makes of it.

use std::sync::Arc;

use plimsoll_model::{Deletion, Labels, Symbol, label};

use super::{Builder, amounts, at, labels, world};

fn with_pod(cpu: i64) -> Builder {
    world().fixed().group("g", 0..=5).node("a").pod("p", cpu)
}

const LEAVES: &[&str] = &["a leaves Underutilized p"];
const STAYS: &[&str] = &["a stays NotUnderutilized"];

#[test]
fn exactly_the_threshold_is_not_above_it() {
    with_pod(2000).check(LEAVES);
    with_pod(2001).check(STAYS);
}

#[test]
fn the_scarcer_of_cpu_and_memory_counts() {
    let memory = |bytes| {
        with_pod(100)
            .change_shape(|shape| shape.requests = amounts(&[("cpu", 100), ("memory", bytes)]))
    };
    memory(8 << 30).check(LEAVES);
    memory((8 << 30) + 1).check(STAYS);
}

#[test]
fn thresholds_are_the_groups_own() {
    let strict = with_pod(500).change_group(|group| group.options.utilization_threshold = 0.1);
    strict.check(STAYS);
}

#[test]
fn pods_of_daemon_sets_count_unless_they_are_left_out() {
    let world = with_pod(400).daemon_set("agent").pod("agent-0", 2000);
    let world = world
        .owner(Some(("DaemonSet", "agent")))
        .set(|settings| settings.evict_daemons_occupied = false);
    world.check(STAYS);
    let without = world.change_group(|group| group.options.ignore_daemon_sets = true);
    without.check(LEAVES);
    // Of the two cores that are left, more than one is used.
    let busy =
        with_pod(1001).daemon_set("agent").pod("agent-0", 2000).owner(Some(("DaemonSet", "agent")));
    busy.change_group(|group| group.options.ignore_daemon_sets = true).check(STAYS);
}

#[test]
fn mirror_pods_count_unless_they_are_left_out() {
    let world = with_pod(400).pod("static", 2000).extras(|extras| extras.mirror = true);
    world.check(STAYS);
    world.set(|settings| settings.ignore_mirror_pods = true).check(LEAVES);
}

#[test]
fn pods_that_should_be_gone_are_not_used() {
    let world = with_pod(400).pod("stuck", 3000);
    world.check(STAYS);
    let stuck = world.change_pod(|pod| pod.deletion = Some(Deletion { at: at(-5), grace: 30 }));
    stuck.check(LEAVES);
}

/// A node with four accelerators of which so many are asked for, and a place elsewhere for all that it runs.
fn gpu_node(cpu: i64, gpus: i64) -> Builder {
    let mut world = world().fixed();
    let plenty = amounts(&[("cpu", 64_000), ("pods", 500), ("nvidia.com/gpu", 8)]);
    Arc::make_mut(&mut world.0.nodes[0]).allocatable = plenty;
    let own = [(label::GROUP, "g"), ("accelerator", "t4")];
    let has = amounts(&[("cpu", 4000), ("memory", 16 << 30), ("pods", 110), ("nvidia.com/gpu", 4)]);
    let world = world.group("g", 0..=5).node("a").change_node(|node| {
        node.labels = labels(&own);
        node.allocatable = has.clone();
        node.capacity = has;
    });
    world.pod("p", cpu).change_shape(|shape| {
        shape.requests.add(Symbol::new("nvidia.com/gpu"), gpus);
    })
}

#[test]
fn on_a_gpu_node_only_accelerators_count() {
    gpu_node(3900, 0).check(LEAVES);
    gpu_node(100, 2).check(LEAVES);
    gpu_node(100, 3).check(STAYS);
    gpu_node(100, 3)
        .change_group(|group| group.options.gpu_utilization_threshold = 0.8)
        .check(LEAVES);
}

#[test]
fn a_label_or_a_device_makes_a_gpu_node() {
    let unlabelled = gpu_node(3900, 0).change_node(|node| {
        node.labels = Labels::from_pairs([(Symbol::new(label::GROUP), Symbol::new("g"))]);
    });
    unlabelled.check(LEAVES);
    let without_devices = gpu_node(100, 0).change_node(|node| {
        node.allocatable.add(Symbol::new("nvidia.com/gpu"), -4);
    });
    // It has been up for two hours and shows no device: unready since now.
    without_devices.check(&["a stays NotUnreadyLongEnough"]);
}
