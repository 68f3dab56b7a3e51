//! placeholder

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::read::{put_condition, time};

/// Says in the status of a budget whether it allows a disruption.
pub(crate) fn set_condition(status: &mut Map<String, Value>, now: Timestamp) {
    let number = |name: &str| status.get(name).and_then(Value::as_i64).unwrap_or_default();
    let (state, reason) = if number("disruptionsAllowed") > 0 {
        ("True", "SufficientPods")
    } else {
        ("False", "InsufficientPods")
    };
    let condition = json!({
        "type": "DisruptionAllowed",
        "status": state,
        "observedGeneration": number("observedGeneration"),
        "lastTransitionTime": time(now),
        "reason": reason,
        "message": "",
    });
    if let Value::Array(conditions) = status.entry("conditions").or_insert_with(|| json!([])) {
        put_condition(conditions, condition);
    }
}
