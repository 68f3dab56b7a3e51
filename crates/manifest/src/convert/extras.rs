//! Marks that few pods carry, most of them annotations.

use plimsoll_model::{PodExtras, SafeToEvict, Symbol};

use crate::{
    convert::volumes::is_local,
    duration,
    wire::{
        pod::Pod,
        value::{Pairs, Text},
    },
};

const MIRROR: &str = "kubernetes.io/config.mirror";
const DAEMON: &str = "cluster-autoscaler.kubernetes.io/daemonset-pod";
const SAFE_TO_EVICT: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict";
const SAFE_VOLUMES: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";
const DAEMON_EVICTION: &str = "cluster-autoscaler.kubernetes.io/enable-ds-eviction";
const SCALE_UP_DELAY: &str = "cluster-autoscaler.kubernetes.io/pod-scale-up-delay";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const SCHEDULE_ANYWAY: &str = "ScheduleAnyway";
/// The second is the name that it had before.
const CONSUMES: [&str; 2] = [
    "autoscaling.x-k8s.io/consume-provisioning-request",
    "cluster-autoscaler.kubernetes.io/consume-provisioning-request",
];
const GANG: &str = "plimsoll.dev/pod-group";

/// The marks of a pod; `None` when it has none. The API server takes any annotation, so one that cannot be read counts as
/// absent.
pub(crate) fn extras(pod: &Pod<'_>, has_ended: bool) -> Option<Box<PodExtras>> {
    let annotations = &pod.metadata.annotations;
    let word = |key| annotations.get(key).map(|text| &**text);
    let extras = PodExtras {
        stands_for: None,
        wishes_spread: pod
            .spec
            .spread
            .iter()
            .any(|one| &*one.when_unsatisfiable == SCHEDULE_ANYWAY),
        mirror: word(MIRROR).is_some(),
        daemon: word(DAEMON) == Some("true"),
        safe_to_evict: word(SAFE_TO_EVICT).and_then(safe_to_evict),
        daemon_eviction: word(DAEMON_EVICTION).and_then(|text| text.parse().ok()),
        scale_up_delay: word(SCALE_UP_DELAY).and_then(whole_seconds),
        local_volumes: local_volumes(pod, annotations),
        deletion_cost: word(DELETION_COST).and_then(|text| text.parse().ok()).unwrap_or_default(),
        consumes: CONSUMES.into_iter().find_map(word).map(Symbol::new),
        gang: word(GANG).filter(|name| !name.is_empty()).map(Symbol::new),
        // Almost every pod restarts always, but it makes a difference only for one that has ended: others are spared
        // the box.
        restarts_always: has_ended && matches!(&*pod.spec.restart_policy, "" | "Always"),
    };
    (extras != PodExtras::default()).then(|| Box::new(extras))
}

fn safe_to_evict(word: &str) -> Option<SafeToEvict> {
    match word {
        "true" => Some(SafeToEvict::Yes),
        "false" => Some(SafeToEvict::No),
        "on-completion" => Some(SafeToEvict::OnCompletion),
        _ => None,
    }
}

/// A started second counts: the pod wants to wait at least that long.
fn whole_seconds(text: &str) -> Option<i64> {
    let duration = duration::parse(text)?;
    let started = i64::from(duration.subsec_nanos() > 0);
    Some(duration.as_secs().saturating_add(started)).filter(|seconds| *seconds > 0)
}

fn local_volumes(pod: &Pod<'_>, annotations: &Pairs<'_, Text<'_>>) -> Vec<Box<str>> {
    let safe = annotations.get(SAFE_VOLUMES).map_or("", |names| &**names);
    let is_safe = |name: &str| safe.split(',').any(|listed| listed.trim() == name);
    let local = pod.spec.volumes.iter().filter(|volume| is_local(volume));
    local.map(|volume| &*volume.name).filter(|name| !is_safe(name)).map(Box::from).collect()
}
