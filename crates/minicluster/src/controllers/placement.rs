//! Which nodes a pod could go to, as far as labels and taints say.

use serde_json::Value;

use super::facts::{Node, Taint};
use crate::{
    object::Labels,
    read::{items, text},
    store::LabelSelector,
};

/// Whether the node selector and the required node affinity of a pod let it onto a node.
pub(super) fn is_drawn_to(spec: &Value, node: &Node) -> bool {
    let wanted = spec.get("nodeSelector").cloned().unwrap_or_default();
    if !LabelSelector::from_labels(&wanted).matches(&node.object.labels) {
        return false;
    }
    let terms =
        "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
    if spec.pointer(terms).is_none() {
        return true;
    }
    items(spec, terms).any(|term| {
        let empty =
            items(term, "/matchExpressions").chain(items(term, "/matchFields")).next().is_none();
        let labels = |requirement| holds(requirement, label(&node.object.labels, requirement));
        let fields = |requirement| {
            let name = (text(requirement, "/key") == "metadata.name").then_some(&**node.name());
            holds(requirement, name)
        };
        !empty
            && items(term, "/matchExpressions").all(labels)
            && items(term, "/matchFields").all(fields)
    })
}

fn label<'l>(labels: &'l Labels, requirement: &Value) -> Option<&'l str> {
    labels.get(text(requirement, "/key"))
}

fn holds(requirement: &Value, found: Option<&str>) -> bool {
    let named = || {
        found.is_some_and(|found| {
            items(requirement, "/values").any(|value| value.as_str() == Some(found))
        })
    };
    let number = || found.and_then(|found| found.parse::<i64>().ok());
    let limit = || text(requirement, "/values/0").parse::<i64>().ok();
    match text(requirement, "/operator") {
        "In" => named(),
        "NotIn" => !named(),
        "Exists" => found.is_some(),
        "DoesNotExist" => found.is_none(),
        "Gt" => number().zip(limit()).is_some_and(|(number, limit)| number > limit),
        "Lt" => number().zip(limit()).is_some_and(|(number, limit)| number < limit),
        _ => false,
    }
}

/// Whether a toleration makes up for a taint.
pub(super) fn tolerates(toleration: &Value, taint: &Taint) -> bool {
    let effect = text(toleration, "/effect");
    let key = text(toleration, "/key");
    if !effect.is_empty() && *effect != *taint.effect {
        return false;
    }
    if !key.is_empty() && *key != *taint.key {
        return false;
    }
    match text(toleration, "/operator") {
        "Exists" => true,
        "" | "Equal" => !key.is_empty() && *text(toleration, "/value") == *taint.value,
        _ => false,
    }
}

/// The first taint of one of these effects that a pod does not tolerate.
pub(super) fn repelled_by<'n>(spec: &Value, node: &'n Node, effects: &[&str]) -> Option<&'n Taint> {
    let mut taints = node.taints.iter().filter(|taint| effects.contains(&&*taint.effect));
    taints.find(|taint| !items(spec, "/tolerations").any(|toleration| tolerates(toleration, taint)))
}

#[cfg(test)]
mod tests;
