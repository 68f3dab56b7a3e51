//! What the server says about an object that it takes, in the `Warning` header.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    at::{At, same},
    pod::resources,
};
use crate::Kind;

/// Labels of nodes that have newer names, and since when.
const OLD_LABELS: [(&str, &str, &str); 5] = [
    ("beta.kubernetes.io/arch", "v1.14", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "v1.14", "kubernetes.io/os"),
    ("failure-domain.beta.kubernetes.io/region", "v1.17", "topology.kubernetes.io/region"),
    ("failure-domain.beta.kubernetes.io/zone", "v1.17", "topology.kubernetes.io/zone"),
    ("beta.kubernetes.io/instance-type", "v1.17", "node.kubernetes.io/instance-type"),
];

/// Annotations that do nothing any more: the whole key, or what it begins with, and what to do instead.
const OLD_ANNOTATIONS: [(&str, &str); 2] = [
    (
        "seccomp.security.alpha.kubernetes.io/pod",
        "non-functional in v1.27+; use the \"seccompProfile\" field instead",
    ),
    (
        "container.seccomp.security.alpha.kubernetes.io",
        "non-functional in v1.27+; use the \"seccompProfile\" field instead",
    ),
];

/// What to warn about when an object is made, or changed from `old`. Changes of pods and changes that leave the wish as it was are
/// taken without a word.
pub fn warnings(kind: &Kind, object: &Value, old: Option<&Value>) -> Vec<String> {
    let root = At::root(object);
    let changed = |old: &Value| !same(root.field("spec").value, At::root(old).field("spec").value);
    match (&*kind.group, &*kind.kind, old) {
        ("", "Pod", None) => pod(&root),
        ("apps", "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet", _)
        | ("batch", "Job", _)
            if old.is_none_or(changed) =>
        {
            pod(&root.at(&["spec", "template"]))
        }
        _ => Vec::new(),
    }
}

/// Of a pod, or of the template of one.
fn pod(pod: &At<'_>) -> Vec<String> {
    let spec = pod.field("spec");
    let mut found = Vec::new();
    let selector = spec.field("nodeSelector");
    for (key, _) in selector.entries() {
        found.extend(old_label(key).map(|words| format!("{}: {words}", selector.key(key).path)));
    }
    for constraint in spec.field("topologySpreadConstraints").items() {
        let key = constraint.field("topologyKey");
        found.extend(
            old_label(key.text()).map(|words| format!("{}: {} is {words}", key.path, key.text())),
        );
        let selector = constraint.field("labelSelector");
        if !selector.is_set() {
            let path = &selector.path;
            found.push(format!("{path}: a null labelSelector results in matching no pod"));
        }
    }
    let annotations = pod.at(&["metadata", "annotations"]);
    for (old, words) in OLD_ANNOTATIONS {
        let used = annotations.entries().find(|(key, _)| key.starts_with(old));
        found.extend(used.map(|(key, _)| format!("{}: {words}", annotations.key(key).path)));
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

fn old_label(key: &str) -> Option<String> {
    let (_, since, new) = OLD_LABELS.iter().find(|(old, _, _)| *old == key)?;
    Some(format!("deprecated since {since}; use \"{new}\" instead"))
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
