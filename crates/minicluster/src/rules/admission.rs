//! Admission: what is decided about a write by looking at other objects, or set on behalf of the cluster.

use serde_json::{Value, json};

use super::{
    at::{At, object},
    pod,
};
use crate::{ApiError, Kind};

/// The taint of a node that has not reported yet.
const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// Reads other objects.
pub trait Lookup {
    /// The object with this name, if there is one. `namespace` is empty for kinds of the cluster.
    fn find(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Value>;

    /// All objects of a kind of the cluster; used for kinds of which there are few.
    fn all(&self, group: &str, plural: &str) -> Vec<Value>;
}

/// Admission of a new object: after defaults, before preparation and checks.
pub fn admit_create(kind: &Kind, object: &mut Value, lookup: &dyn Lookup) -> Result<(), ApiError> {
    if kind.is_namespaced() {
        namespace_takes(kind, object, lookup)?;
    }
    match (&*kind.group, &*kind.kind) {
        ("", "Pod") => pod::admission::admit_create(object, lookup)?,
        ("", "Node") => taint_new_node(object),
        _ => {}
    }
    Ok(())
}

/// Admission of a change of the object itself; writes of the status are not admitted.
pub fn admit_update(kind: &Kind, new: &mut Value, old: &Value) {
    if kind.group.is_empty() && &*kind.kind == "Pod" {
        pod::admission::admit_update(new, old);
    }
}

/// New objects need a namespace that is there and stays.
fn namespace_takes(kind: &Kind, object: &Value, lookup: &dyn Lookup) -> Result<(), ApiError> {
    let metadata = At::root(object).field("metadata");
    let namespace = metadata.field("namespace").text();
    if namespace.is_empty() {
        // The check of metadata says so, in its own words.
        return Ok(());
    }
    let Some(found) = lookup.find("", "namespaces", "", namespace) else {
        return Err(ApiError::not_found("", "namespaces", namespace));
    };
    if At::root(&found).at(&["status", "phase"]).text() != "Terminating" {
        return Ok(());
    }
    let why = format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    );
    let mut error =
        ApiError::forbidden(&kind.group, &kind.plural, metadata.field("name").text(), &why);
    if let Some(Value::Object(details)) = &mut error.details {
        let cause = json!({
            "reason": "NamespaceTerminating",
            "message": format!("namespace {namespace} is being terminated"),
            "field": "metadata.namespace",
        });
        details.insert("causes".to_owned(), json!([cause]));
    }
    Err(error)
}

/// A new node takes no pods until the node controller has seen it ready.
fn taint_new_node(node: &mut Value) {
    let Some(spec) = object(node, "spec") else { return };
    let mut taints: Vec<Value> =
        spec.get("taints").and_then(Value::as_array).cloned().unwrap_or_default();
    let same = |taint: &Value| {
        taint.get("key").is_some_and(|key| key == NOT_READY)
            && taint.get("effect").is_some_and(|effect| effect == "NoSchedule")
    };
    if !taints.iter().any(same) {
        taints.push(json!({ "key": NOT_READY, "effect": "NoSchedule" }));
        super::at::set(spec, "taints", taints);
    }
}
