//! Claims: what pods ask of devices, and what they were given.

use std::sync::Arc;

use crate::{NodeAffinity, Quantity, Symbol, Toleration};

/// An entry of `spec.resourceClaims` of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PodClaim {
    /// A ResourceClaim of the pod's namespace, which other pods may use too.
    Named(Symbol),
    /// A claim of the pod's own, made for it from a template.
    Generated {
        /// The template.
        template: Symbol,
        /// The claim that was made.
        claim: Symbol,
    },
    /// A claim of the pod's own that has yet to be made from a template. Pods that differ only in what was made for them are
    /// alike once it is left out.
    Template(Symbol),
}

/// A ResourceClaim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceClaim {
    /// Namespace and name.
    pub id: (Symbol, Symbol),
    /// What is asked for.
    pub spec: Arc<ClaimSpec>,
    /// What it was given.
    pub allocation: Option<ClaimAllocation>,
    /// How many users it has that are not pods: for them it is kept.
    pub other_users: u32,
    /// It is being deleted.
    pub deleting: bool,
}

/// What a claim asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClaimSpec {
    /// All of these.
    pub requests: Box<[DeviceRequest]>,
    /// What the devices have to have in common, or not.
    pub constraints: Box<[DeviceConstraint]>,
}

/// A request for devices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceRequest {
    /// Its name in the claim.
    pub name: Symbol,
    /// What is wanted.
    pub wants: DeviceWants,
}

/// What a request wants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DeviceWants {
    /// `exactly`.
    Exactly(DeviceWish),
    /// `firstAvailable`: the first of these, by name, that can be had.
    FirstAvailable(Box<[(Symbol, DeviceWish)]>),
}

/// Devices of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceWish {
    /// The device class.
    pub class: Symbol,
    /// How many.
    pub count: DeviceCount,
    /// CEL expressions that all have to hold, besides those of the class.
    pub selectors: Box<[Symbol]>,
    /// Which taints of devices are no obstacle.
    pub tolerations: Box<[Toleration]>,
    /// `adminAccess`: the device may be in use.
    pub admin: bool,
    /// How much of a device's capacity, by qualified name.
    pub capacity: Box<[(Symbol, Quantity)]>,
}

/// How many devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceCount {
    /// So many.
    Exactly(i64),
    /// Every device that matches.
    All,
}

/// What devices of a claim have to have in common, or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceConstraint {
    /// The requests concerned: names of requests, or `request/subrequest`; none means all.
    pub requests: Box<[Symbol]>,
    /// The attribute, fully qualified.
    pub attribute: Symbol,
    /// The same for all, or different for each.
    pub rule: SameOrDistinct,
}

/// How the values of an attribute have to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SameOrDistinct {
    /// `matchAttribute`.
    Same,
    /// `distinctAttribute`.
    Distinct,
}

/// A DeviceClass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceClass {
    /// Its name.
    pub name: Symbol,
    /// CEL expressions that all have to hold.
    pub selectors: Box<[Symbol]>,
}

/// What a claim was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimAllocation {
    /// The devices.
    pub devices: Box<[AllocatedDevice]>,
    /// Where it can be used.
    pub reach: AllocatedWhere,
}

/// Where an allocated claim can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocatedWhere {
    /// On every node.
    Everywhere,
    /// On nodes like these.
    Nodes(NodeAffinity),
}

/// A device that was given to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocatedDevice {
    /// Who drives it.
    pub driver: Symbol,
    /// Its pool.
    pub pool: Symbol,
    /// Its name.
    pub device: Symbol,
    /// For administration: it does not count as in use.
    pub admin: bool,
    /// The claim has a share of it.
    pub shared: bool,
    /// How large the share is.
    pub consumed: Box<[(Symbol, Quantity)]>,
}
