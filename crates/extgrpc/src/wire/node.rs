//! Nodes: what a new one of a group would look like.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plimsoll_model::{
    Conditions, Effect, Labels, Node, Quantity, Requests, Resources, Symbol, Taint, label,
    resource, scheduler_units,
};

use crate::{
    proto::{core, meta, resource as message},
    wire::time::{moment, old_moment},
};

/// What amounts are on the wire.
pub(crate) type Amounts = BTreeMap<String, message::Quantity>;

const READY: &str = "Ready";
const KEEP: &str = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/// The node that stands for new ones of `group`.
///
/// Who asks for its price later shows its provider id, labels and annotations, so it names its group there.
pub(crate) fn write(node: &Node, group: &str, provider: &str) -> core::Node {
    let provider_id = match &*node.provider_id {
        "" => template_id(provider, group),
        own => own.to_owned(),
    };
    let taint = |taint: &Taint| core::Taint {
        key: taint.key.to_string(),
        value: taint.value.to_string(),
        effect: taint.effect.as_str().to_owned(),
    };
    let created = old_moment(node.created);
    let ready = core::NodeCondition {
        r#type: READY.to_owned(),
        status: if node.conditions.ready { "True" } else { "False" }.to_owned(),
        last_heartbeat_time: Some(created),
        last_transition_time: Some(node.conditions.ready_since.map_or(created, old_moment)),
    };
    core::Node {
        metadata: Some(meta::ObjectMeta {
            name: node.name.to_string(),
            creation_timestamp: Some(created),
            labels: node.labels.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
            annotations: BTreeMap::from([(label::GROUP.to_owned(), group.to_owned())]),
            ..meta::ObjectMeta::default()
        }),
        spec: Some(core::NodeSpec {
            provider_id,
            unschedulable: node.unschedulable,
            taints: node.taints.iter().map(taint).collect(),
        }),
        status: Some(core::NodeStatus {
            capacity: write_amounts(&node.capacity),
            allocatable: write_amounts(&node.allocatable),
            conditions: vec![ready],
        }),
    }
}

/// The provider id of a group's template that has none of its own.
pub(crate) fn template_id(provider: &str, group: &str) -> String {
    format!("{provider}://template/{group}")
}

/// The node that was sent; an error that names the field when it cannot be one.
pub(crate) fn read(sent: &core::Node) -> Result<Node, String> {
    let metadata = sent.metadata.clone().unwrap_or_default();
    let spec = sent.spec.clone().unwrap_or_default();
    let status = sent.status.clone().unwrap_or_default();
    let capacity = resources(&status.capacity, "status.capacity")?;
    // As a kubelet does that keeps nothing for itself.
    let allocatable = match resources(&status.allocatable, "status.allocatable")? {
        nothing if nothing.is_empty() => capacity.clone(),
        allocatable => allocatable,
    };
    let taints: Result<Box<[Taint]>, String> = spec.taints.iter().map(read_taint).collect();
    let ready = status.conditions.iter().find(|condition| condition.r#type == READY);
    let created = moment(None, metadata.creation_timestamp.as_ref());
    Ok(Node {
        name: Symbol::new(&metadata.name),
        labels: metadata
            .labels
            .iter()
            .map(|(key, value)| (Symbol::new(key), Symbol::new(value)))
            .collect::<Labels>(),
        taints: taints?,
        unschedulable: spec.unschedulable,
        allocatable,
        capacity,
        provider_id: spec.provider_id.into(),
        created: created.unwrap_or(Timestamp::UNIX_EPOCH),
        conditions: Conditions {
            ready: ready.is_none_or(|condition| condition.status == "True"),
            ready_since: ready.and_then(|ready| moment(None, ready.last_transition_time.as_ref())),
            ..Conditions::default()
        },
        keep: metadata.annotations.get(KEEP).is_some_and(|value| value == "true"),
        deleting: false,
    })
}

/// Amounts as they are sent: cpu in cores, bytes with binary suffixes.
pub(crate) fn write_amounts(resources: &Resources) -> Amounts {
    let quantity = |name: Symbol, amount: i64| match name.as_str() {
        resource::CPU => Quantity::from_milli(amount),
        resource::MEMORY | resource::EPHEMERAL_STORAGE => Quantity::bytes(amount),
        huge if huge.starts_with("hugepages-") => Quantity::bytes(amount),
        _ => Quantity::from_units(amount),
    };
    let write = |(name, amount)| {
        let string = quantity(name, amount).to_string();
        (name.to_string(), message::Quantity { string })
    };
    resources.iter().map(write).collect()
}

/// The amounts that were sent, as they were written.
pub(crate) fn read_amounts(sent: &Amounts, place: &str) -> Result<Requests, String> {
    let read = |(name, quantity): (&String, &message::Quantity)| {
        let amount = Quantity::parse(&quantity.string)
            .map_err(|error| format!("{place}[{name}]: {error}"))?;
        if amount.is_negative() {
            return Err(format!("{place}[{name}]: {amount} is below zero"));
        }
        Ok((Symbol::new(name), amount))
    };
    sent.iter().map(read).collect()
}

fn resources(sent: &Amounts, place: &str) -> Result<Resources, String> {
    scheduler_units(&read_amounts(sent, place)?)
        .map_err(|(name, error)| format!("{place}[{name}]: {error}"))
}

fn read_taint(sent: &core::Taint) -> Result<Taint, String> {
    let effect = [Effect::NoSchedule, Effect::PreferNoSchedule, Effect::NoExecute]
        .into_iter()
        .find(|effect| effect.as_str() == sent.effect)
        .ok_or_else(|| {
            format!("spec.taints[{}]: no effect is called {:?}", sent.key, sent.effect)
        })?;
    Ok(Taint { key: Symbol::new(&sent.key), value: Symbol::new(&sent.value), effect })
}
