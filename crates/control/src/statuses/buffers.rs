//! What users are told on their CapacityBuffers.

use plimsoll_cluster::{source::Watched, statuses::Object};
use plimsoll_model::Condition;
use plimsoll_plan::{Plan, Told};
use serde_json::{Value, json};

/// What is to be said to each.
pub(super) fn wanted(plan: &Plan) -> impl Iterator<Item = (Object, Value)> + '_ {
    plan.buffers.iter().filter_map(|report| {
        let status = match &report.told {
            Told::Nothing => return None,
            Told::Conditions(status) => json!({ "conditions": conditions(&status.conditions) }),
            Told::Everything(status) => json!({
                "podTemplateRef": status.template.as_ref().map(|name| json!({ "name": name })),
                "podTemplateGeneration": status.template_generation,
                "replicas": status.replicas,
                "provisioningStrategy": status.strategy,
                "conditions": conditions(&status.conditions),
            }),
        };
        let object = Object {
            kind: Watched::CapacityBuffers,
            namespace: report.namespace.as_str().into(),
            name: report.name.clone(),
        };
        Some((object, status))
    })
}

/// A list cannot be written in part, so those of others stand there as well.
fn conditions(conditions: &[Condition]) -> Vec<Value> {
    let one = |condition: &Condition| {
        let mut entry = json!({
            "type": condition.kind,
            "status": condition.status,
            "reason": condition.reason,
            "message": condition.message,
            "lastTransitionTime": condition.since.map(|since| since.to_string()),
        });
        if let Some(generation) = condition.generation {
            entry["observedGeneration"] = generation.into();
        }
        entry
    };
    conditions.iter().map(one).collect()
}
