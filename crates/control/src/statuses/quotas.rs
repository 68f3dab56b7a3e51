//! What users are told on their CapacityQuotas: what is used of them, as upstream tells it.

use plimsoll_cluster::{source::Watched, statuses::Object};
use plimsoll_model::{Condition, Quota, Truth};
use plimsoll_plan::{Plan, QuotaReport};
use serde_json::{Map, Value, json};

use super::conditions;

/// What is to be said to each.
pub(super) fn wanted(plan: &Plan) -> impl Iterator<Item = (Object, Value)> + '_ {
    plan.quotas.iter().map(|report| {
        let name = report.name.as_str().into();
        (Object { kind: Watched::CapacityQuotas, namespace: "".into(), name }, status(report))
    })
}

fn status(report: &QuotaReport) -> Value {
    let used = report.used.iter();
    let used: Map<String, Value> =
        used.map(|(name, amount)| (name.to_string(), Quota::show(*name, *amount).into())).collect();
    let reconciled = Condition {
        name: "Reconciled".into(),
        status: Truth::True,
        reason: "ReconciliationSucceeded".into(),
        message: "CapacityQuota successfully reconciled".into(),
        at: report.since,
        generation: Some(report.generation),
    };
    json!({
        "used": { "resources": used },
        "conditions": conditions(&[reconciled]),
        "observedGeneration": report.generation,
    })
}
