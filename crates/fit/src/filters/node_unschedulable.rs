//! NodeUnschedulable: a cordoned node takes only pods that tolerate the cordon.

use plimsoll_model::Plugin;

use super::Question;
use crate::{Rejection, gates::tolerates_cordon};

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let cordoned = question.snapshot.node(question.node).unschedulable;
    let is_shut = cordoned
        && question.concerns(Plugin::NodeUnschedulable)
        && !tolerates_cordon(&question.shape.tolerations);
    is_shut.then_some(Rejection::Cordoned)
}
