//! Why a pod's claims cannot be met.

use std::fmt;

use plimsoll_model::Symbol;

/// What stands between a pod and its devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceProblem {
    /// The claim does not exist.
    ClaimMissing {
        /// The claim.
        claim: Symbol,
    },
    /// The claim is to be made from a template that does not exist.
    TemplateMissing {
        /// The template.
        template: Symbol,
    },
    /// The claim is being deleted.
    ClaimDeleting {
        /// The claim.
        claim: Symbol,
    },
    /// The claim has as many pods as a claim can have.
    ClaimInUse {
        /// The claim.
        claim: Symbol,
    },
    /// A request names a class that does not exist.
    ClassMissing {
        /// The request.
        request: Box<str>,
        /// The class.
        class: Symbol,
    },
    /// What the claim was given cannot be used from the node.
    OutOfReach {
        /// The claim.
        claim: Symbol,
    },
    /// Not all devices can be had on the node.
    NotEnough,
    /// Not all devices can be had, and a pool that the node sees contradicts itself.
    InvalidPools,
    /// Which devices a new node will have is not known.
    Unknown,
    /// There may be a way, but finding it takes too long.
    TooHard,
    /// The claim or class is wrong, or does not go with the devices that are there.
    Wrong(Box<str>),
}

// === impl DeviceProblem ===

impl DeviceProblem {
    /// As kube-scheduler says it.
    pub(crate) fn scheduler_reason(&self) -> String {
        match self {
            Self::ClaimMissing { claim } => {
                format!("resourceclaim.resource.k8s.io {:?} not found", claim.as_str())
            }
            Self::TemplateMissing { template } => {
                format!("resourceclaimtemplate.resource.k8s.io {:?} not found", template.as_str())
            }
            Self::ClaimDeleting { claim } => {
                format!("resourceclaim {:?} is being deleted", claim.as_str())
            }
            Self::ClaimInUse { .. } => "resourceclaim in use".to_owned(),
            Self::ClassMissing { request, class } => {
                format!("request {request}: device class {class} does not exist")
            }
            Self::OutOfReach { .. } => "resourceclaim not available on the node".to_owned(),
            Self::NotEnough | Self::Unknown => "cannot allocate all claims".to_owned(),
            Self::InvalidPools => "invalid resource pools were encountered".to_owned(),
            Self::TooHard => "timed out trying to allocate devices".to_owned(),
            Self::Wrong(problem) => problem.to_string(),
        }
    }

    /// Whether it is the same on every node.
    pub(crate) fn is_of_the_pod(&self) -> bool {
        matches!(
            self,
            Self::ClaimMissing { .. }
                | Self::TemplateMissing { .. }
                | Self::ClaimDeleting { .. }
                | Self::ClaimInUse { .. }
                | Self::ClassMissing { .. }
        )
    }
}

impl fmt::Display for DeviceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClaimMissing { claim } => write!(f, "device claim {claim} does not exist"),
            Self::TemplateMissing { template } => {
                write!(f, "device claim template {template} does not exist")
            }
            Self::ClaimDeleting { claim } => write!(f, "device claim {claim} is being deleted"),
            Self::ClaimInUse { claim } => {
                write!(f, "device claim {claim} has as many pods as a claim can have")
            }
            Self::ClassMissing { request, class } => {
                write!(f, "device class {class} of request {request} does not exist")
            }
            Self::OutOfReach { claim } => {
                write!(f, "the devices of claim {claim} cannot be used from the node")
            }
            Self::NotEnough => f.write_str("the devices it claims cannot all be had on the node"),
            Self::InvalidPools => f.write_str(
                "the devices it claims cannot all be had, and a pool of devices contradicts itself",
            ),
            Self::Unknown => f.write_str("the devices of a new node are not known"),
            Self::TooHard => f.write_str("gave up looking for a way to allocate the devices"),
            Self::Wrong(problem) => f.write_str(problem),
        }
    }
}
