//! NodeAffinity: node selector and required node affinity, labels and name.

use super::Question;
use crate::Rejection;

/// What the scheduler adds comes first, as there.
pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let (node, profile) = (question.snapshot.node(question.node), &question.snapshot.profile);
    let affinity = profile.node_affinity(&question.shape.node_affinity);
    if affinity.matches(node.name, &node.labels) {
        return None;
    }
    let mut added = profile.added_affinity.iter();
    if added.any(|terms| !terms.iter().any(|term| term.matches(node.name, &node.labels))) {
        return Some(Rejection::AddedAffinity);
    }
    let missing =
        affinity.selector.iter().find(|(key, value)| node.labels.get(*key) != Some(*value));
    Some(match missing {
        Some((key, value)) => {
            Rejection::Selector { key, wants: value.clone(), has: node.labels.get(key).cloned() }
        }
        None => Rejection::NodeAffinity,
    })
}
