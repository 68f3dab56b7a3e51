//! The objects of dynamic resource allocation: `resource.k8s.io/v1`, and what its betas had elsewhere.

use serde::de::IgnoredAny;

use crate::wire::{
    affinity::{NodeSelector, Toleration},
    meta::Metadata,
    node::Taint,
    value::{Amount, List, Pairs, Text},
    wire,
};

wire! {
    /// A ResourceSlice.
    struct ResourceSlice<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: SliceSpec<'a>,
    }

    /// `spec` of a slice.
    struct SliceSpec<'a> {
        "driver" => driver: Text<'a>,
        "pool" => pool: ResourcePool<'a>,
        "nodeName" => node: Text<'a>,
        "nodeSelector" => nodes: Option<NodeSelector<'a>>,
        "allNodes" => all_nodes: Option<bool>,
        "perDeviceNodeSelection" => per_device: Option<bool>,
        "devices" => devices: List<Device<'a>>,
        "sharedCounters" => counters: List<CounterSet<'a>>,
    }

    /// The pool of a slice.
    struct ResourcePool<'a> {
        "name" => name: Text<'a>,
        "generation" => generation: Option<i64>,
        "resourceSliceCount" => slices: Option<i64>,
    }

    /// A device of `v1`; `v1beta1` has all but the name in `basic`.
    struct Device<'a> {
        "name" => name: Text<'a>,
        "basic" => basic: Option<Box<Device<'a>>>,
        "attributes" => attributes: Pairs<'a, Attribute<'a>>,
        "capacity" => capacity: Pairs<'a, Capacity<'a>>,
        "consumesCounters" => consumes: List<CounterSet<'a>>,
        "nodeName" => node: Text<'a>,
        "nodeSelector" => nodes: Option<NodeSelector<'a>>,
        "allNodes" => all_nodes: Option<bool>,
        "taints" => taints: List<Taint<'a>>,
        "bindsToNode" => binds_to_node: Option<bool>,
        "bindingConditions" => binding_conditions: List<IgnoredAny>,
        "allowMultipleAllocations" => shareable: Option<bool>,
    }

    /// A value of one of several types.
    struct Attribute<'a> {
        "int" => int: Option<i64>,
        "bool" => bool: Option<bool>,
        "string" => string: Option<Text<'a>>,
        "version" => version: Option<Text<'a>>,
    }

    /// How much a device has of something.
    struct Capacity<'a> {
        "value" => value: Option<Amount<'a>>,
        "requestPolicy" => policy: Option<CapacityPolicy<'a>>,
    }

    /// Which parts can be asked for.
    struct CapacityPolicy<'a> {
        "default" => default: Option<Amount<'a>>,
        "validValues" => values: List<Amount<'a>>,
        "validRange" => range: Option<CapacityRange<'a>>,
    }

    /// A range of amounts.
    struct CapacityRange<'a> {
        "min" => min: Option<Amount<'a>>,
        "max" => max: Option<Amount<'a>>,
        "step" => step: Option<Amount<'a>>,
    }

    /// A set of counters that a pool has, under `name`, or that a device uses, under `counterSet`.
    struct CounterSet<'a> {
        "name" => name: Text<'a>,
        "counterSet" => set: Text<'a>,
        "counters" => counters: Pairs<'a, Counter<'a>>,
    }

    /// An amount.
    struct Counter<'a> {
        "value" => value: Option<Amount<'a>>,
    }

    /// A DeviceClass.
    struct DeviceClass<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: ClassSpec<'a>,
    }

    /// `spec` of a class.
    struct ClassSpec<'a> {
        "selectors" => selectors: List<Selector<'a>>,
    }

    /// A selector of devices.
    struct Selector<'a> {
        "cel" => cel: Option<CelSelector<'a>>,
    }

    /// An expression.
    struct CelSelector<'a> {
        "expression" => expression: Text<'a>,
    }

    /// A ResourceClaim.
    struct ResourceClaim<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: ClaimSpec<'a>,
        "status" => status: ClaimStatus<'a>,
    }

    /// A ResourceClaimTemplate.
    struct ClaimTemplate<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: TemplateSpec<'a>,
    }

    /// `spec` of a template.
    struct TemplateSpec<'a> {
        "spec" => spec: ClaimSpec<'a>,
    }

    /// `spec` of a claim.
    struct ClaimSpec<'a> {
        "devices" => devices: DeviceClaim<'a>,
    }

    /// What is asked of devices.
    struct DeviceClaim<'a> {
        "requests" => requests: List<DeviceRequest<'a>>,
        "constraints" => constraints: List<Constraint<'a>>,
    }

    /// A request of `v1`, which has its wish in `exactly` or its wishes in `firstAvailable`; or such a wish; or a request of
    /// `v1beta1`, which is one itself.
    struct DeviceRequest<'a> {
        "name" => name: Text<'a>,
        "exactly" => exactly: Option<Box<DeviceRequest<'a>>>,
        "firstAvailable" => first_available: List<DeviceRequest<'a>>,
        "deviceClassName" => class: Text<'a>,
        "selectors" => selectors: List<Selector<'a>>,
        "allocationMode" => mode: Text<'a>,
        "count" => count: Option<i64>,
        "adminAccess" => admin: Option<bool>,
        "tolerations" => tolerations: List<Toleration<'a>>,
        "capacity" => capacity: CapacityRequest<'a>,
    }

    /// How much of a device.
    struct CapacityRequest<'a> {
        "requests" => requests: Pairs<'a, Amount<'a>>,
    }

    /// What devices have to have in common, or not.
    struct Constraint<'a> {
        "requests" => requests: List<Text<'a>>,
        "matchAttribute" => same: Text<'a>,
        "distinctAttribute" => distinct: Text<'a>,
    }

    /// `status` of a claim.
    struct ClaimStatus<'a> {
        "allocation" => allocation: Option<Allocation<'a>>,
        "reservedFor" => users: List<ClaimUser<'a>>,
    }

    /// Who uses a claim.
    struct ClaimUser<'a> {
        "apiGroup" => group: Text<'a>,
        "resource" => resource: Text<'a>,
    }

    /// What a claim was given.
    struct Allocation<'a> {
        "devices" => devices: AllocationResult<'a>,
        "nodeSelector" => nodes: Option<NodeSelector<'a>>,
    }

    /// The devices.
    struct AllocationResult<'a> {
        "results" => results: List<AllocatedDevice<'a>>,
    }

    /// A device that was given.
    struct AllocatedDevice<'a> {
        "driver" => driver: Text<'a>,
        "pool" => pool: Text<'a>,
        "device" => device: Text<'a>,
        "adminAccess" => admin: Option<bool>,
        "shareID" => share: Text<'a>,
        "consumedCapacity" => consumed: Pairs<'a, Amount<'a>>,
    }
}
