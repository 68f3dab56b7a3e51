//! What is wrong with a pod's spec, in a Pod or in the template of a workload.

use super::{containers, placement, volumes, whole};
use crate::{
    FieldError,
    rules::{
        at::At,
        metadata,
        names::{self, NameForm, Part},
    },
};

/// The longest a pod may be given, in seconds.
const MOST_SECONDS: i64 = i32::MAX as i64;

/// Everything that is wrong with a pod's spec.
pub(crate) fn check(spec: &At<'_>, errors: &mut Vec<FieldError>) {
    let known = volumes::check(&spec.field("volumes"), errors);
    containers::check_all(spec, &known, errors);
    whole::check(spec, errors);
    host_network(spec, errors);
    policies(spec, errors);
    errors.extend(metadata::labels(&spec.field("nodeSelector")));
    placement::affinity(&spec.field("affinity"), errors);
    gates(spec, errors);
    placement::spread(&spec.field("topologySpreadConstraints"), errors);
    for name in ["serviceAccountName", "nodeName"] {
        let name = spec.field(name);
        if !name.is_empty() {
            errors.extend(name.objections(NameForm::Subdomain.check(name.text(), Part::Whole)));
        }
    }
    let deadline = spec.field("activeDeadlineSeconds");
    if deadline.number().is_some_and(|seconds| !(1..=MOST_SECONDS).contains(&seconds)) {
        errors.push(deadline.invalid(format!("must be between 1 and {MOST_SECONDS}, inclusive")));
    }
    for name in ["hostname", "subdomain"] {
        let name = spec.field(name);
        if !name.is_empty() {
            errors.extend(name.objections(names::label(name.text())));
        }
    }
    placement::tolerations(&spec.field("tolerations"), errors);
    for name in ["priorityClassName", "runtimeClassName"] {
        let name = spec.field(name);
        if !name.is_empty() {
            errors.extend(name.objections(names::subdomain(name.text())));
        }
    }
    errors.extend(spec.field("preemptionPolicy").one_of(&["PreemptLowerPriority", "Never"]));
}

/// A pod on the host's network has the host's ports.
fn host_network(spec: &At<'_>, errors: &mut Vec<FieldError>) {
    if !spec.field("hostNetwork").is_true() {
        return;
    }
    for container in spec.field("containers").items() {
        for port in container.field("ports").items() {
            let (host, inner) = (port.field("hostPort"), port.field("containerPort"));
            if host.number().is_some_and(|number| number != 0 && Some(number) != inner.number()) {
                errors.push(host.invalid("must match `containerPort` when `hostNetwork` is true"));
            }
        }
    }
}

fn policies(spec: &At<'_>, errors: &mut Vec<FieldError>) {
    errors.extend(spec.field("restartPolicy").one_of(&["Always", "OnFailure", "Never"]));
    errors.extend(spec.field("dnsPolicy").one_of(&[
        "ClusterFirstWithHostNet",
        "ClusterFirst",
        "Default",
        "None",
    ]));
}

/// Gates that hold back the scheduler: distinct, well named, and none on a pod that has a node already.
fn gates(spec: &At<'_>, errors: &mut Vec<FieldError>) {
    for gate in spec.field("readinessGates").items() {
        let condition = gate.field("conditionType");
        errors.extend(condition.objections(names::qualified(condition.text())));
    }
    let mut seen = Vec::new();
    for gate in spec.field("schedulingGates").items() {
        let name = gate.field("name").text();
        for message in names::qualified(name) {
            errors.push(FieldError::invalid(gate.path.as_str(), name, message));
        }
        if seen.contains(&name) {
            errors.push(FieldError::duplicate(gate.path.as_str(), name));
        }
        seen.push(name);
    }
    let node = spec.field("nodeName");
    if !seen.is_empty() && !node.is_empty() {
        errors.push(node.forbidden("cannot be set until all schedulingGates have been cleared"));
    }
}
