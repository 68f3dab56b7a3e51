//! Why a pod has no node, in the words of kube-scheduler.

use std::collections::BTreeMap;

use plimsoll_fit::{BindingProblem, NodeId, Rejection, Restriction, ShapeId, Snapshot};
use plimsoll_model::resource;

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
        if let Some(general) = general(rejection) {
            self.general = Some(general);
            return;
        }
        match rejection {
            Rejection::Insufficient(shortages) => {
                for shortage in shortages {
                    self.count(match shortage.resource.as_str() {
                        resource::PODS => "Too many pods".to_owned(),
                        name => format!("Insufficient {name}"),
                    });
                }
            }
            other => self.count(reason(other).to_owned()),
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

/// What is found before any node is looked at.
fn general(rejection: &Rejection) -> Option<String> {
    match rejection {
        Rejection::Restricted(Restriction::ClaimMissing(claim))
        | Rejection::UncountableVolume { claim }
        | Rejection::Binding { claim, problem: BindingProblem::Unusable } => {
            Some(format!("persistentvolumeclaim {:?} not found", claim.as_str()))
        }
        Rejection::Binding { problem: BindingProblem::Unbound, .. } => {
            Some("pod has unbound immediate PersistentVolumeClaims".to_owned())
        }
        _ => None,
    }
}

fn reason(rejection: &Rejection) -> &'static str {
    match rejection {
        Rejection::Cordoned => "node(s) were unschedulable",
        Rejection::OtherNode { .. } => "node(s) didn't match the requested node name",
        Rejection::Untolerated(_) => "node(s) had untolerated taint(s)",
        Rejection::Selector { .. } | Rejection::NodeAffinity => {
            "node(s) didn't match Pod's node affinity/selector"
        }
        Rejection::PortTaken(_) => "node(s) didn't have free ports for the requested pod ports",
        Rejection::Insufficient(_) => "Insufficient resources",
        Rejection::Restricted(Restriction::DiskInUse(_)) => "node(s) had no available disk",
        Rejection::Restricted(_) => {
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
        }
        Rejection::TooManyVolumes { .. } | Rejection::UncountableVolume { .. } => {
            "node(s) exceed max volume count"
        }
        Rejection::Binding { problem, .. } => match problem {
            BindingProblem::VolumeMissing => {
                "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
            }
            BindingProblem::OutOfReach | BindingProblem::SelectedElsewhere => {
                "node(s) didn't match PersistentVolume's node affinity"
            }
            _ => "node(s) didn't find available persistent volumes to bind",
        },
        Rejection::Unzoned { .. } | Rejection::WrongZone { .. } => {
            "node(s) had no available volume zone"
        }
        Rejection::NoTopologyKey { .. } => {
            "node(s) didn't match pod topology spread constraints (missing required label)"
        }
        Rejection::Skew { .. } => "node(s) didn't match pod topology spread constraints",
        Rejection::NotNear { .. } => "node(s) didn't match pod affinity rules",
        Rejection::TooNear { .. } => "node(s) didn't match pod anti-affinity rules",
        Rejection::Repelled { .. } => "node(s) didn't satisfy existing pods anti-affinity rules",
    }
}
