//! Why a node does not take a pod, as data. Words are made only when it is printed.

use std::fmt;

use plimsoll_model::{Disk, HostPort, Symbol, Taint, Text, show_amount};

use crate::{BindingProblem, DeviceProblem, Plugin, Restriction};

mod words;

/// What one filter has against a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The node is cordoned.
    Cordoned,
    /// The pod names another node.
    OtherNode {
        /// That node.
        wants: Symbol,
    },
    /// A taint that the pod does not tolerate.
    Untolerated(Taint),
    /// The node selector asks for another label.
    Selector {
        /// The label's key.
        key: Symbol,
        /// The value asked for.
        wants: Text,
        /// The node's value.
        has: Option<Text>,
    },
    /// No term of the required node affinity matches.
    NodeAffinity,
    /// The node is none of those that the scheduler was told to use.
    AddedAffinity,
    /// A host port is in use.
    PortTaken(HostPort),
    /// Less is free than the pod asks for.
    Insufficient(Box<[Shortage]>),
    /// A claim or disk is in use, or the claim does not exist.
    Restricted(Restriction),
    /// The driver attaches no more volumes to the node.
    TooManyVolumes {
        /// The CSI driver.
        driver: Symbol,
        /// What it takes.
        limit: i64,
    },
    /// A claim is missing or not the pod's own, so its volumes cannot be counted.
    UncountableVolume {
        /// The claim.
        claim: Symbol,
    },
    /// A claim's volume cannot be had here.
    Binding {
        /// The claim.
        claim: Symbol,
        /// Why.
        problem: BindingProblem,
    },
    /// A claim has no volume whose zone could be compared.
    Unzoned {
        /// The claim.
        claim: Symbol,
    },
    /// The volume is in another zone or region.
    WrongZone {
        /// The volume.
        volume: Symbol,
        /// The label's key.
        key: Symbol,
        /// The volume's value.
        wants: Text,
    },
    /// The node lacks the label by which pods are to be spread.
    NoTopologyKey {
        /// The label's key.
        key: Symbol,
    },
    /// The domain is too far ahead of the emptiest one.
    Skew {
        /// The topology key.
        key: Symbol,
        /// The node's domain.
        domain: Text,
        /// Pods in that domain.
        count: u32,
        /// Pods in the emptiest domain.
        least: u32,
        /// How far ahead it may be.
        max_skew: u32,
    },
    /// No pod that it wants to be near is in the domain.
    NotNear {
        /// The topology key.
        key: Symbol,
    },
    /// A pod that it wants to be away from is in the domain.
    TooNear {
        /// The topology key.
        key: Symbol,
    },
    /// A pod in the domain wants to be away from it.
    Repelled {
        /// The topology key.
        key: Symbol,
    },
    /// The devices that it claims cannot be had.
    Devices(DeviceProblem),
}

/// A resource of which less is free than asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The resource.
    pub resource: Symbol,
    /// What the pod asks for.
    pub asks: i64,
    /// What is free.
    pub free: i64,
    /// What the node would have if it were empty.
    pub allocatable: i64,
}

// === impl Rejection ===

