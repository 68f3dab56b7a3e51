//! TaintToleration: a node's NoSchedule and NoExecute taints must all be tolerated.

use plimsoll_model::{Plugin, first_untolerated};

use super::Question;
use crate::Rejection;

/// The first taint that the pod does not tolerate decides, as in the scheduler.
pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    if !question.concerns(Plugin::TaintToleration) {
        return None;
    }
    let taints = &question.snapshot.node(question.node).taints;
    first_untolerated(taints, &question.shape.tolerations)
        .map(|taint| Rejection::Untolerated(*taint))
}
