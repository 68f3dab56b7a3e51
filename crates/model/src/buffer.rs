//! CapacityBuffers: room that users want to be kept for pods like those they name, and the quotas that bound it.

use crate::{Condition, Resources, Symbol, Timestamp};

/// The strategy that keeps nodes running for a buffer; the others are not ours.
pub const ACTIVE_CAPACITY: &str = "buffer.x-k8s.io/active-capacity";

/// A CapacityBuffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Its uid.
    pub uid: Box<str>,
    /// When it was made: of two that share a quota the older comes first.
    pub created: Timestamp,
    /// `metadata.generation`.
    pub generation: i64,
    /// `spec.provisioningStrategy`; empty when it does not say.
    pub strategy: Box<str>,
    /// What a unit looks like; `None` when it does not say, or says it twice.
    pub source: Option<BufferSource>,
    /// `spec.replicas`.
    pub replicas: Option<i32>,
    /// `spec.percentage`, of the pods that the scalable object wants.
    pub percentage: Option<i32>,
    /// `spec.limits`, in the scheduler's units. Nothing at all is an amount here.
    pub limits: Option<Vec<(Symbol, i64)>>,
    /// What it was told before, by us or by somebody else.
    pub status: BufferStatus,
    /// What the API server has against its pods, as far as we know.
    pub refusal: Option<Refusal>,
}

/// A text of which no pod can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The digest of the text.
    pub digest: u64,
    /// Why, in the words of the API server.
    pub why: Box<str>,
}

/// Where the pod is written down of which a buffer is made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BufferSource {
    /// A PodTemplate of this name.
    Template(Box<str>),
    /// An object that wants a number of pods.
    Scalable {
        /// Its API group; empty and `core` are the same.
        group: Symbol,
        /// Its kind.
        kind: Symbol,
        /// Its name.
        name: Box<str>,
    },
}

/// `status` of a buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferStatus {
    /// The PodTemplate of a unit.
    pub template: Option<Box<str>>,
    /// How many units.
    pub replicas: Option<i32>,
    /// `metadata.generation` of that PodTemplate.
    pub template_generation: Option<i64>,
    /// The strategy that was found.
    pub strategy: Box<str>,
    /// Its conditions, those of others included.
    pub conditions: Vec<Condition>,
}

/// A ResourceQuota of a namespace, as far as it bounds what pods ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceQuota {
    /// Its namespace.
    pub namespace: Symbol,
    /// Its name.
    pub name: Box<str>,
    /// Which pods it counts: all of these have to hold.
    pub scopes: Vec<QuotaScope>,
    /// What may be asked for in all, in the scheduler's units. A resource that stands twice is bounded twice.
    pub hard: Vec<(Symbol, i64)>,
    /// What is asked for already.
    pub used: Resources,
}

/// Which pods a quota counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuotaScope {
    /// Every pod that is not bound to end.
    All,
    /// None of those that wait for a place.
    Nobody,
    /// Pods that ask for neither cpu nor memory.
    BestEffort,
    /// Pods that ask for one of them.
    NotBestEffort,
    /// Pods of one of these priority classes.
    Classes(Vec<Symbol>),
    /// Pods of none of these priority classes.
    OtherClasses(Vec<Symbol>),
    /// Pods that name a priority class.
    AnyClass,
    /// Pods that name none.
    NoClass,
    /// Pods whose affinity looks into other namespaces.
    CrossNamespaceAffinity,
}
