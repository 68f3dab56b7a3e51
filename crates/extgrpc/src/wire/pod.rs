//! Pods, as far as what they ask for.

use plimsoll_model::{self as model, InitContainer, PodRequests, Resources};

use crate::{
    proto::{core, resource::Quantity},
    wire::node::read_amounts,
};

/// What a pod that was sent asks for in all; an error that names the field when it cannot be told.
pub(crate) fn requests(sent: &core::Pod) -> Result<Resources, String> {
    let nothing = core::PodSpec::default();
    let spec = sent.spec.as_ref().unwrap_or(&nothing);
    let container = |container: &core::Container| {
        asked(container.resources.as_ref(), &format!("container {}", container.name))
    };
    let init = |sent: &core::Container| {
        let sidecar = sent.restart_policy == "Always";
        Ok::<_, String>(InitContainer { requests: container(sent)?, sidecar })
    };
    let parts = PodRequests {
        containers: spec.containers.iter().map(container).collect::<Result<_, _>>()?,
        init_containers: spec.init_containers.iter().map(init).collect::<Result<_, _>>()?,
        pod_level: asked(spec.resources.as_ref(), "resources")?,
        overhead: read_amounts(&spec.overhead, "overhead")?,
    };
    parts.total().map_err(|(name, error)| format!("{name}: {error}"))
}

/// Leaves only amounts of resources that somebody offers. An error names one that nobody has and the pod asks for all the same.
///
/// Names become symbols, which are kept for all time, so none may come from whoever sends a request.
pub(crate) fn keep_known(
    sent: &mut core::Pod,
    is_known: impl Fn(&str) -> bool,
) -> Result<(), String> {
    let Some(spec) = &mut sent.spec else { return Ok(()) };
    let containers = spec.containers.iter_mut().chain(&mut spec.init_containers);
    let resources = containers.filter_map(|container| container.resources.as_mut());
    let requests = resources.chain(&mut spec.resources).map(|resources| &mut resources.requests);
    for amounts in requests.chain([&mut spec.overhead]) {
        let nothing = |quantity: &Quantity| {
            model::Quantity::parse(&quantity.string).is_ok_and(model::Quantity::is_zero)
        };
        let missing = amounts.iter().find(|(name, amount)| !is_known(name) && !nothing(amount));
        if let Some((name, _)) = missing {
            return Err(name.clone());
        }
        amounts.retain(|name, _| is_known(name));
    }
    Ok(())
}

fn asked(
    sent: Option<&core::ResourceRequirements>,
    place: &str,
) -> Result<model::Requests, String> {
    sent.map_or_else(|| Ok(Vec::new()), |sent| read_amounts(&sent.requests, place))
}
