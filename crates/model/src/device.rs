//! Devices that pods claim by dynamic resource allocation (`resource.k8s.io`): what drivers publish.

use std::sync::Arc;

use crate::{NodeAffinity, Quantity, Symbol, Taint};

mod claim;

pub use claim::{
    AllocatedDevice, AllocatedWhere, ClaimAllocation, ClaimSpec, DeviceClaim, DeviceClass,
    DeviceConstraint, DeviceCount, DeviceRequest, DeviceWants, DeviceWish, PodClaim,
    SameOrDistinct,
};

/// A ResourceSlice: some of the devices of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceSlice {
    /// Its name: within a pool, slices are searched in the order of their names.
    pub name: Symbol,
    /// Who drives the devices.
    pub driver: Symbol,
    /// The pool. Device names are unique in a driver's pool.
    pub pool: Symbol,
    /// Only the newest generation of a pool counts.
    pub generation: i64,
    /// How many slices this generation of the pool has.
    pub slices: i64,
    /// From which nodes the devices can be used.
    pub reach: DeviceReach,
    /// The devices, in the order in which they are tried. Shared by copies of the slice.
    pub devices: Arc<[Device]>,
    /// What devices of the pool share. A slice has these or devices.
    pub counters: Box<[CounterSet]>,
}

/// From which nodes a device can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceReach {
    /// It is part of this node.
    Node(Symbol),
    /// From nodes like these.
    Nodes(NodeAffinity),
    /// From every node.
    Everywhere,
    /// Each device says so itself.
    PerDevice,
    /// In no way that is known here.
    Unknown,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name in the pool.
    pub name: Symbol,
    /// What selectors and constraints look at, by qualified name.
    pub attributes: Box<[(Symbol, Attribute)]>,
    /// What it has, by qualified name.
    pub capacity: Box<[(Symbol, DeviceCapacity)]>,
    /// Taints that keep claims away; those without an effect are left out.
    pub taints: Box<[Taint]>,
    /// From which nodes, in a slice where each device says so itself.
    pub reach: DeviceReach,
    /// Several claims may have it at the same time, each a part of its capacity.
    pub shareable: bool,
    /// What it takes of counters that it shares with other devices.
    pub consumes: Box<[CounterSet]>,
    /// A claim that has it can be used on one node only, although others reach it.
    pub binds_to_node: bool,
    /// It has to be made ready before a pod can be bound: such pools come last.
    pub awaits_binding: bool,
}

/// A device's attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Attribute {
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `string`.
    Text(Box<str>),
    /// `version`: a semantic version.
    Version(Box<str>),
    /// A type that the scheduler does not know: selecting among such devices is an error.
    Unsupported,
}

/// How much of something a device has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceCapacity {
    /// The amount.
    pub value: Quantity,
    /// How requests for a part of it are understood.
    pub policy: Option<Box<CapacityPolicy>>,
}

/// Which parts of a capacity can be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CapacityPolicy {
    /// What a request gets that does not say.
    pub default: Option<Quantity>,
    /// The amounts that can be had, in ascending order; a request is rounded up to one of them.
    pub values: Box<[Quantity]>,
    /// The range of what can be had.
    pub range: Option<CapacityRange>,
}

/// A range of amounts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CapacityRange {
    /// A request for less gets this.
    pub min: Option<Quantity>,
    /// A request for more gets nothing.
    pub max: Option<Quantity>,
    /// Requests are rounded up to the minimum and a multiple of this.
    pub step: Option<Quantity>,
}

/// Counters by name: what a pool has to share, or what a device takes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterSet {
    /// The set.
    pub name: Symbol,
    /// Amounts by counter.
    pub counters: Box<[(Symbol, Quantity)]>,
}

// === impl ResourceSlice ===

impl ResourceSlice {
    /// Whether its devices are part of the node.
    pub fn is_local_to(&self, node: Symbol) -> bool {
        self.reach == DeviceReach::Node(node)
    }
}

// === impl Device ===

impl Device {
    /// An attribute by its fully qualified name (`domain/id`). Names without a domain are of the driver's domain.
    pub fn attribute(&self, driver: Symbol, name: &str) -> Option<&Attribute> {
        let find = |name: &str| {
            self.attributes.iter().find(|(own, _)| own.as_str() == name).map(|(_, value)| value)
        };
        find(name).or_else(|| {
            let (domain, id) = name.split_once('/')?;
            find(id).filter(|_| domain == driver.as_str())
        })
    }
}
