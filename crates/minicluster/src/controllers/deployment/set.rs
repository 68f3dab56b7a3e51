//! One of a deployment's replica sets.

use serde_json::{Value, json};

use super::{DESIRED, MOST, REVISION, REVISIONS_BEFORE, fences, set_ref};
use crate::{
    controllers::{
        action::{Action, Part},
        revision::hash,
        workload::{controller_reference, replicas_of},
    },
    read::{make, number, text},
};

/// The label that tells the pods of one template from those of another.
pub(super) const HASH_LABEL: &str = "pod-template-hash";
/// Annotations of a deployment that are not for its replica sets.
const NOT_COPIED: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    REVISIONS_BEFORE,
    DESIRED,
    MOST,
    "deprecated.deployment.rollback.to",
];
/// The longest list of former revisions, in bytes.
const LONGEST_HISTORY: usize = 2000;

/// A replica set of a deployment.
#[derive(Clone, Debug)]
pub(in crate::controllers) struct Set {
    pub(in crate::controllers) value: Value,
    pub(in crate::controllers) replicas: i64,
}

// === impl Set ===

impl Set {
    pub(super) fn new(value: Value) -> Self {
        Self { replicas: replicas_of(&value), value }
    }

    pub(super) fn name(&self) -> &str {
        text(&self.value, "/metadata/name")
    }

    pub(super) fn available(&self) -> i64 {
        number(&self.value, "/status/availableReplicas")
    }

    pub(super) fn annotation(&self, name: &str) -> Option<&str> {
        self.value.pointer("/metadata/annotations")?.get(name)?.as_str()
    }

    /// Its place in the history.
    pub(super) fn revision(&self) -> i64 {
        self.annotation(REVISION).and_then(|text| text.parse().ok()).unwrap_or_default()
    }
}

/// A replica set for the deployment's template.
pub(super) fn make_set(deployment: &Value, sets: &[Set], revision: i64) -> Set {
    let mut template = deployment["spec"]["template"].clone();
    let hash = hash(&template, number(deployment, "/status/collisionCount"));
    make(&mut template, &["metadata", "labels"]).insert(HASH_LABEL.to_owned(), json!(hash));
    let mut selector = deployment["spec"]["selector"].clone();
    make(&mut selector, &["matchLabels"]).insert(HASH_LABEL.to_owned(), json!(hash));
    let wanted = replicas_of(deployment);
    let (surge, _) = fences(deployment);
    let room = (wanted + surge - sets.iter().map(|set| set.replicas).sum::<i64>()).max(0);
    let recreate = text(deployment, "/spec/strategy/type") == "Recreate";
    let waits = recreate
        && sets.iter().any(|set| set.replicas > 0 || number(&set.value, "/status/replicas") > 0);
    let replicas = match (recreate, waits) {
        (true, true) => 0,
        (true, false) => wanted,
        (false, _) => room.min(wanted),
    };
    let mut annotations = json!({});
    copy_annotations(deployment, &mut annotations);
    annotations[REVISION] = json!(revision.to_string());
    annotations[DESIRED] = json!(wanted.to_string());
    annotations[MOST] = json!((wanted + surge).to_string());
    let mut spec = json!({ "replicas": replicas, "selector": selector, "template": template });
    if let Some(least) = deployment.pointer("/spec/minReadySeconds") {
        spec["minReadySeconds"] = least.clone();
    }
    let value = json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": format!("{}-{hash}", text(deployment, "/metadata/name")),
            "labels": template["metadata"]["labels"],
            "annotations": annotations,
            "ownerReferences": [controller_reference(deployment)],
        },
        "spec": spec,
    });
    Set { value, replicas }
}

fn copy_annotations(deployment: &Value, annotations: &mut Value) {
    let own = deployment.pointer("/metadata/annotations").and_then(Value::as_object);
    for (name, value) in own.into_iter().flatten() {
        if !NOT_COPIED.contains(&name.as_str()) {
            annotations[name] = value.clone();
        }
    }
}

/// Brings what the replica set of the template says about itself up to date. One that is returned to remembers when it was used
/// before.
pub(super) fn renew(deployment: &Value, set: &Set, revision: i64) -> Option<Action> {
    let before = set.value.pointer("/metadata/annotations").cloned().unwrap_or_else(|| json!({}));
    let mut after = before.clone();
    copy_annotations(deployment, &mut after);
    if set.revision() < revision {
        after[REVISION] = json!(revision.to_string());
        if let Some(was) = set.annotation(REVISION) {
            let history = set.annotation(REVISIONS_BEFORE).unwrap_or_default();
            let mut all: Vec<&str> = history.split(',').filter(|one| !one.is_empty()).collect();
            all.push(was);
            while all.join(",").len() > LONGEST_HISTORY {
                all.remove(0);
            }
            after[REVISIONS_BEFORE] = json!(all.join(","));
        }
    }
    let least = number(deployment, "/spec/minReadySeconds");
    let same_spec = number(&set.value, "/spec/minReadySeconds") == least;
    if after == before && same_spec {
        return None;
    }
    let mut patch = json!({ "metadata": { "annotations": after } });
    if !same_spec {
        patch["spec"] = json!({ "minReadySeconds": least });
    }
    let target = set_ref(deployment, set.name());
    Some(Action::Change { target, part: Part::Object, patch, note: None })
}
