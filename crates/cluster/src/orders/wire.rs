//! Orders as the API server keeps them: objects of the kind `NodeOrder`.

use jiff::Timestamp;
use kube::{ResourceExt as _, api::DynamicObject};
use plimsoll_model::Symbol;
use plimsoll_provider::OrderId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Intent, Phase, StoredOrder, Unreadable};
use crate::lease::Term;

/// How many pods an order names at most. More say nothing more, and an object has a limit of size.
const MOST_PODS: usize = 1000;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    action: Action,
    group: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provider: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pods: Vec<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    node_uid: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instance: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    was_closed: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    drains: Option<bool>,
    #[serde(default)]
    why: String,
}

#[derive(Debug, Serialize, Deserialize)]
enum Action {
    Increase,
    Retire,
    Delete,
}

/// The status that says how far an order has come, and who says so.
pub(super) fn status(phase: Phase, message: &str, term: &Term, now: Timestamp) -> Value {
    let since = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    json!({ "phase": phase, "since": since, "message": message, "leader": leader(term) })
}

/// Who leads, as a status carries it.
pub(super) fn leader(term: &Term) -> Value {
    json!({ "holder": term.holder, "term": term.number })
}

/// Whose term an order carries; `None` for one of an earlier version.
pub(super) fn term_of(object: &DynamicObject) -> Option<Term> {
    let leader = object.data.get("status")?.get("leader")?;
    Some(Term {
        holder: leader.get("holder")?.as_str()?.to_owned(),
        number: i32::try_from(leader.get("term")?.as_i64()?).ok()?,
    })
}

/// The spec of an order, which never changes.
pub(super) fn spec(intent: &Intent, provider: Option<&str>) -> Value {
    let empty = |action, group: Symbol, why: &str| Spec {
        action,
        group: group.to_string(),
        provider: provider.map(Into::into),
        count: None,
        from: None,
        pods: Vec::new(),
        node: None,
        node_uid: None,
        instance: None,
        was_closed: None,
        replaced: None,
        reason: None,
        drains: None,
        why: why.to_owned(),
    };
    let spec = match intent {
        Intent::Increase { group, count, from, pods, why } => Spec {
            count: Some(*count),
            from: Some(*from),
            pods: pods.iter().take(MOST_PODS).cloned().collect(),
            ..empty(Action::Increase, *group, why)
        },
        Intent::Retire {
            group,
            node,
            node_uid,
            instance,
            was_closed,
            replaced,
            why,
            reason,
            drains,
        } => Spec {
            node: Some(node.to_string()),
            node_uid: node_uid.clone(),
            instance: Some(instance.clone()),
            was_closed: was_closed.then_some(true),
            replaced: replaced.then_some(true),
            reason: reason.clone(),
            drains: Some(*drains),
            ..empty(Action::Retire, *group, why)
        },
        Intent::Delete { group, instance, why } => {
            Spec { instance: Some(instance.clone()), ..empty(Action::Delete, *group, why) }
        }
    };
    json!(spec)
}

/// Reads an order. One that a newer version or a person wrote may make no sense to us.
pub(super) fn read(object: &DynamicObject) -> Result<StoredOrder, Unreadable> {
    let name = object.name_any();
    let spec = object.data.get("spec").cloned().unwrap_or_default();
    let group = spec.get("group").and_then(Value::as_str).map(Symbol::new);
    let unreadable = |problem: String| Unreadable { name: name.clone(), group, problem };
    let id = OrderId::new(&name).ok_or_else(|| unreadable("its name is none of ours".into()))?;
    let spec: Spec = serde_json::from_value(spec).map_err(|error| unreadable(error.to_string()))?;
    let provider = spec.provider.clone();
    let intent = spec.intent().map_err(|field| unreadable(format!("spec.{field} is missing")))?;
    let status = object.data.get("status");
    let since = status.and_then(|status| status.get("since")?.as_str()?.parse().ok());
    let phase = match status.and_then(|status| status.get("phase")) {
        // Written down and nothing more.
        None | Some(Value::Null) => intent.beginning(),
        Some(phase) => serde_json::from_value(phase.clone())
            .map_err(|_| unreadable(format!("the phase {phase} is not known")))?,
    };
    let created = object.creation_timestamp().map(|time| time.0);
    Ok(StoredOrder { id, provider, intent, phase, since, created })
}

// === impl Spec ===

impl Spec {
    /// What is to be done, or the field that is missing.
    fn intent(self) -> Result<Intent, &'static str> {
        let group = Symbol::new(&self.group);
        let why = self.why;
        Ok(match self.action {
            Action::Increase => Intent::Increase {
                group,
                count: self.count.ok_or("count")?,
                from: self.from.ok_or("from")?,
                pods: self.pods,
                why,
            },
            Action::Retire => Intent::Retire {
                group,
                node: Symbol::new(&self.node.ok_or("node")?),
                node_uid: self.node_uid,
                instance: self.instance.ok_or("instance")?,
                was_closed: self.was_closed.unwrap_or_default(),
                replaced: self.replaced.unwrap_or_default(),
                why,
                reason: self.reason,
                // An order that does not say so is of a version that did not write it down.
                drains: self.drains.unwrap_or(true),
            },
            Action::Delete => {
                Intent::Delete { group, instance: self.instance.ok_or("instance")?, why }
            }
        })
    }
}

#[cfg(test)]
mod tests;
