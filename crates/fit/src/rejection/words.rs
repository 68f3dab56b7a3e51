//! What kube-scheduler says, word for word: tools and people know its messages.

use plimsoll_model::resource;

use super::Rejection;
use crate::{BindingProblem, Restriction};

// === impl Rejection ===

impl Rejection {
    /// The reasons that kube-scheduler counts over the nodes: one, or one for each resource that is short.
    pub fn scheduler_reasons(&self) -> Vec<String> {
        if let Self::Insufficient(shortages) = self {
            let names = shortages.iter().map(|shortage| match shortage.resource.as_str() {
                resource::PODS => "Too many pods".to_owned(),
                name => format!("Insufficient {name}"),
            });
            return names.collect();
        }
        if let Self::Devices(problem) = self {
            return vec![problem.scheduler_reason()];
        }
        vec![self.scheduler_verdict().unwrap_or_else(|| self.scheduler_reason().to_owned())]
    }

    /// What kube-scheduler finds before it looks at any node; `None` for what it says of a node.
    pub fn scheduler_verdict(&self) -> Option<String> {
        match self {
            Self::Restricted(Restriction::ClaimMissing(claim))
            | Self::UncountableVolume { claim }
            | Self::Binding { claim, problem: BindingProblem::Unusable } => {
                Some(format!("persistentvolumeclaim {:?} not found", claim.as_str()))
            }
            Self::Binding { problem: BindingProblem::Unbound, .. } => {
                Some("pod has unbound immediate PersistentVolumeClaims".to_owned())
            }
            Self::Devices(problem) if problem.is_of_the_pod() => Some(problem.scheduler_reason()),
            _ => None,
        }
    }

    fn scheduler_reason(&self) -> &'static str {
        match self {
            Self::Cordoned => "node(s) were unschedulable",
            Self::OtherNode { .. } => "node(s) didn't match the requested node name",
            Self::Untolerated(_) => "node(s) had untolerated taint(s)",
            Self::Selector { .. } | Self::NodeAffinity => {
                "node(s) didn't match Pod's node affinity/selector"
            }
            Self::AddedAffinity => "node(s) didn't match scheduler-enforced node affinity",
            Self::PortTaken(_) => "node(s) didn't have free ports for the requested pod ports",
            Self::Insufficient(_) => "Insufficient resources",
            Self::Restricted(Restriction::DiskInUse(_)) => "node(s) had no available disk",
            Self::Restricted(_) => {
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode \
                 already in-use by another pod"
            }
            Self::TooManyVolumes { .. } | Self::UncountableVolume { .. } => {
                "node(s) exceed max volume count"
            }
            Self::Binding { problem, .. } => match problem {
                BindingProblem::VolumeMissing => {
                    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
                }
                BindingProblem::OutOfReach | BindingProblem::SelectedElsewhere => {
                    "node(s) didn't match PersistentVolume's node affinity"
                }
                BindingProblem::NoneAvailable
                | BindingProblem::Unusable
                | BindingProblem::Unbound => {
                    "node(s) didn't find available persistent volumes to bind"
                }
            },
            Self::Unzoned { .. } | Self::WrongZone { .. } => "node(s) had no available volume zone",
            Self::NoTopologyKey { .. } => {
                "node(s) didn't match pod topology spread constraints (missing required label)"
            }
            Self::Skew { .. } => "node(s) didn't match pod topology spread constraints",
            Self::NotNear { .. } => "node(s) didn't match pod affinity rules",
            Self::TooNear { .. } => "node(s) didn't match pod anti-affinity rules",
            Self::Repelled { .. } => "node(s) didn't satisfy existing pods anti-affinity rules",
            Self::Devices(_) => "cannot allocate all claims",
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_model::Symbol;

    use crate::{BindingProblem, Rejection, Restriction, Shortage};

    #[test]
    fn a_node_has_a_reason_for_each_resource_and_a_missing_claim_has_none_of_a_node() {
        let short = |resource: &str| Shortage {
            resource: Symbol::new(resource),
            asks: 2,
            free: 1,
            allocatable: 1,
        };
        let both = Rejection::Insufficient([short("cpu"), short("pods")].into());
        assert_eq!(both.scheduler_reasons(), ["Insufficient cpu", "Too many pods"]);
        assert_eq!(both.scheduler_verdict(), None);
        let claim = Symbol::new("data");
        let missing = [
            Rejection::Restricted(Restriction::ClaimMissing(claim)),
            Rejection::UncountableVolume { claim },
            Rejection::Binding { claim, problem: BindingProblem::Unusable },
        ];
        for rejection in missing {
            let words = "persistentvolumeclaim \"data\" not found";
            assert_eq!(rejection.scheduler_verdict().as_deref(), Some(words));
            assert_eq!(rejection.scheduler_reasons(), [words]);
        }
    }
}
