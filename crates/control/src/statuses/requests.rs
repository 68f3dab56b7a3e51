//! What is said on requests for room.

use plimsoll_cluster::{source::Watched, statuses::Object};
use plimsoll_model::Condition;
use plimsoll_plan::{Plan, RequestReport, RequestState};
use serde_json::{Value, json};

/// Requests to which something is to be said, with all that is to be said then.
pub(super) fn wanted(plan: &Plan) -> impl Iterator<Item = (Object, Value)> + '_ {
    let news = plan.requests.iter().filter(|report| report.is_news);
    news.map(|report| {
        let conditions: Value = report.conditions.iter().map(condition).collect();
        (object(report), json!({ "conditions": conditions }))
    })
}

/// Requests that have been over for so long that nobody asks after them, with their uids.
pub(super) fn outlived(plan: &Plan) -> impl Iterator<Item = (Object, Box<str>)> + '_ {
    let outlived = plan.requests.iter().filter(|report| report.state == RequestState::Outlived);
    outlived.map(|report| (object(report), report.uid.clone()))
}

fn object(report: &RequestReport) -> Object {
    let namespace = report.namespace.as_str().into();
    Object { kind: Watched::Requests, namespace, name: report.name.clone() }
}

fn condition(condition: &Condition) -> Value {
    json!({
        "type": condition.name,
        "status": condition.status.as_str(),
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": condition.at.to_string(),
        "observedGeneration": condition.generation,
    })
}
