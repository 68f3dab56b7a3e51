//! The rules by which a pod lets its node go, in the upstream's order: the first that has an answer decides, and a pod that
//! none of them speaks of is moved.
//!
//! The last of the upstream's rules, that a disruption budget must have something left, is not here: several nodes share a
//! budget, so it is asked when a node is chosen.

use plimsoll_model::{Phase, Pod, PodExtras, SafeToEvict};

use super::{Drain, controllers::Lookup, is_long_gone};
use crate::plan::PodBlockReason;

/// What becomes of a pod when its node goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It does not matter.
    Skipped,
    /// Its DaemonSet follows the nodes.
    Follows,
    /// It is evicted and has to find another place.
    Moves,
    /// The node is kept until the pod ends by itself.
    Finishes,
    /// It keeps its node.
    Holds(PodBlockReason),
}

/// A rule, and its answer if it has one.
pub(super) type Rule = fn(&Drain<'_, '_>, &Pod) -> Option<Verdict>;

/// All rules, in order.
pub(super) const RULES: [Rule; 11] = [
    mirror,
    long_gone,
    replica_count,
    daemon,
    safe_to_evict,
    terminal,
    on_completion,
    replicated,
    system,
    not_safe_to_evict,
    local_storage,
];

/// The kubelet's own pods are where the kubelet is.
fn mirror(_: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    pod.is_mirror().then_some(Verdict::Skipped)
}

/// A pod that should have been gone for a while is stuck, and nobody waits for it.
fn long_gone(drain: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    is_long_gone(pod, drain.scene.state.world.now).then_some(Verdict::Skipped)
}

/// The controller has to be there and to want enough pods to spare one.
fn replica_count(drain: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    let settings = &drain.scene.state.world.settings.scale_down;
    let owner = pod.owner.as_ref().filter(|_| settings.skip_custom_controllers)?;
    match drain.controllers.look_up(owner, pod.shape.namespace) {
        Lookup::Gone => Some(Verdict::Holds(PodBlockReason::ControllerNotFound)),
        Lookup::Found(Some(replicas)) if replicas < settings.min_replicas => {
            Some(Verdict::Holds(PodBlockReason::MinReplicasReached))
        }
        Lookup::Found(_) | Lookup::Unknown => None,
    }
}

/// A DaemonSet has a pod wherever there is a node for it.
fn daemon(_: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    pod.is_daemon().then_some(Verdict::Follows)
}

/// The pod says that it may go, whatever the rules below would say.
fn safe_to_evict(_: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    says(pod, SafeToEvict::Yes).then_some(Verdict::Moves)
}

/// A pod that has ended has nothing to lose, unless its kubelet would start it again.
fn terminal(_: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    let starts_again = extras(pod).is_some_and(|extras| extras.restarts_always);
    match pod.phase {
        Phase::Failed => Some(Verdict::Skipped),
        Phase::Succeeded if !starts_again => Some(Verdict::Skipped),
        Phase::Pending | Phase::Running | Phase::Succeeded => None,
    }
}

/// The pod asks to be left to its end.
fn on_completion(_: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    says(pod, SafeToEvict::OnCompletion).then_some(Verdict::Finishes)
}

/// Somebody has to make the pod anew, and of a kind that is known to do so.
fn replicated(drain: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    let any_kind = !drain.scene.state.world.settings.scale_down.skip_custom_controllers;
    let replaced = pod
        .owner
        .as_ref()
        .is_some_and(|owner| any_kind || drain.controllers.is_replicated(owner.kind));
    (!replaced).then_some(Verdict::Holds(PodBlockReason::NotReplicated))
}

/// A young system pod that no budget speaks for is better left alone. With time it is found that it does no harm to move
/// it, and then its local storage is no obstacle either; only its own word against it is.
fn system(drain: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    let world = drain.scene.state.world;
    let settings = &world.settings.scale_down;
    if !settings.skip_system_pods
        || pod.shape.namespace.as_str() != "kube-system"
        || drain.budgets.covers(&pod.shape)
    {
        return None;
    }
    if world.now.duration_since(pod.created) < settings.system_pod_timeout {
        return Some(Verdict::Holds(PodBlockReason::UnmovableKubeSystemPod));
    }
    not_safe_to_evict(drain, pod).or(Some(Verdict::Moves))
}

/// The pod says that it may not go.
fn not_safe_to_evict(_: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    let holds = Verdict::Holds(PodBlockReason::NotSafeToEvictAnnotation);
    says(pod, SafeToEvict::No).then_some(holds)
}

/// What the pod has written to the node's disk would be lost.
fn local_storage(drain: &Drain<'_, '_>, pod: &Pod) -> Option<Verdict> {
    let counts = drain.scene.state.world.settings.scale_down.skip_local_storage;
    let has_some = extras(pod).is_some_and(|extras| !extras.local_volumes.is_empty());
    (counts && has_some).then_some(Verdict::Holds(PodBlockReason::LocalStorageRequested))
}

fn says(pod: &Pod, word: SafeToEvict) -> bool {
    extras(pod).is_some_and(|extras| extras.safe_to_evict == Some(word))
}

fn extras(pod: &Pod) -> Option<&PodExtras> {
    pod.extras.as_deref()
}
