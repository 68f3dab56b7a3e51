//! NodeAffinity: node selector and required node affinity, labels and name.

use super::Question;
use crate::Rejection;

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let node = question.snapshot.node(question.node);
    let affinity = &question.shape.node_affinity;
    if affinity.matches(node.name, &node.labels) {
        return None;
    }
    let missing =
        affinity.selector.iter().find(|(key, value)| node.labels.get(*key) != Some(*value));
    Some(match missing {
        Some((key, value)) => Rejection::Selector { key, wants: value, has: node.labels.get(key) },
        None => Rejection::NodeAffinity,
    })
}
