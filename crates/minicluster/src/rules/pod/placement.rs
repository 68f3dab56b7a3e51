//! What is wrong with what a pod says about where it may run.

use crate::{
    FieldError,
    rules::{
        at::At,
        names,
        selector::{self, label_name},
    },
};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const UNSATISFIABLE: [&str; 2] = ["DoNotSchedule", "ScheduleAnyway"];

/// Tolerations.
pub(crate) fn tolerations(tolerations: &At<'_>, errors: &mut Vec<FieldError>) {
    for toleration in tolerations.items() {
        let [key, operator, value, effect] =
            ["key", "operator", "value", "effect"].map(|name| toleration.field(name));
        if !key.is_empty() {
            errors.extend(label_name(&key));
        } else if operator.text() != "Exists" {
            errors.push(operator.invalid_text(
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
            ));
        }
        if toleration.field("tolerationSeconds").is_set() && effect.text() != "NoExecute" {
            errors.push(
                effect.invalid_text("effect must be 'NoExecute' when `tolerationSeconds` is set"),
            );
        }
        match operator.text() {
            "Equal" | "" => {
                let wrong = names::label_value(value.text());
                if !wrong.is_empty() {
                    let detail = wrong.join(";");
                    errors.push(FieldError::invalid(operator.path, value.text(), detail));
                }
            }
            "Exists" => {
                if !value.is_empty() {
                    let detail = "value must be empty when `operator` is 'Exists'";
                    errors.push(FieldError::invalid(operator.path, value.text(), detail));
                }
            }
            "Lt" | "Gt" => errors.push(operator.not_supported(&["Equal", "Exists", "Lt", "Gt"])),
            _ => errors.push(operator.not_supported(&["Equal", "Exists"])),
        }
        errors.extend(effect.one_of(&EFFECTS));
    }
}

/// The effect of a taint, which must be said.
pub(crate) fn taint_effect(effect: &At<'_>) -> Option<FieldError> {
    if effect.is_empty() { Some(effect.required("")) } else { effect.one_of(&EFFECTS) }
}

/// Affinity to nodes and pods.
pub(super) fn affinity(affinity: &At<'_>, errors: &mut Vec<FieldError>) {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
    let nodes = affinity.field("nodeAffinity");
    let required = nodes.field(REQUIRED);
    if required.is_set() {
        let terms = required.field("nodeSelectorTerms");
        if terms.is_empty() {
            errors.push(terms.required("must have at least one node selector term"));
        }
        for term in terms.items() {
            node_term(&term, Values::Labels, errors);
        }
    }
    for preferred in nodes.field(PREFERRED).items() {
        weight(&preferred.field("weight"), errors);
        node_term(&preferred.field("preference"), Values::Anything, errors);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        let pods = affinity.field(kind);
        for term in pods.field(REQUIRED).items() {
            pod_term(&term, errors);
        }
        for preferred in pods.field(PREFERRED).items() {
            weight(&preferred.field("weight"), errors);
            pod_term(&preferred.field("podAffinityTerm"), errors);
        }
    }
}

/// Spreading over the domains of a topology.
pub(super) fn spread(constraints: &At<'_>, errors: &mut Vec<FieldError>) {
    let mut seen = Vec::new();
    for constraint in constraints.items() {
        positive(&constraint.field("maxSkew"), errors);
        let (key, action) =
            (constraint.field("topologyKey"), constraint.field("whenUnsatisfiable"));
        if key.is_empty() {
            errors.push(key.required("can not be empty"));
        }
        if !UNSATISFIABLE.contains(&action.text()) {
            errors.push(action.not_supported(&UNSATISFIABLE));
        }
        let pair = (key.text(), action.text());
        if seen.contains(&pair) {
            let path = format!("{}.{{topologyKey, whenUnsatisfiable}}", constraint.path);
            errors.push(FieldError::duplicate(path, format!("{{{}, {}}}", pair.0, pair.1)));
        }
        seen.push(pair);
        let domains = constraint.field("minDomains");
        if domains.is_set() {
            positive(&domains, errors);
            if action.text() != "DoNotSchedule" {
                let detail = format!(
                    "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}",
                    action.text()
                );
                errors.push(domains.invalid(detail));
            }
        }
        for name in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            errors.extend(constraint.field(name).one_of(&["Honor", "Ignore"]));
        }
        label_keys(&constraint, "matchLabelKeys", errors);
        selector::check(&constraint.field("labelSelector"), errors);
    }
}

