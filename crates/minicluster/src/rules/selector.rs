//! Label selectors: what is wrong with one, and whether one matches.

use serde_json::Value;

use super::{at::At, metadata, names};
use crate::FieldError;

/// Everything that is wrong with a label selector; nothing is wrong with none.
pub(crate) fn check(selector: &At<'_>, errors: &mut Vec<FieldError>) {
    errors.extend(metadata::labels(&selector.field("matchLabels")));
    for requirement in selector.field("matchExpressions").items() {
        let (operator, values) = (requirement.field("operator"), requirement.field("values"));
        operator_and_values(&operator, &values, errors);
        errors.extend(label_name(&requirement.field("key")));
        for value in values.items() {
            errors.extend(value.objections(names::label_value(value.text())));
        }
    }
}

/// Whether a requirement has values if and only if its operator compares with any.
pub(crate) fn operator_and_values(
    operator: &At<'_>,
    values: &At<'_>,
    errors: &mut Vec<FieldError>,
) {
    match operator.text() {
        "In" | "NotIn" => {
            if values.is_empty() {
                errors
                    .push(values.required("must be specified when `operator` is 'In' or 'NotIn'"));
            }
        }
        "Exists" | "DoesNotExist" => {
            if !values.is_empty() {
                errors.push(values.forbidden(
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                ));
            }
        }
        _ => errors.push(operator.invalid_text("not a valid selector operator")),
    }
}

/// What is wrong with a label's key.
pub(crate) fn label_name(key: &At<'_>) -> impl Iterator<Item = FieldError> {
    key.objections(names::qualified(key.text()))
}

/// Whether a selector matches these labels. An empty one matches everything.
pub(crate) fn matches(selector: &Value, labels: &Value) -> bool {
    let selector = At::root(selector);
    let label = |key: &str| labels.get(key).and_then(Value::as_str);
    let pairs = selector.field("matchLabels");
    let equal = pairs.entries().all(|(key, value)| label(key) == value.as_str());
    let expressions = selector.field("matchExpressions");
    equal
        && expressions.items().all(|requirement| {
            let found = label(requirement.field("key").text());
            let values = requirement.field("values");
            let named =
                || found.is_some_and(|label| values.items().any(|value| value.text() == label));
            match requirement.field("operator").text() {
                "In" => named(),
                "NotIn" => !named(),
                "Exists" => found.is_some(),
                "DoesNotExist" => found.is_none(),
                _ => false,
            }
        })
}
