//! What controllers look at in an object, read once when it arrives and without building a tree.

use std::{borrow::Cow, sync::Arc};

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use crate::Object;

/// What the garbage collector looks at in an object of any kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meta {
    /// Who it belongs to.
    pub(crate) owners: Box<[Owner]>,
    /// Whether it is on its way out.
    pub(crate) deleting: bool,
    /// What holds it.
    pub(crate) finalizers: Box<[Box<str>]>,
}

/// A reference to an owner.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Owner {
    /// Such as `apps/v1`.
    #[serde(default)]
    pub(crate) api_version: Box<str>,
    /// Such as `ReplicaSet`.
    #[serde(default)]
    pub(crate) kind: Box<str>,
    /// Its name.
    #[serde(default)]
    pub(crate) name: Box<str>,
    /// Which object of that name.
    #[serde(default)]
    pub(crate) uid: Box<str>,
    /// Whether it is the one that looks after the object.
    #[serde(default)]
    pub(crate) controller: bool,
    /// Whether it may not go before the object, if it goes in the foreground.
    #[serde(default)]
    pub(crate) block_owner_deletion: bool,
}

/// What controllers look at in a pod.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    /// The pod itself, for what is seldom wanted.
    pub(crate) object: Arc<Object>,
    /// Owners, finalizers, deletion.
    pub(crate) meta: Meta,
    /// The node it is bound to; empty if there is none.
    pub(crate) node: Arc<str>,
    /// The node that a daemon set made it for; empty if none did.
    pub(crate) made_for: Box<str>,
    /// How far it is.
    pub(crate) phase: Phase,
    /// Since when it is ready, if it is.
    pub(crate) ready_since: Option<Timestamp>,
    /// When it was made.
    pub(crate) created: Timestamp,
    /// How often its containers were started again.
    pub(crate) restarts: u64,
    /// `controller.kubernetes.io/pod-deletion-cost`.
    pub(crate) deletion_cost: i64,
}

/// How far a pod is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) enum Phase {
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

/// What controllers look at in a node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The node itself.
    pub(crate) object: Arc<Object>,
    /// What keeps pods away or drives them off.
    pub(crate) taints: Box<[Taint]>,
    /// The status of its condition `Ready`; empty if it has none.
    pub(crate) ready: Box<str>,
}

