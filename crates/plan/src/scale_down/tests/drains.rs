//! One test for every rule of drainability, on a node with a single pod.

use plimsoll_model::{Deletion, Phase, PodExtras, SafeToEvict, Symbol};

use super::{Builder, at, min_available, mins, world};

/// A node `a` with a pod `p`, beside a node with room for it.
fn one_pod() -> Builder {
    world().fixed().group("g", 0..=5).node("a").pod("p", 100)
}

#[test]
fn a_replicated_pod_moves() {
    one_pod().check(&["a leaves Underutilized p"]);
}

#[test]
fn a_mirror_pod_does_not_matter() {
    one_pod()
        .owner(Some(("Node", "a")))
        .extras(|extras| extras.mirror = true)
        .check(&["a leaves Empty"]);
}

#[test]
fn a_pod_that_should_be_gone_does_not_matter() {
    let terminating = |at| {
        one_pod().owner(None).change_pod(|pod| pod.deletion = Some(Deletion { at, grace: 30 }))
    };
    terminating(at(-1)).check(&["a leaves Empty"]);
    // Its time is up, but for less than half a minute.
    terminating(at(0)).check(&["a stays BlockedByPod p NotReplicated"]);
}

#[test]
fn a_controller_that_is_gone_makes_no_other_pod() {
    for kind in ["ReplicaSet", "ReplicationController", "StatefulSet", "Job", "DaemonSet"] {
        one_pod().owner(Some((kind, "gone"))).check(&["a stays BlockedByPod p ControllerNotFound"]);
    }
}

#[test]
fn too_few_replicas_hold_their_nodes() {
    let with_least = |least| one_pod().set(|settings| settings.min_replicas = least);
    with_least(5).check(&["a leaves Underutilized p"]);
    with_least(6).check(&["a stays BlockedByPod p MinReplicasReached"]);
    // How many pods of a Job run side by side says nothing about one of them.
    let job = with_least(6).controller("Job", "crunch", 1).owner(Some(("Job", "crunch")));
    job.check(&["a leaves Underutilized p"]);
}

#[test]
fn a_daemon_pod_follows_the_nodes() {
    one_pod().daemon_set("agent").owner(Some(("DaemonSet", "agent"))).check(&["a leaves Empty"]);
    let custom = one_pod().owner(Some(("CloneSet", "agent"))).extras(|extras| extras.daemon = true);
    custom.check(&["a leaves Empty"]);
}

#[test]
fn daemon_pods_are_evicted_as_the_user_wants() {
    let with_daemon = |extras: fn(&mut PodExtras)| {
        let world = one_pod().daemon_set("agent");
        world.pod("agent-0", 100).owner(Some(("DaemonSet", "agent"))).extras(extras)
    };
    with_daemon(|_| {}).check(&["a leaves Underutilized agent-0 p"]);
    with_daemon(|_| {})
        .set(|settings| settings.evict_daemons_occupied = false)
        .check(&["a leaves Underutilized p"]);
    with_daemon(|extras| extras.daemon_eviction = Some(false)).check(&["a leaves Underutilized p"]);
    let alone = one_pod().daemon_set("agent").owner(Some(("DaemonSet", "agent")));
    alone.set(|settings| settings.evict_daemons_empty = true).check(&["a leaves Empty p"]);
}

#[test]
fn a_pod_that_says_so_may_go_whatever_it_is() {
    let world = one_pod().owner(None).extras(|extras| extras.local_volumes = vec!["tmp".into()]);
    world.clone().check(&["a stays BlockedByPod p NotReplicated"]);
    world.says(SafeToEvict::Yes).check(&["a leaves Underutilized p"]);
}

#[test]
fn a_pod_that_has_ended_does_not_matter() {
    for phase in [Phase::Failed, Phase::Succeeded] {
        one_pod().owner(None).change_pod(|pod| pod.phase = phase).check(&["a leaves Empty"]);
    }
}

#[test]
fn a_pod_that_runs_to_its_end_is_waited_for() {
    one_pod().says(SafeToEvict::OnCompletion).check(&["a stays BlockedByOnCompletionPod p"]);
    let ended =
        one_pod().says(SafeToEvict::OnCompletion).change_pod(|pod| pod.phase = Phase::Succeeded);
    ended.check(&["a leaves Empty"]);
}

#[test]
fn only_known_kinds_count_as_replication() {
    let custom = one_pod().owner(Some(("GameServer", "game")));
    custom.check(&["a stays BlockedByPod p NotReplicated"]);
    let lenient = |world: Builder| world.set(|settings| settings.skip_custom_controllers = false);
    lenient(custom).check(&["a leaves Underutilized p"]);
    lenient(one_pod().owner(Some(("ReplicaSet", "gone")))).check(&["a leaves Underutilized p"]);
    lenient(one_pod().owner(None)).check(&["a stays BlockedByPod p NotReplicated"]);
}

#[test]
fn a_young_system_pod_without_a_budget_is_left_alone() {
    let system = |created| {
        let mut world = one_pod().app("dns").change_pod(|pod| pod.created = at(created));
        world = world.change_shape(|shape| shape.namespace = Symbol::new("kube-system"));
        world.0.controllers[0].namespace = Symbol::new("kube-system");
        world
    };
    let held = "a stays BlockedByPod p UnmovableKubeSystemPod";
    system(-59).check(&[held]);
    system(-60).check(&["a leaves Underutilized p"]);
    system(-59)
        .set(|settings| settings.system_pod_timeout = mins(10))
        .check(&["a leaves Underutilized p"]);
    system(-59)
        .set(|settings| settings.skip_system_pods = false)
        .check(&["a leaves Underutilized p"]);
    let mut covered = system(-59).budget("dns", min_available(0), Some(1));
    covered.0.budgets[0].namespace = Symbol::new("kube-system");
    covered.check(&["a leaves Underutilized p"]);
    // With age its scratch space is no obstacle any more, but its own word is.
    let old = system(-60).extras(|extras| extras.local_volumes = vec!["tmp".into()]);
    old.clone().check(&["a leaves Underutilized p"]);
    old.says(SafeToEvict::No).check(&["a stays BlockedByPod p NotSafeToEvictAnnotation"]);
}

#[test]
fn a_pod_that_says_so_stays() {
    one_pod().says(SafeToEvict::No).check(&["a stays BlockedByPod p NotSafeToEvictAnnotation"]);
}

#[test]
fn local_storage_would_be_lost() {
    let world = one_pod().extras(|extras| extras.local_volumes = vec!["tmp".into()]);
    world.check(&["a stays BlockedByPod p LocalStorageRequested"]);
    world.set(|settings| settings.skip_local_storage = false).check(&["a leaves Underutilized p"]);
}

#[test]
fn an_expendable_pod_holds_nothing_and_needs_nothing() {
    let world = one_pod().owner(None).change_pod(|pod| pod.priority = -11);
    world.check(&["a leaves Empty"]);
}