impl Rejection {
    /// The filter that rejects.
    pub fn plugin(&self) -> Plugin {
        match self {
            Self::Cordoned => Plugin::NodeUnschedulable,
            Self::OtherNode { .. } => Plugin::NodeName,
            Self::Untolerated(_) => Plugin::TaintToleration,
            Self::Selector { .. } | Self::NodeAffinity | Self::AddedAffinity => {
                Plugin::NodeAffinity
            }
            Self::PortTaken(_) => Plugin::NodePorts,
            Self::Insufficient(_) => Plugin::NodeResourcesFit,
            Self::Restricted(_) => Plugin::VolumeRestrictions,
            Self::TooManyVolumes { .. } | Self::UncountableVolume { .. } => {
                Plugin::NodeVolumeLimits
            }
            Self::Binding { .. } => Plugin::VolumeBinding,
            Self::Unzoned { .. } | Self::WrongZone { .. } => Plugin::VolumeZone,
            Self::NoTopologyKey { .. } | Self::Skew { .. } => Plugin::PodTopologySpread,
            Self::NotNear { .. } | Self::TooNear { .. } | Self::Repelled { .. } => {
                Plugin::InterPodAffinity
            }
            Self::Devices(_) => Plugin::DynamicResources,
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cordoned => f.write_str("the node is cordoned"),
            Self::OtherNode { wants } => write!(f, "the pod names node {wants}"),
            Self::Untolerated(taint) => write!(f, "taint {taint} is not tolerated"),
            Self::Selector { key, wants, has: Some(has) } => {
                write!(f, "wants {key}={wants}, the node has {has}")
            }
            Self::Selector { key, wants, has: None } => {
                write!(f, "wants {key}={wants}, the node has no such label")
            }
            Self::NodeAffinity => f.write_str("no term of the required node affinity matches"),
            Self::AddedAffinity => f.write_str("no term of the scheduler's added affinity matches"),
            Self::PortTaken(port) => write!(f, "host port {port} is in use"),
            Self::Insufficient(shortages) => write_list(f, shortages),
            Self::Restricted(restriction) => write!(f, "{restriction}"),
            Self::TooManyVolumes { driver, limit } => {
                write!(f, "{driver} attaches no more than {limit} volumes to the node")
            }
            Self::UncountableVolume { claim } => {
                write!(f, "claim {claim} does not exist or is not the pod's own")
            }
            Self::Binding { claim, problem } => write!(f, "claim {claim} {problem}"),
            Self::Unzoned { claim } => write!(f, "claim {claim} has no volume"),
            Self::WrongZone { volume, key, wants } => {
                write!(f, "volume {volume} is in {key}={wants}")
            }
            Self::NoTopologyKey { key } => write!(f, "the node has no label {key} to spread over"),
            Self::Skew { key, domain, count, least, max_skew } => write!(
                f,
                "{key}={domain} has {count} such pods, the emptiest domain {least}, \
                 and the skew may be {max_skew}"
            ),
            Self::NotNear { key } => write!(f, "no pod it wants to be near shares its {key}"),
            Self::TooNear { key } => write!(f, "a pod it wants to avoid shares its {key}"),
            Self::Repelled { key } => write!(f, "a pod that wants to avoid it shares its {key}"),
            Self::Devices(problem) => write!(f, "{problem}"),
        }
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, shortages: &[Shortage]) -> fmt::Result {
    for (place, shortage) in shortages.iter().enumerate() {
        if place > 0 {
            f.write_str("; ")?;
        }
        write!(f, "{shortage}")?;
    }
    Ok(())
}

impl Shortage {
    /// What is asked and what is free, for a person.
    pub fn amounts(&self) -> (String, String) {
        let show = |amount| show_amount(self.resource, amount);
        let shown = (show(self.asks), show(self.free));
        // What is short may be less than the words show: then they are too few.
        if shown.0 == shown.1 { (self.asks.to_string(), self.free.to_string()) } else { shown }
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (asks, free) = self.amounts();
        write!(f, "insufficient {}: asks {asks}, free {free}", self.resource)
    }
}

// === impl Restriction ===

impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClaimMissing(claim) => write!(f, "claim {claim} does not exist"),
            Self::ClaimInUse(claim) => {
                write!(f, "claim {claim} is ReadWriteOncePod and another pod uses it")
            }
            Self::DiskInUse(disk) => {
                write!(f, "{} is mounted by a pod of the node", disk_name(disk))
            }
        }
    }
}

fn disk_name(disk: &Disk) -> String {
    match disk {
        Disk::AwsElasticBlockStore { volume } => format!("EBS volume {volume}"),
        Disk::GcePersistentDisk { name, .. } => format!("GCE disk {name}"),
        Disk::Iscsi { iqn, .. } => format!("iSCSI target {iqn}"),
        Disk::Rbd { image, pool, .. } => format!("RBD image {pool}/{image}"),
    }
}

// === impl BindingProblem ===

impl fmt::Display for BindingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unusable => "does not exist, is lost, is going away or is not the pod's own",
            Self::Unbound => "is not bound to a volume yet",
            Self::VolumeMissing => "is bound to a volume that does not exist",
            Self::OutOfReach => "is bound to a volume that the node cannot reach",
            Self::SelectedElsewhere => "waits for its volume on another node",
            Self::NoneAvailable => "finds no volume here, and none can be made here",
        })
    }
}
