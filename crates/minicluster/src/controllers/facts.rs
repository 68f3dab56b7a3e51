//! What controllers look at in an object, read once when it arrives and without building a tree.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;

use crate::Object;

/// What the garbage collector looks at in an object of any kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Who it belongs to.
    pub owners: Box<[Owner]>,
    /// Whether it is on its way out.
    pub deleting: bool,
    /// What holds it.
    pub finalizers: Box<[Box<str>]>,
}

/// A reference to an owner.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// Such as `apps/v1`.
    #[serde(default)]
    pub api_version: Box<str>,
    /// Such as `ReplicaSet`.
    #[serde(default)]
    pub kind: Box<str>,
    /// Its name.
    #[serde(default)]
    pub name: Box<str>,
    /// Which object of that name.
    #[serde(default)]
    pub uid: Box<str>,
    /// Whether it is the one that looks after the object.
    #[serde(default)]
    pub controller: bool,
    /// Whether it may not go before the object, if it goes in the foreground.
    #[serde(default)]
    pub block_owner_deletion: bool,
}

/// What controllers look at in a pod.
#[derive(Clone, Debug)]
pub struct Pod {
    /// The pod itself, for what is seldom wanted.
    pub object: Arc<Object>,
    /// Owners, finalizers, deletion.
    pub meta: Meta,
    /// The node it is bound to; empty if there is none.
    pub node: Arc<str>,
    /// How far it is.
    pub phase: Phase,
    /// Since when it is ready, if it is.
    pub ready_since: Option<Timestamp>,
    /// When it was made.
    pub created: Timestamp,
    /// How often its containers were started again.
    pub restarts: u64,
    /// `controller.kubernetes.io/pod-deletion-cost`.
    pub deletion_cost: i64,
}

/// How far a pod is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Phase {
    /// Not all containers run.
    #[default]
    Pending,
    /// The kubelet cannot be asked.
    Unknown,
    /// Containers run.
    Running,
    /// All containers ended well.
    Succeeded,
    /// All containers ended, some not well.
    Failed,
}

#[derive(Deserialize)]
struct AnyShape {
    #[serde(default)]
    metadata: MetadataShape,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct MetadataShape {
    owner_references: Vec<Owner>,
    finalizers: Vec<Box<str>>,
    deletion_timestamp: Option<Timestamp>,
    creation_timestamp: Option<Timestamp>,
    annotations: CostShape,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CostShape {
    #[serde(rename = "controller.kubernetes.io/pod-deletion-cost")]
    cost: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PodShape {
    #[serde(default)]
    metadata: MetadataShape,
    #[serde(default)]
    spec: SpecShape,
    #[serde(default)]
    status: StatusShape,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SpecShape {
    node_name: Box<str>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct StatusShape {
    phase: Phase,
    conditions: Vec<ConditionShape>,
    container_statuses: Vec<ContainerShape>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConditionShape {
    #[serde(rename = "type")]
    kind: Box<str>,
    #[serde(default)]
    status: Box<str>,
    #[serde(default)]
    last_transition_time: Option<Timestamp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContainerShape {
    #[serde(default)]
    restart_count: u64,
}

// === impl Meta ===

impl Meta {
    /// Reads it out of an object.
    pub fn of(object: &Object) -> Self {
        // What the store keeps is well-formed; what is not is nobody's.
        let shape = serde_json::from_slice::<AnyShape>(&object.json);
        shape.map(|shape| shape.metadata.meta()).unwrap_or_default()
    }

    /// The owner that looks after the object.
    pub fn controller(&self) -> Option<&Owner> {
        self.owners.iter().find(|owner| owner.controller)
    }

    /// Whether it has this finalizer.
    pub fn is_held_by(&self, finalizer: &str) -> bool {
        self.finalizers.iter().any(|held| **held == *finalizer)
    }
}

// === impl MetadataShape ===

impl MetadataShape {
    fn meta(self) -> Meta {
        Meta {
            owners: self.owner_references.into(),
            deleting: self.deletion_timestamp.is_some(),
            finalizers: self.finalizers.into(),
        }
    }
}

// === impl Pod ===

impl Pod {
    /// Reads it out of an object.
    pub fn of(object: &Arc<Object>) -> Option<Self> {
        let shape: PodShape = serde_json::from_slice(&object.json).ok()?;
        let cost = shape.metadata.annotations.cost.as_deref().and_then(|cost| cost.parse().ok());
        let created = shape.metadata.creation_timestamp.unwrap_or_default();
        let conditions = shape.status.conditions.iter();
        let ready = conditions.filter(|condition| &*condition.kind == "Ready").next_back();
        let ready_since = ready
            .filter(|condition| &*condition.status == "True")
            .map(|condition| condition.last_transition_time.unwrap_or(created));
        let containers = shape.status.container_statuses.iter();
        Some(Self {
            object: Arc::clone(object),
            meta: shape.metadata.meta(),
            node: shape.spec.node_name.into(),
            phase: shape.status.phase,
            ready_since,
            created,
            restarts: containers.map(|container| container.restart_count).max().unwrap_or_default(),
            deletion_cost: cost.unwrap_or_default(),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.object.key.name
    }

    /// Whether it is ready.
    pub fn is_ready(&self) -> bool {
        self.ready_since.is_some()
    }

    /// Whether its containers have ended for good.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }

    /// Whether it neither has ended nor is about to.
    pub fn is_active(&self) -> bool {
        !self.is_over() && !self.meta.deleting
    }

    /// From when on it counts as available, given how long it must have been ready.
    pub fn available_from(&self, min_ready_seconds: i64) -> Option<Timestamp> {
        let least = jiff::SignedDuration::from_secs(min_ready_seconds.max(0));
        self.ready_since?.checked_add(least).ok()
    }

    /// Whether it has been ready for long enough.
    pub fn is_available(&self, min_ready_seconds: i64, now: Timestamp) -> bool {
        self.available_from(min_ready_seconds).is_some_and(|from| from <= now)
    }

    /// Whether this owner looks after it.
    pub fn belongs_to(&self, uid: &str) -> bool {
        self.meta.controller().is_some_and(|owner| *owner.uid == *uid)
    }
}
