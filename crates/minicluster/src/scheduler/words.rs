//! Why a pod has no node, in the words of kube-scheduler.

use std::collections::BTreeMap;

use plimsoll_fit::{NodeId, Rejection, Restriction, ShapeId, Snapshot};

/// What kube-scheduler says when there is no node at all.
pub(super) const NO_NODES: &str = "no nodes available to schedule pods";
const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";

/// How often each reason was given.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    counts: BTreeMap<String, usize>,
    /// A reason that has nothing to do with any node.
    general: Option<String>,
}

/// Whether taking pods off a node could help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cure {
    Possible,
    Impossible,
}

// === impl Reasons ===

impl Reasons {
    /// One node gives these reasons.
    pub(super) fn add(&mut self, rejection: &Rejection) {
        match rejection.scheduler_verdict() {
            Some(general) => self.general = Some(general),
            None => rejection.scheduler_reasons().into_iter().for_each(|reason| self.count(reason)),
        }
    }

    /// One node for which there is nobody to take off.
    pub(super) fn add_without_victims(&mut self) {
        self.count("No preemption victims found for incoming pod".to_owned());
    }

    /// So many nodes which pods that leave would not help.
    pub(super) fn add_not_helpful(&mut self, nodes: usize) {
        if nodes > 0 {
            *self.counts.entry(NOT_HELPFUL.to_owned()).or_default() += nodes;
        }
    }

    /// The sentence about all nodes.
    pub(super) fn sentence(&self, nodes: usize) -> String {
        let mut all: Vec<String> =
            self.counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        all.sort();
        let reasons = match &self.general {
            Some(general) => format!(" {general}."),
            None if all.is_empty() => String::new(),
            None => format!(" {}.", all.join(", ")),
        };
        format!("0/{nodes} nodes are available:{reasons}")
    }

    fn count(&mut self, reason: String) {
        *self.counts.entry(reason).or_default() += 1;
    }
}

/// What speaks first against each node, and whether pods that leave could cure it. The filters after it are not asked.
pub(super) fn objections(
    snapshot: &Snapshot,
    shape: ShapeId,
    nodes: &[NodeId],
) -> Vec<(NodeId, Rejection, Cure)> {
    let judge = |node: &NodeId| {
        let first = snapshot.judge(shape, *node).into_iter().next()?;
        let cure = cure(&first);
        Some((*node, first, cure))
    };
    nodes.iter().filter_map(judge).collect()
}

fn cure(rejection: &Rejection) -> Cure {
    let curable = match rejection {
        Rejection::Insufficient(shortages) => {
            shortages.iter().all(|shortage| shortage.asks <= shortage.allocatable)
        }
        Rejection::PortTaken(_)
        | Rejection::TooManyVolumes { .. }
        | Rejection::Skew { .. }
        | Rejection::TooNear { .. }
        | Rejection::Repelled { .. } => true,
        Rejection::Restricted(restriction) => !matches!(restriction, Restriction::ClaimMissing(_)),
        _ => false,
    };
    if curable { Cure::Possible } else { Cure::Impossible }
}
