//! A Node that cannot be read, as far as it can.

use jiff::Timestamp;
use plimsoll_model::{
    Conditions, Effect, Labels, Node, Quantity, Resources, Symbol, Taint, scheduler_units,
};
use serde_json::Value;

use super::facts::conditions;

/// The effects of taints that are known.
const EFFECTS: [Effect; 3] = [Effect::NoSchedule, Effect::PreferNoSchedule, Effect::NoExecute];

/// Stands in for a Node that cannot be read: each field by itself, as far as it can be read.
///
/// It keeps its machine, because it says that it is not to be removed. It takes no pods, because it is cordoned and has nothing to
/// give. It counts as what it was last known to have, `before`, else as much as can be read, so that limits on what there may be in
/// all still hold.
pub(super) fn stand_in(object: &Value, before: Option<&Node>, now: Timestamp) -> Node {
    let labels = object.pointer("/metadata/labels").and_then(Value::as_object);
    let labels = labels.into_iter().flatten();
    let labels = labels.filter_map(|(key, value)| Some((Symbol::new(key), value.as_str()?)));
    let provider_id = object.pointer("/spec/providerID").and_then(Value::as_str);
    let created = object.pointer("/metadata/creationTimestamp").and_then(Value::as_str);
    let created = created.and_then(|created| created.parse().ok());
    let deletion = object.pointer("/metadata/deletionTimestamp");
    let capacity = before.map(|node| node.capacity.clone());
    Node {
        name: Symbol::new(name(object)),
        labels: Labels::from_pairs(labels),
        taints: list(object, "/spec/taints").filter_map(taint).collect(),
        unschedulable: true,
        allocatable: Resources::default(),
        capacity: capacity.unwrap_or_else(|| amounts(object.pointer("/status/capacity"))),
        provider_id: provider_id.unwrap_or_default().into(),
        created: created.unwrap_or_else(|| before.map_or(now, |node| node.created)),
        conditions: standing(object),
        keep: true,
        deleting: deletion.is_some_and(|deletion| !deletion.is_null()),
    }
}

/// What is wrong with a Node that says neither that it is Ready nor that it is not. Taken for unready, it would be removed for that
/// one day.
pub(super) fn unknown_readiness(object: &Value) -> Option<String> {
    let ready = conditions(object).find(|one| one["type"] == "Ready")?;
    let status = &ready["status"];
    let is_known = ["True", "False", "Unknown"].iter().any(|known| status == known);
    let name = name(object);
    (!is_known).then(|| format!("Node {name}: status.conditions: Ready is {status}"))
}

fn name(object: &Value) -> &str {
    object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
}

fn list<'o>(object: &'o Value, pointer: &str) -> impl Iterator<Item = &'o Value> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// A taint of which everything is known. Our own marks are among these.
fn taint(taint: &Value) -> Option<Taint> {
    let effect = taint["effect"].as_str()?;
    Some(Taint {
        key: Symbol::new(taint["key"].as_str()?),
        value: Symbol::new(taint["value"].as_str().unwrap_or_default()),
        effect: EFFECTS.into_iter().find(|known| known.as_str() == effect)?,
    })
}

/// Amounts that can be counted.
fn amounts(amounts: Option<&Value>) -> Resources {
    let mut sum = Resources::default();
    for (name, amount) in amounts.and_then(Value::as_object).into_iter().flatten() {
        let amount = Quantity::parse_json(&amount.to_string());
        let amount = amount.ok().filter(|amount| !amount.is_negative());
        let counted = amount.map(|amount| scheduler_units(&[(Symbol::new(name), amount)]));
        if let Some(Ok(counted)) = counted {
            sum.add_all(&counted);
        }
    }
    sum
}

/// The conditions, with the meaning that they have for a Node that can be read.
fn standing(object: &Value) -> Conditions {
    let has = |name: &str, status: &str| {
        conditions(object).any(|one| one["type"] == name && one["status"] == status)
    };
    if conditions(object).next().is_none() {
        return Conditions::default();
    }
    let ready = conditions(object).find(|one| one["type"] == "Ready");
    let since = ready.and_then(|one| one["lastTransitionTime"].as_str()?.parse().ok());
    Conditions {
        ready: has("Ready", "True"),
        ready_since: since,
        network_unavailable: has("NetworkUnavailable", "True"),
        suspended: has("Suspended", "True"),
    }
}
