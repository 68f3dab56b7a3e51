//! What a pod asks for.

use plimsoll_model::{InitContainer, PodRequests, Requests, Resources, raise_to, resource};

use crate::{
    convert::{
        amounts::{amounts, set, too_large},
        meta,
    },
    problem::{At as _, Checked, each},
    wire::{
        container::{Container, ContainerStatus},
        pod::{PodSpec, PodStatus},
    },
};

/// The restart policy that makes an init container a sidecar.
const ALWAYS: &str = "Always";

/// What containers and pods do when they end.
pub(crate) const RESTART_POLICIES: [&str; 3] = [ALWAYS, "OnFailure", "Never"];

/// All that a pod asks for. `status` is that of a pod that runs: a resize of its containers may be under way.
pub(crate) fn total(spec: &PodSpec<'_>, status: Option<&PodStatus<'_>>) -> Checked<Resources> {
    let containers: Vec<Requests> = each(&spec.containers, "containers", requests).at("spec")?;
    let init_containers: Vec<InitContainer> =
        each(&spec.init_containers, "initContainers", |one| {
            meta::one_of(
                &one.restart_policy,
                &RESTART_POLICIES,
                "a restart policy",
                "restartPolicy",
            )?;
            Ok(InitContainer { requests: requests(one)?, sidecar: is_sidecar(one) })
        })
        .at("spec")?;
    let overhead = amounts(&spec.overhead, "overhead").at("spec")?;
    let mut parts = PodRequests { containers, init_containers, pod_level: Vec::new(), overhead };
    parts.pod_level = pod_level(spec, &parts).at("spec")?;
    if let Some(status) = status {
        resize(&mut parts, spec, status).at("status")?;
    }
    parts.total().map_err(too_large).at("containers").at("spec")
}

/// Whether an init container keeps running beside the containers.
pub(crate) fn is_sidecar(container: &Container<'_>) -> bool {
    &*container.restart_policy == ALWAYS
}

/// What a container asks for. Whoever names a limit and no request asks for the limit: the API server writes that down when
/// it takes the pod, and a manifest that has not been there means it.
fn requests(container: &Container<'_>) -> Checked<Requests> {
    let mut requests = amounts(&container.resources.requests, "requests").at("resources")?;
    let limits = amounts(&container.resources.limits, "limits").at("resources")?;
    for (name, limit) in limits {
        if requests.iter().all(|(other, _)| *other != name) {
            requests.push((name, limit));
        }
    }
    Ok(requests)
}

/// Requests for the pod as a whole. A limit stands in for a missing request here as well, but for cpu and memory only when
/// no container asks for any.
fn pod_level(spec: &PodSpec<'_>, parts: &PodRequests) -> Checked<Requests> {
    let mut pod_level = amounts(&spec.resources.requests, "requests").at("resources")?;
    pod_level.retain(|(name, _)| counts_for_pods(name.as_str()));
    let limits = amounts(&spec.resources.limits, "limits").at("resources")?;
    for (name, limit) in limits.into_iter().filter(|(name, _)| counts_for_pods(name.as_str())) {
        let is_asked = |requests: &Requests| requests.iter().any(|(other, _)| *other == name);
        let containers = parts.containers.iter();
        let mut all = containers.chain(parts.init_containers.iter().map(|init| &init.requests));
        let in_containers = !name.as_str().starts_with(HUGE_PAGES) && all.any(is_asked);
        if !is_asked(&pod_level) && !in_containers {
            set(&mut pod_level, name, limit);
        }
    }
    Ok(pod_level)
}

const HUGE_PAGES: &str = "hugepages-";

/// The scheduler looks at these resources only when they are asked for the pod as a whole.
fn counts_for_pods(name: &str) -> bool {
    matches!(name, resource::CPU | resource::MEMORY) || name.starts_with(HUGE_PAGES)
}

/// While a running container is resized it counts with the most of what it wants, was promised and has; when the node has
/// said that it will never have what it wants, only the last two count.
fn resize(parts: &mut PodRequests, spec: &PodSpec<'_>, status: &PodStatus<'_>) -> Checked<()> {
    let is_infeasible = status
        .conditions
        .iter()
        .any(|one| &*one.name == "PodResizePending" && &*one.reason == "Infeasible");
    let raise = |wanted: &mut Requests, container: &Container<'_>, all: &[ContainerStatus<'_>]| {
        let Some((index, status)) =
            all.iter().enumerate().find(|(_, status)| *status.name == *container.name)
        else {
            return Ok(());
        };
        let Some(actual) = &status.resources else {
            return Ok(());
        };
        if is_infeasible {
            wanted.clear();
        }
        let actual = amounts(&actual.requests, "requests").at("resources").at_index(index)?;
        let promised = amounts(&status.allocated, "allocatedResources").at_index(index)?;
        raise_to(wanted, &actual);
        raise_to(wanted, &promised);
        Ok(())
    };
    for (wanted, container) in parts.containers.iter_mut().zip(spec.containers.iter()) {
        raise(wanted, container, &status.containers).at("containerStatuses")?;
    }
    for (init, container) in parts.init_containers.iter_mut().zip(spec.init_containers.iter()) {
        if init.sidecar {
            let statuses = &status.init_containers;
            raise(&mut init.requests, container, statuses).at("initContainerStatuses")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
