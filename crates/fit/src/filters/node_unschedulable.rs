//! NodeUnschedulable: a cordoned node takes only pods that tolerate the cordon.

use super::Question;
use crate::{Rejection, gates::tolerates_cordon};

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let cordoned = question.snapshot.node(question.node).unschedulable;
    (cordoned && !tolerates_cordon(&question.shape.tolerations)).then_some(Rejection::Cordoned)
}
