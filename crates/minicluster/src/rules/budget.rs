//! `PodDisruptionBudgets`.

use serde_json::Value;

use super::{
    PLAIN,
    at::At,
    drop_status, keep_spec, keep_status, selector,
    share::{at_most_all, count_or_share},
};
use crate::{FieldError, kind::Rules};

/// What is done with `PodDisruptionBudgets`.
pub(crate) const RULES: Rules = Rules {
    prepare_create: drop_status,
    prepare_update: keep_status,
    prepare_status: keep_spec,
    validate,
    validate_status,
    unconditional_update: false,
    generation: true,
    ..PLAIN
};

fn validate(budget: &Value) -> Vec<FieldError> {
    let spec = At::root(budget).field("spec");
    let mut errors = Vec::new();
    let (least, most) = (spec.field("minAvailable"), spec.field("maxUnavailable"));
    if least.is_set() && most.is_set() {
        let error = spec.invalid("minAvailable and maxUnavailable cannot be both set");
        errors.push(error.showing(format!(
            r#"{{"MinAvailable":{},"Selector":{},"MaxUnavailable":{},"UnhealthyPodEvictionPolicy":{}}}"#,
            least.value,
            spec.field("selector").value,
            most.value,
            spec.field("unhealthyPodEvictionPolicy").value,
        )));
    }
    for bound in [least, most] {
        count_or_share(&bound, &mut errors);
        errors.extend(at_most_all(&bound));
    }
    selector::check(&spec.field("selector"), &mut errors);
    errors.extend(
        spec.field("unhealthyPodEvictionPolicy").one_of(&["AlwaysAllow", "IfHealthyBudget"]),
    );
    errors
}

fn validate_status(new: &Value, _: &Value) -> Vec<FieldError> {
    let status = At::root(new).field("status");
    ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]
        .iter()
        .filter_map(|name| status.field(name).not_negative())
        .collect()
}
