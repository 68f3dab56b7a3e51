//! What users are told on their CapacityBuffers.

use plimsoll_cluster::{source::Watched, statuses::Object};
use plimsoll_plan::{Plan, Told};
use serde_json::{Value, json};

use super::conditions;

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
