//! What is read from objects directly, and what of a change matters to a decision.

use kube::{ResourceExt as _, api::DynamicObject};
use plimsoll_model::{Buffer, Node, Pod};
use plimsoll_provider::NodeIdentity;
use serde_json::Value;

use super::Effect;
use crate::source::Watched;

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

// === impl PodFacts ===

impl PodFacts {
    pub(super) fn of(object: &DynamicObject) -> Self {
        let grace = object.data.pointer("/spec/terminationGracePeriodSeconds");
        let grace = grace.and_then(|grace| u32::try_from(grace.as_u64()?).ok());
        let is_refusal = |condition: &Value| {
            condition["type"] == "PodScheduled" && condition["reason"] == "Unschedulable"
        };
        let is_refused = conditions(object).any(is_refusal);
        let is_ready = conditions(object)
            .any(|condition| condition["type"] == "Ready" && condition["status"] == "True");
        Self { uid: uid(object), grace, is_refused, is_ready }
    }
}

/// Names of the conditions that are True.
pub(super) fn true_conditions(object: &DynamicObject) -> Box<[Box<str>]> {
    let is_true = |condition: &&Value| condition["status"] == "True";
    let names = conditions(object).filter(is_true);
    names.filter_map(|condition| Some(condition["type"].as_str()?.into())).collect()
}

pub(super) fn conditions(object: &DynamicObject) -> impl Iterator<Item = &Value> {
    let conditions = object.data.pointer("/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten()
}

/// The object with its kind, which a list leaves out.
pub(super) fn text(watched: Watched, object: &DynamicObject) -> Result<String, String> {
    let mut value = serde_json::to_value(object).map_err(|error| error.to_string())?;
    let resource = watched.resource();
    value["apiVersion"] = resource.api_version.into();
    value["kind"] = resource.kind.into();
    if let Some(metadata) = value.get_mut("metadata").and_then(|metadata| metadata.as_object_mut())
    {
        metadata.remove("managedFields");
    }
    Ok(value.to_string())
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

pub(super) fn uid(object: &DynamicObject) -> Box<str> {
    object.uid().unwrap_or_default().into()
}

pub(super) fn identity(object: &DynamicObject) -> NodeIdentity {
    let text = |pointer: &str| {
        object.data.pointer(pointer).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
    };
    let addresses = object.data.pointer("/status/addresses").and_then(|list| list.as_array());
    let addresses = addresses.into_iter().flatten();
    NodeIdentity {
        name: object.name_any(),
        provider_id: text("/spec/providerID"),
        labels: object.labels().clone(),
        annotations: object.annotations().clone(),
        addresses: addresses
            .filter_map(|address| Some(address.get("address")?.as_str()?.to_owned()))
            .collect(),
    }
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
