//! DynamicResources: what the pod's claims were given can be used from the node, and the rest can be had there.

use plimsoll_model::{Extent, Plugin};

use super::Question;
use crate::{DeviceProblem, Rejection};

pub(super) fn fits(question: Question<'_>) -> bool {
    question.entry.claims.is_none() || judge(question).is_none()
}

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let Question { snapshot, entry, node, .. } = question;
    let found = match entry.claims.as_deref()? {
        Ok(wanted) => snapshot.devices.assign(wanted, snapshot.node(node), node).err(),
        Err(problem) => Some(problem.clone()),
    };
    let found = found.filter(|problem| match question.extent(Plugin::DynamicResources) {
        Extent::Off => false,
        Extent::Early => DeviceProblem::is_of_the_pod(problem),
        Extent::Full => true,
    });
    found.map(Rejection::Devices)
}
