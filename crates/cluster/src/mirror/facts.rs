//! What is read from objects directly, and what of a change matters to a decision.

use std::borrow::Cow;

use plimsoll_model::{Buffer, Node, Pod};
use serde::Deserialize;
use serde_json::Value;

use super::Effect;
use crate::source::{Object, Watched};

/// What only who evicts a pod needs to know of it.
#[derive(Clone, Debug)]
pub(super) struct PodFacts {
    /// What tells it from another that had its name.
    pub uid: Box<str>,
    /// How long it may take to end.
    pub grace: Option<u32>,
    /// The scheduler has found no place for it.
    pub is_refused: bool,
    /// It is Ready.
    pub is_ready: bool,
}

/// What is read of a pod for [`PodFacts`].
#[derive(Default, Deserialize)]
struct PodWire<'a> {
    spec: Option<PodSpec>,
    #[serde(borrow)]
    status: Option<PodStatus<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PodSpec {
    termination_grace_period_seconds: Option<i64>,
}

#[derive(Deserialize)]
struct PodStatus<'a> {
    #[serde(borrow)]
    conditions: Option<Vec<Condition<'a>>>,
}

#[derive(Deserialize)]
struct Condition<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    status: Option<Cow<'a, str>>,
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
}

// === impl PodFacts ===

impl PodFacts {
    /// Of a pod that cannot be read, the uid alone.
    pub(super) fn of(object: &Object) -> Self {
        let PodWire { spec, status } = serde_json::from_str(object.text()).unwrap_or_default();
        let grace = spec.and_then(|spec| spec.termination_grace_period_seconds);
        let conditions = status.and_then(|status| status.conditions).unwrap_or_default();
        let has = |kind: &str, is_so: fn(&Condition<'_>) -> bool| {
            conditions.iter().any(|one| one.kind.as_deref() == Some(kind) && is_so(one))
        };
        Self {
            uid: object.uid().into(),
            grace: grace.and_then(|grace| u32::try_from(grace).ok()),
            is_refused: has("PodScheduled", |one| one.reason.as_deref() == Some("Unschedulable")),
            is_ready: has("Ready", |one| one.status.as_deref() == Some("True")),
        }
    }
}

/// Names of the conditions that are True.
pub(super) fn true_conditions(object: &Value) -> Box<[Box<str>]> {
    let is_true = |condition: &&Value| condition["status"] == "True";
    let names = conditions(object).filter(is_true);
    names.filter_map(|condition| Some(condition["type"].as_str()?.into())).collect()
}

pub(super) fn conditions(object: &Value) -> impl Iterator<Item = &Value> {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten()
}

/// The object as it is kept: with its kind, which a list leaves out, and without what only its writers need.
pub(super) fn kept_text(watched: Watched, object: &Object) -> String {
    let mut tree = object.tree();
    let resource = watched.resource();
    tree["apiVersion"] = resource.api_version.into();
    tree["kind"] = resource.kind.into();
    if let Some(metadata) = tree.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    tree.to_string()
}

/// Objects that are kept as text: those of storage, and those of devices.
pub(super) fn is_storage(watched: Watched) -> bool {
    matches!(
        watched,
        Watched::Volumes
            | Watched::Claims
            | Watched::StorageClasses
            | Watched::CsiNodes
            | Watched::CsiDrivers
            | Watched::StorageCapacities
            | Watched::VolumeAttachments
            | Watched::ResourceSlices
            | Watched::ResourceClaims
            | Watched::ResourceClaimTemplates
            | Watched::DeviceClasses
    )
}

/// A node that came or went, became ready or unready, or opened or closed for pods calls for a decision.
pub(super) fn node_effect(before: &Node, after: &Node) -> Effect {
    let calls = |node: &Node| {
        (node.conditions.ready, node.unschedulable, node.deleting, node.taints.clone())
    };
    if calls(before) == calls(after) { Effect::Changed } else { Effect::Urgent }
}

/// What we write on a buffer calls for nothing.
pub(super) fn is_same_buffer(before: &Buffer, after: &Buffer) -> bool {
    Buffer { status: after.status.clone(), ..before.clone() } == *after
}

/// Kubelets and schedulers write more about a pod than decisions depend on.
pub(super) fn is_same(before: &Pod, after: &Pod) -> bool {
    before.shape == after.shape
        && before.node == after.node
        && before.phase == after.phase
        && before.priority == after.priority
        && before.deletion == after.deletion
        && before.owner == after.owner
        && before.nominated == after.nominated
        && before.gated == after.gated
        && before.extras == after.extras
        && before.created == after.created
        && before.scheduler == after.scheduler
}
