//! Requests for room.

use jiff::Timestamp;
use plimsoll_model::{PodSet, Request};

use crate::{
    convert::{condition::conditions, meta},
    problem::{At as _, Checked, each},
    wire::provisioning as wire,
};

/// A request.
pub(crate) fn request(request: &wire::Request<'_>, default: Timestamp) -> Checked<Request> {
    let wire::Request { metadata, spec, status } = request;
    let created = meta::created(metadata, default)?;
    let parameters = spec.parameters.iter();
    Ok(Request {
        namespace: meta::namespace(metadata),
        name: meta::name(metadata)?.into(),
        uid: (&*metadata.uid).into(),
        generation: metadata.generation.unwrap_or_default(),
        created,
        class: meta::required(&spec.class, "provisioningClassName").at("spec")?.into(),
        parameters: parameters.map(|(name, value)| ((&**name).into(), (&**value).into())).collect(),
        pod_sets: each(&spec.pod_sets, "podSets", pod_set).at("spec")?,
        conditions: conditions(&status.conditions, created).at("status")?,
    })
}

fn pod_set(set: &wire::PodSet<'_>) -> Checked<PodSet> {
    let template = meta::required(&set.template.name, "name").at("podTemplateRef")?.into();
    let count = meta::count(set.count.unwrap_or_default(), 1, "count")?;
    Ok(PodSet { template, count: count.unsigned_abs() })
}
