//! What the server says about an object that it takes, in the `Warning` header.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{at::At, pod::resources};
use crate::Kind;

/// Labels of nodes that have newer names, and since when.
const OLD_LABELS: [(&str, &str, &str); 5] = [
    ("beta.kubernetes.io/arch", "v1.14", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "v1.14", "kubernetes.io/os"),
    ("failure-domain.beta.kubernetes.io/region", "v1.17", "topology.kubernetes.io/region"),
    ("failure-domain.beta.kubernetes.io/zone", "v1.17", "topology.kubernetes.io/zone"),
    ("beta.kubernetes.io/instance-type", "v1.17", "node.kubernetes.io/instance-type"),
];

/// What to warn about when an object is made or changed.
pub fn warnings(kind: &Kind, object: &Value) -> Vec<String> {
    let root = At::root(object);
    match (&*kind.group, &*kind.kind) {
        ("", "Pod") => pod(&root.field("spec")),
        ("apps", "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet") | ("batch", "Job") => {
            pod(&root.at(&["spec", "template", "spec"]))
        }
        _ => Vec::new(),
    }
}

fn pod(spec: &At<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (key, _) in spec.field("nodeSelector").entries() {
        if let Some((_, since, new)) = OLD_LABELS.iter().find(|(old, _, _)| old == key) {
            let path = &spec.path;
            found.push(format!(
                "{path}.nodeSelector[{key}]: deprecated since {since}; use \"{new}\" instead"
            ));
        }
    }
    let grace = spec.field("terminationGracePeriodSeconds");
    if grace.number().is_some_and(|seconds| seconds < 0) {
        found.push(format!(
            "{}: must be >= 0; negative values are invalid and will be treated as 1",
            grace.path
        ));
    }
    for kind in ["initContainers", "containers"] {
        for container in spec.field(kind).items() {
            duplicate_variables(&container, &mut found);
            fractions_of_bytes(&container.field("resources"), &mut found);
        }
    }
    found
}

fn duplicate_variables(container: &At<'_>, found: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for variable in container.field("env").items() {
        let name = variable.field("name").text();
        if !seen.insert(name) {
            let path = &variable.path;
            found.push(format!("{path}: hides previous definition of \"{name}\", which may be dropped when using apply"));
        }
    }
}

fn fractions_of_bytes(resources: &At<'_>, found: &mut Vec<String>) {
    for side in ["limits", "requests"] {
        for name in ["memory", "ephemeral-storage"] {
            let at = resources.field(side).key(name);
            let Some(amount) = resources::parse(at.value) else { continue };
            if amount.milli().is_ok_and(|milli| milli % 1000 != 0) {
                found.push(format!(
                    "{}: fractional byte value \"{amount}\" is invalid, must be an integer",
                    at.path
                ));
            }
        }
    }
}
