//! DynamicResources: what the pod's claims were given can be used from the node, and the rest can be had there.

use super::Question;
use crate::Rejection;

pub(super) fn fits(question: Question<'_>) -> bool {
    question.entry.claims.is_none() || judge(question).is_none()
}

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let Question { snapshot, entry, node, .. } = question;
    let found = match entry.claims.as_deref()? {
        Ok(wanted) => snapshot.devices.assign(wanted, snapshot.node(node), node).err(),
        Err(problem) => Some(problem.clone()),
    };
    found.map(Rejection::Devices)
}
