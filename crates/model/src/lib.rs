//! The words of Plimsoll: quantities, labels, pods, nodes, storage.
//!
//! Plain values without I/O, clock or wire format. Whoever reads Kubernetes JSON turns it into these words once, at the
//! rim; from there on strings are symbols or texts, amounts are integers, and what the scheduler looks at is one comparable value.

pub mod advice;
pub mod affinity;
pub mod buffer;
pub mod condition;
pub mod device;
pub mod devices;
pub mod edits;
pub mod exemplar;
pub mod group;
pub mod kinship;
pub mod labels;
pub mod money;
pub mod node;
pub mod order;
pub mod plugin;
pub mod pod;
pub mod port;
pub mod profile;
pub mod provisioning;
pub mod quantity;
pub mod quota;
pub mod requests;
pub mod resources;
pub mod selector;
pub mod settings;
pub mod storage;
pub mod symbol;
pub mod taint;
pub mod template;
pub mod text;
pub mod volume;
pub mod workload;
pub mod world;

pub use advice::{Advice, Alternative, Question};
pub use affinity::{
    NameRequirement, NamespaceScope, NodeAffinity, NodeTerm, PodTerm, SpreadConstraint,
};
pub use buffer::{Buffer, BufferSource, BufferStatus, NamespaceQuota, QuotaScope, Refusal};
pub use condition::{Condition, Truth};
pub use device::{
    AllocatedDevice, AllocatedWhere, Attribute, CapacityPolicy, CapacityRange, ClaimAllocation,
    ClaimSpec, CounterSet, Device, DeviceCapacity, DeviceClaim, DeviceClass, DeviceConstraint,
    DeviceCount, DeviceReach, DeviceRequest, DeviceWants, DeviceWish, PodClaim, ResourceSlice,
    SameOrDistinct,
};
pub use devices::Devices;
pub use edits::Edits;
pub use exemplar::{Exemplar, Remembered};
pub use group::{ErrorClass, Group, GroupOptions, Instance, InstanceError, InstanceState};
pub use jiff::{SignedDuration, Timestamp};
pub use kinship::Kinship;
pub use labels::Labels;
pub use money::Money;
pub use node::{Conditions, Node, label};
pub use order::{DeleteMachine, Intent, Order, OrderId, OrderPhase, RemoveNode, ScaleUp};
pub use plugin::Plugin;
pub use pod::{Deletion, Owner, Phase, Pod, PodExtras, PodName, PodShape, SafeToEvict, StandIn};
pub use port::HostPort;
pub use profile::{Extent, Profile};
pub use provisioning::{PodSet, Request};
pub use quantity::Quantity;
pub use quota::Quota;
pub use requests::{InitContainer, PodRequests, Requests, raise_to, scheduler_units};
pub use resources::{Resources, resource, show_amount};
pub use selector::{LabelOperator, LabelRequirement, LabelSelector};
pub use settings::{
    BalanceSettings, BufferSettings, Consolidation, Expander, Headroom, HealthSettings, Limits,
    ModelSettings, PriceWeights, Range, RequestSettings, Salvo, ScaleDownSettings, ScaleUpSettings,
    Settings, TaintSettings, Units,
};
pub use storage::Storage;
pub use symbol::Symbol;
pub use taint::{Effect, Taint, Toleration, first_untolerated};
pub use template::Template;
pub use text::Text;
pub use volume::{
    Claim, ClaimRef, Disk, PodVolume, StorageCapacity, StorageClass, TopologyTerm, Volume,
    VolumeTerm,
};
pub use workload::{
    Budget, BudgetRule, ConfigMap, Controller, CountOrPercent, DaemonSet, PodTemplate,
};
pub use world::{
    Activity, Backoff, Contested, Contradicted, Departed, Memory, Origin, Registered, Replacement,
    Unregistered, World,
};

/// Namespaces that are known, with their labels.
pub type Namespaces = rustc_hash::FxHashMap<Symbol, Labels>;
