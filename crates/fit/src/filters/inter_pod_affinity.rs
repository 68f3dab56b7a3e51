//! InterPodAffinity: near the pods it wants, away from those it does not, and not near those that do not want it.

use super::Question;
use crate::{Rejection, Snapshot, ids::CounterId};

pub(super) fn fits(question: Question<'_>) -> bool {
    let entry = question.entry;
    (entry.repelled_by.is_empty() || !any_near(question, &entry.repelled_by))
        && (entry.avoids.is_empty() || !any_near(question, &entry.avoids))
        && (question.shape.affinity.is_empty() || draws(question))
}

/// The order is the scheduler's: own affinity, own anti-affinity, that of the pods there.
pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let snapshot = question.snapshot;
    if !question.shape.affinity.is_empty() && !draws(question) {
        let needs = &question.entry.affinity.needs;
        let key = needs.iter().find(|id| !near(question, **id)).map(|id| snapshot.key_label(*id));
        return Some(Rejection::NotNear {
            key: key.unwrap_or(question.shape.affinity[0].topology_key),
        });
    }
    let first_near =
        |counters: &[CounterId]| counters.iter().copied().find(|id| near(question, *id));
    if let Some(id) = first_near(&question.entry.avoids) {
        return Some(Rejection::TooNear { key: snapshot.key_label(id) });
    }
    let repelling = first_near(&question.entry.repelled_by)?;
    Some(Rejection::Repelled { key: snapshot.key_label(repelling) })
}

/// Whether all terms find a pod in the node's domains, or the pod is the first of its kind.
fn draws(question: Question<'_>) -> bool {
    let Snapshot { counters, topology, .. } = question.snapshot;
    let affinity = &question.entry.affinity;
    let has_keys = || {
        let mut keys = affinity.needs.iter().map(|id| counters[id.index()].question.key);
        keys.all(|key| topology.domain(key, question.node).is_some())
    };
    let nobody = || affinity.needs.iter().all(|id| counters[id.index()].tally.total() == 0);
    !affinity.impossible
        && (affinity.needs.iter().all(|id| near(question, *id))
            || (affinity.satisfies_itself && nobody() && has_keys()))
}

fn any_near(question: Question<'_>, counters: &[CounterId]) -> bool {
    counters.iter().any(|id| near(question, *id))
}

/// Whether a counted pod is in the node's domain.
fn near(question: Question<'_>, id: CounterId) -> bool {
    let counter = &question.snapshot.counters[id.index()];
    let domain = question.snapshot.topology.domain(counter.question.key, question.node);
    domain.is_some_and(|domain| counter.tally.get(domain) > 0)
}

impl Snapshot {
    fn key_label(&self, id: CounterId) -> plimsoll_model::Symbol {
        self.topology.label(self.counters[id.index()].question.key)
    }
}
