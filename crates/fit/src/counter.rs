//! Counters: running answers to "how many pods such as these are in that domain?"
//!
//! A counter is made when a pod shape that needs its answer is first seen, and kept right from then on by every pod that is
//! placed or evicted. Shapes that ask the same question share one counter.

use plimsoll_model::{LabelSelector, NamespaceScope, Namespaces, PodShape, PodTerm, Symbol, Text};

use crate::{
    ids::{CensusId, KeyId},
    tally::Tally,
};

/// What is counted, and by which domains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    /// Which pods.
    pub whom: Whom,
    /// The topology key.
    pub key: KeyId,
    /// For spread: which nodes count. Otherwise all that have the key do.
    pub census: Option<CensusId>,
}

/// Which pods are counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Whom {
    /// For spread: pods of the namespace that the selector takes and that are not on their way out.
    Spread { namespace: Symbol, selector: LabelSelector },
    /// For an incoming pod's affinity: pods that *every* one of these terms takes.
    Matching(Box<[(NamespaceScope, LabelSelector)]>),
    /// For the anti-affinity of pods that are there already: pods that have this term.
    Owners(PodTerm),
}

/// A question and its running answer.
#[derive(Debug)]
pub(crate) struct Counter {
    pub question: Question,
    pub tally: Tally,
}

// === impl Whom ===

impl Whom {
    /// Whether a pod of this shape is counted.
    pub(crate) fn counts(&self, shape: &PodShape, namespaces: &Namespaces) -> bool {
        match self {
            Self::Spread { namespace, selector } => {
                // The scheduler counts nothing for an empty selector, although it matches the pod itself.
                shape.namespace == *namespace
                    && !shape.terminating
                    && !selector.is_empty()
                    && selector.matches(&shape.labels)
            }
            Self::Matching(terms) => {
                let labels = namespaces.get(&shape.namespace);
                terms.iter().all(|(scope, selector)| {
                    selector.matches(&shape.labels) && scope.sees(shape.namespace, labels)
                })
            }
            Self::Owners(term) => shape.anti_affinity.contains(term),
        }
    }

    /// For the anti-affinity of pods that are there: whether it keeps a pod of this shape away.
    pub(crate) fn repels(&self, shape: &PodShape, namespaces: &Namespaces) -> bool {
        match self {
            Self::Owners(term) => {
                let labels = namespaces.get(&shape.namespace);
                term.selects(&shape.labels)
                    && term.namespaces.sees_incoming(shape.namespace, labels)
            }
            Self::Spread { .. } | Self::Matching(_) => false,
        }
    }

    /// A label that every counted or repelled pod has, if the question implies one: the index looks there.
    pub(crate) fn pair(&self) -> Option<(Symbol, &Text)> {
        match self {
            Self::Spread { selector, .. } => selector.exact_pair(),
            Self::Matching(terms) => terms.iter().find_map(|(_, selector)| selector.exact_pair()),
            Self::Owners(term) => term.selector.as_ref().and_then(LabelSelector::exact_pair),
        }
    }
}
