//! The shared scenarios, as far as they are about what is found.

use std::sync::Arc;

use plimsoll_model::{Backoff, InstanceState};

use super::{GroupHealth, Readiness, amounts, at, failure, labels, mins, node, taint, world};

#[test]
fn failed_instance_other_group() {
    let world = world()
        .group("pool-a", 0..=10)
        .machine("sim://a-0", |instance| instance.error = Some(failure("STOCKOUT")))
        .group("pool-b", 0..=10);
    world.check(|state| {
        assert_eq!(super::show(&state.repairs[0]), "delete sim://a-0 of pool-a");
        let resting = GroupHealth::Backoff { until: at(5), code: "STOCKOUT".into() };
        assert_eq!(state.groups[0].health, resting);
        assert_eq!((state.groups[0].target, state.groups[0].found_upcoming), (0, 0));
        assert_eq!(state.groups[1].health, GroupHealth::Healthy);
    });
}

#[test]
fn gpu_not_visible_yet() {
    let label = || labels(&[("cloud.google.com/gke-accelerator", "nvidia-tesla-t4")]);
    let mut template = node("template");
    template.labels = label();
    template.allocatable = amounts(&[("cpu", 4000), ("nvidia.com/gpu", 1)]);
    let world = world()
        .group("gpu-pool", 0..=10)
        .change_group(|group| group.template = Some(Arc::new(template)))
        .member("g-0")
        .change_node(|node| {
            node.created = at(-4);
            node.labels = label();
        });
    world.check(|state| {
        assert_eq!(state.nodes[0].readiness, Readiness::NotStarted);
        assert_eq!((state.groups[0].not_started, state.groups[0].upcoming), (1, 0));
    });
}

#[test]
fn min_size_raised() {
    assert_eq!(world().group("pool-a", 3..=10).member("a-0").repairs(), ["raise pool-a 1 to 3"]);
}

#[test]
fn target_lowered() {
    let world = world().group("pool-a", 0..=10).member("a-0").target(5).gap_since("pool-a", -20);
    assert_eq!(world.repairs(), ["lower pool-a 5 to 1"]);
}

#[test]
fn unregistered_too_long() {
    let world = world()
        .group("pool-a", 0..=10)
        .member("a-0")
        .machine("sim://a-1", |instance| {
            instance.state = InstanceState::Running;
            instance.created = Some(at(-40));
        })
        .group("pool-b", 0..=10);
    world.check(|state| {
        assert_eq!(super::show(&state.repairs[0]), "delete sim://a-1 of pool-a");
        assert_eq!((state.groups[0].target, state.groups[0].upcoming), (1, 0));
        assert!(state.groups.iter().all(|group| group.health == GroupHealth::Healthy));
    });
}

#[test]
fn upcoming_after_restart() {
    world().group("pool-a", 0..=10).member("a-0").target(3).check(|state| {
        assert_eq!(state.repairs, []);
        assert_eq!((state.groups[0].target, state.groups[0].found_upcoming), (3, 2));
    });
}

#[test]
fn upcoming_creating_instances() {
    let world = world()
        .group("pool-a", 0..=10)
        .member("a-0")
        .machine("sim://a-1", |instance| instance.created = Some(at(-3)))
        .machine("sim://a-2", |instance| instance.created = Some(at(-3)))
        .order("pool-a", 2, -3);
    world.check(|state| {
        assert_eq!(state.repairs, []);
        let group = &state.groups[0];
        assert_eq!((group.target, group.ready, group.found_upcoming), (3, 1, 2));
    });
}

#[test]
fn taints_startup_node_is_upcoming() {
    let world = world().group("pool-a", 0..=10).member("a-0").change_node(|node| {
        node.created = at(-3);
        node.taints = [taint("startup-taint.cluster-autoscaler.kubernetes.io/cni")].into();
    });
    world.check(|state| assert_eq!(state.nodes[0].readiness, Readiness::NotStarted));
}

#[test]
fn backoff_active() {
    let world = world().group("pool-a", 0..=10).remember(|memory| {
        let code = "STOCKOUT".into();
        let backoff = Backoff { until: at(3), step: mins(5), failed: at(-2), code };
        memory.backoff.insert("pool-a".into(), backoff);
    });
    world.check(|state| {
        let resting = GroupHealth::Backoff { until: at(3), code: "STOCKOUT".into() };
        assert_eq!(state.groups[0].health, resting);
    });
}

#[test]
fn cluster_unhealthy() {
    let world = (0..5).fold(world().group("pool-a", 0..=20).members("good", 5), |world, n| {
        world.member(&format!("sick-{n}")).unready(-50)
    });
    world.check(|state| {
        assert!(!state.healthy);
        assert_eq!((state.groups[0].ready, state.groups[0].unready), (5, 5));
    });
}

#[test]
fn down_min_size_with_deletion_in_flight() {
    let world = world().group("pool-a", 2..=5).members("a", 3).change_group(|group| {
        group.instances[2].state = InstanceState::Deleting;
        group.target = 2;
    });
    world.check(|state| {
        assert_eq!(state.nodes[2].readiness, Readiness::BeingDeleted);
        let group = &state.groups[0];
        assert_eq!((group.target, group.leaving, group.upcoming), (2, 0, 0));
        assert_eq!(state.repairs, []);
    });
}
