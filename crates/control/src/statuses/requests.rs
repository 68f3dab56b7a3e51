//! What is said on requests for room.

use plimsoll_cluster::{source::Watched, statuses::Object};
use plimsoll_plan::{Plan, RequestReport, RequestState};
use serde_json::{Value, json};

use super::conditions;

/// Requests to which something is to be said, with all that is to be said then.
pub(super) fn wanted(plan: &Plan) -> impl Iterator<Item = (Object, Value)> + '_ {
    let news = plan.requests.iter().filter(|report| report.is_news);
    news.map(|report| (object(report), json!({ "conditions": conditions(&report.conditions) })))
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