/// What keeps pods away or drives them off.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Taint {
    /// The key.
    #[serde(default)]
    pub(crate) key: Box<str>,
    /// The value.
    #[serde(default)]
    pub(crate) value: Box<str>,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    #[serde(default)]
    pub(crate) effect: Box<str>,
    /// Since when.
    #[serde(default, deserialize_with = "moment")]
    pub(crate) time_added: Option<Timestamp>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeShape {
    spec: NodeSpecShape,
    status: NodeStatusShape,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeSpecShape {
    taints: Vec<Taint>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeStatusShape {
    conditions: Vec<ConditionShape>,
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
    #[serde(deserialize_with = "moment")]
    deletion_timestamp: Option<Timestamp>,
    #[serde(deserialize_with = "moment")]
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
    affinity: Option<AffinityShape>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AffinityShape {
    node_affinity: Option<NodeAffinityShape>,
}

#[derive(Deserialize)]
struct NodeAffinityShape {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    required: Option<TermsShape>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TermsShape {
    #[serde(default)]
    node_selector_terms: Vec<TermShape>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TermShape {
    #[serde(default)]
    match_fields: Vec<FieldShape>,
}

#[derive(Deserialize)]
struct FieldShape {
    #[serde(default)]
    values: Vec<Box<str>>,
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
    #[serde(default, deserialize_with = "moment")]
    last_transition_time: Option<Timestamp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContainerShape {
    #[serde(default)]
    restart_count: u64,
}

/// A time, or none if it is null.
fn moment<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<Cow<'de, str>>::deserialize(input)?;
    Ok(text.and_then(|text| text.parse().ok()))
}

// === impl Meta ===

impl Meta {
    /// Reads it out of an object.
    pub(crate) fn of(object: &Object) -> Self {
        // What the store keeps is well-formed; what is not is nobody's.
        let shape = serde_json::from_slice::<AnyShape>(&object.json);
        shape.map(|shape| shape.metadata.meta()).unwrap_or_default()
    }

    /// The owner that looks after the object.
    pub(crate) fn controller(&self) -> Option<&Owner> {
        self.owners.iter().find(|owner| owner.controller)
    }

    /// Whether it has this finalizer.
    pub(crate) fn is_held_by(&self, finalizer: &str) -> bool {
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

// === impl AffinityShape ===

impl AffinityShape {
    /// The node that it names. The name is the only field of a node that can be asked for.
    fn node(self) -> Option<Box<str>> {
        let terms = self.node_affinity?.required?.node_selector_terms;
        let mut fields = terms.into_iter().flat_map(|term| term.match_fields);
        fields.find_map(|field| field.values.into_iter().next())
    }
}

// === impl Pod ===

impl Pod {
    /// Reads it out of an object.
    pub(crate) fn of(object: &Arc<Object>) -> Option<Self> {
        let shape: PodShape = serde_json::from_slice(&object.json).ok()?;
        let cost = shape.metadata.annotations.cost.as_deref().and_then(|cost| cost.parse().ok());
        let created = shape.metadata.creation_timestamp.unwrap_or_default();
        let mut conditions = shape.status.conditions.iter();
        let ready = conditions.find(|condition| &*condition.kind == "Ready");
        let ready_since = ready
            .filter(|condition| &*condition.status == "True")
            .map(|condition| condition.last_transition_time.unwrap_or(created));
        let containers = shape.status.container_statuses.iter();
        Some(Self {
            object: Arc::clone(object),
            meta: shape.metadata.meta(),
            made_for: shape.spec.affinity.and_then(AffinityShape::node).unwrap_or_default(),
            node: shape.spec.node_name.into(),
            phase: shape.status.phase,
            ready_since,
            created,
            restarts: containers.map(|container| container.restart_count).max().unwrap_or_default(),
            deletion_cost: cost.unwrap_or_default(),
        })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.object.key.name
    }

    /// Whether it is ready.
    pub(crate) fn is_ready(&self) -> bool {
        self.ready_since.is_some()
    }

    /// Whether its containers have ended for good.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }

    /// Whether it neither has ended nor is about to.
    pub(crate) fn is_active(&self) -> bool {
        !self.is_over() && !self.meta.deleting
    }

    /// From when on it counts as available, given how long it must have been ready.
    pub(crate) fn available_from(&self, min_ready_seconds: i64) -> Option<Timestamp> {
        let least = jiff::SignedDuration::from_secs(min_ready_seconds.max(0));
        self.ready_since?.checked_add(least).ok()
    }

    /// Whether it has been ready for long enough.
    pub(crate) fn is_available(&self, min_ready_seconds: i64, now: Timestamp) -> bool {
        self.available_from(min_ready_seconds).is_some_and(|from| from <= now)
    }

    /// Whether this owner looks after it.
    pub(crate) fn belongs_to(&self, uid: &str) -> bool {
        self.meta.controller().is_some_and(|owner| *owner.uid == *uid)
    }
}

// === impl Node ===

impl Node {
    /// Reads it out of an object.
    pub(crate) fn of(object: &Arc<Object>) -> Self {
        // What the store keeps is well-formed; what is not has nothing to say.
        let shape: NodeShape = serde_json::from_slice(&object.json).unwrap_or_default();
        let ready =
            shape.status.conditions.into_iter().find(|condition| &*condition.kind == "Ready");
        Self {
            object: Arc::clone(object),
            taints: shape.spec.taints.into(),
            ready: ready.map(|condition| condition.status).unwrap_or_default(),
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.object.key.name
    }
}

#[cfg(test)]
pub(crate) mod tests;