/// What the values of a requirement may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    /// They must be good values of labels.
    Labels,
    /// They are not looked at.
    Anything,
}

fn node_term(term: &At<'_>, values: Values, errors: &mut Vec<FieldError>) {
    for requirement in term.field("matchExpressions").items() {
        node_requirement(&requirement, values, errors);
    }
    for requirement in term.field("matchFields").items() {
        node_field(&requirement, errors);
    }
}

fn node_requirement(requirement: &At<'_>, check: Values, errors: &mut Vec<FieldError>) {
    let (operator, values) = (requirement.field("operator"), requirement.field("values"));
    match operator.text() {
        "Gt" | "Lt" if values.len() != 1 => errors.push(
            values.required("must be specified single value when `operator` is 'Lt' or 'Gt'"),
        ),
        "Gt" | "Lt" => {}
        _ => selector::operator_and_values(&operator, &values, errors),
    }
    errors.extend(label_name(&requirement.field("key")));
    if check == Values::Labels {
        for value in values.items() {
            errors.extend(value.objections(names::label_value(value.text())));
        }
    }
}

fn node_field(requirement: &At<'_>, errors: &mut Vec<FieldError>) {
    let (operator, values) = (requirement.field("operator"), requirement.field("values"));
    match operator.text() {
        "In" | "NotIn" if values.len() == 1 => {}
        "In" | "NotIn" => errors.push(values.required(
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        )),
        _ => errors.push(operator.invalid_text("not a valid selector operator")),
    }
    let key = requirement.field("key");
    if key.text() != "metadata.name" {
        errors.push(key.invalid_text("not a valid field selector key"));
        return;
    }
    for value in values.items() {
        errors.extend(value.objections(names::subdomain(value.text())));
    }
}

fn pod_term(term: &At<'_>, errors: &mut Vec<FieldError>) {
    selector::check(&term.field("labelSelector"), errors);
    selector::check(&term.field("namespaceSelector"), errors);
    for name in term.field("namespaces").items() {
        for message in names::label(name.text()) {
            let path = format!("{}.namespace", term.path);
            errors.push(FieldError::invalid(path, name.text(), message));
        }
    }
    label_keys(term, "matchLabelKeys", errors);
    label_keys(term, "mismatchLabelKeys", errors);
    let key = term.field("topologyKey");
    if key.is_empty() {
        errors.push(key.required("can not be empty"));
    }
    errors.extend(label_name(&key));
}

fn label_keys(owner: &At<'_>, name: &str, errors: &mut Vec<FieldError>) {
    let keys = owner.field(name);
    if !keys.is_empty() && !owner.field("labelSelector").is_set() {
        errors.push(keys.forbidden("must not be specified when labelSelector is not set"));
        return;
    }
    for key in keys.items() {
        errors.extend(label_name(&key));
    }
}

fn weight(weight: &At<'_>, errors: &mut Vec<FieldError>) {
    let number = weight.number().unwrap_or_default();
    if !(1..=100).contains(&number) {
        let path = weight.path.as_str();
        errors.push(FieldError::invalid(path, number, "must be in the range 1-100"));
    }
}

fn positive(number: &At<'_>, errors: &mut Vec<FieldError>) {
    let value = number.number().unwrap_or_default();
    if value <= 0 {
        let path = number.path.as_str();
        errors.push(FieldError::invalid(path, value, "must be greater than zero"));
    }
}
