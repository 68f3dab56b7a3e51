//! Orders as the API server keeps them: objects of the kind `NodeOrder`.

use jiff::Timestamp;
use kube::{ResourceExt as _, api::DynamicObject};
use plimsoll_model::{
    DeleteMachine, Intent, Order, OrderId, OrderPhase, RemoveNode, ScaleUp, Symbol,
};
use serde_json::{Value, json};

use super::{
    Progress, Unreadable,
    fields::{Action, Leader, MOST_PODS, Moment, Phase, Spec, Status},
};
use crate::lease::Term;

/// The status that says how far an order has come, and who says so.
pub(super) fn status(progress: &Progress<'_>, term: &Term, now: Timestamp) -> Value {
    let Progress { phase, message, made } = progress;
    json!(Status {
        phase: Some(Phase(*phase)),
        since: Some(Moment(now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())),
        message: Some((*message).to_owned()),
        made: *made,
        leader: Some(leader(term)),
    })
}

/// The status of an order that another leader takes over: only its term changes.
pub(super) fn taken_over(term: &Term) -> Value {
    let leader = Some(leader(term));
    json!(Status { phase: None, since: None, message: None, made: None, leader })
}

fn leader(term: &Term) -> Leader {
    Leader { holder: Some(term.holder.clone()), term: Some(term.number) }
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
        pods: None,
        node: None,
        node_uid: None,
        instance: None,
        was_closed: None,
        replaced: None,
        reason: None,
        drains: None,
        why: Some(why.to_owned()),
    };
    let spec = match intent {
        Intent::ScaleUp(ScaleUp { group, count, from, pods, why }) => Spec {
            count: Some(*count),
            from: Some(*from),
            pods: (!pods.is_empty()).then(|| pods.iter().take(MOST_PODS).cloned().collect()),
            ..empty(Action::Increase, *group, why)
        },
        Intent::RemoveNode(RemoveNode {
            group,
            node,
            node_uid,
            instance,
            was_closed,
            replaced,
            why,
            reason,
            drains,
        }) => Spec {
            node: Some(node.to_string()),
            node_uid: node_uid.clone(),
            instance: Some(instance.clone()),
            was_closed: was_closed.then_some(true),
            replaced: replaced.then_some(true),
            reason: reason.clone(),
            drains: Some(*drains),
            ..empty(Action::Retire, *group, why)
        },
        Intent::DeleteMachine(DeleteMachine { group, instance, why }) => {
            Spec { instance: Some(instance.clone()), ..empty(Action::Delete, *group, why) }
        }
    };
    json!(spec)
}

/// Reads an order. One that a newer version or a person wrote may make no sense to us. A moment that lies in the future by our own
/// clock, or is missing, counts as `now`.
pub(super) fn read(object: &DynamicObject, now: Timestamp) -> Result<Order, Unreadable> {
    let name = object.name_any();
    let spec = object.data.get("spec").cloned().unwrap_or_default();
    let group = spec.get("group").and_then(Value::as_str).map(Symbol::new);
    let unreadable = |problem: String| Unreadable { name: name.clone(), group, problem };
    let id = OrderId::new(&name).ok_or_else(|| unreadable("its name is none of ours".into()))?;
    let spec: Spec = serde_json::from_value(spec).map_err(|error| unreadable(error.to_string()))?;
    let provider = spec.provider.clone();
    let intent = spec.intent().map_err(|field| unreadable(format!("spec.{field} is missing")))?;
    let status = object.data.get("status");
    let created = object.creation_timestamp().map_or(now, |time| time.0.min(now));
    let since = status.and_then(|status| status.get("since")?.as_str()?.parse().ok());
    let since = since.map_or(now, |since: Timestamp| since.min(now));
    let message = status.and_then(|status| status.get("message")?.as_str()).unwrap_or_default();
    let phase = match status.and_then(|status| status.get("phase")) {
        // Written down and nothing more.
        None | Some(Value::Null) => intent.first_phase(),
        Some(phase) => phase
            .as_str()
            .and_then(OrderPhase::from_name)
            .ok_or_else(|| unreadable(format!("the phase {phase} is not known")))?,
    };
    let made = status.and_then(|status| status.get("made")?.as_u64()?.try_into().ok());
    let message = message.to_owned();
    Ok(Order { id, provider, intent, phase, created, since, message, made })
}

// === impl Spec ===

impl Spec {
    /// What is to be done, or the field that is missing.
    fn intent(self) -> Result<Intent, &'static str> {
        let group = Symbol::new(&self.group);
        let why = self.why.unwrap_or_default();
        Ok(match self.action {
            Action::Increase => Intent::ScaleUp(ScaleUp {
                group,
                count: self.count.ok_or("count")?,
                from: self.from.ok_or("from")?,
                pods: self.pods.unwrap_or_default(),
                why,
            }),
            Action::Retire => Intent::RemoveNode(RemoveNode {
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
            }),
            Action::Delete => Intent::DeleteMachine(DeleteMachine {
                group,
                instance: self.instance.ok_or("instance")?,
                why,
            }),
        })
    }
}

#[cfg(test)]
mod tests;
