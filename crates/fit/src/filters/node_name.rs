//! NodeName: a pod that names its node goes there only.

use super::Question;
use crate::Rejection;

pub(super) fn fits(question: Question<'_>) -> bool {
    judge(question).is_none()
}

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let wants = question.shape.pinned_to?;
    (wants != question.snapshot.node(question.node).name).then_some(Rejection::OtherNode { wants })
}
