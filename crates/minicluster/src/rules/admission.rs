//! Admission: what is decided about a write by looking at other objects, or set on behalf of the cluster.

use serde_json::{Value, json};

use super::{
    at::{At, object, set},
    pod, text_at,
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
        ("", "PersistentVolume") => protect(object, "kubernetes.io/pv-protection"),
        ("", "PersistentVolumeClaim") => {
            protect(object, "kubernetes.io/pvc-protection");
            default_class(object, lookup);
        }
        _ => {}
    }
    Ok(())
}

/// Admission of a deletion: the cluster's own namespaces stay.
pub fn admit_delete(kind: &Kind, name: &str) -> Result<(), ApiError> {
    let is_namespace = kind.group.is_empty() && &*kind.kind == "Namespace";
    if is_namespace && ["default", "kube-system", "kube-public"].contains(&name) {
        return Err(ApiError::forbidden(
            "",
            "namespaces",
            name,
            "this namespace may not be deleted",
        ));
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
        set(spec, "taints", taints);
    }
}

/// Volumes and claims are held back from deletion while they are used.
fn protect(held: &mut Value, finalizer: &str) {
    let Some(metadata) = object(held, "metadata") else { return };
    let mut all: Vec<Value> =
        metadata.get("finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
    if !all.iter().any(|one| one == finalizer) {
        all.push(json!(finalizer));
        set(metadata, "finalizers", all);
    }
}

/// A claim that names no class gets the cluster's default one, the youngest if there are several.
fn default_class(claim: &mut Value, lookup: &dyn Lookup) {
    let Some(spec) = object(claim, "spec") else { return };
    if spec.get("storageClassName").is_some_and(|name| !name.is_null()) {
        return;
    }
    let is_default = |class: &Value| {
        let annotations = At::root(class).at(&["metadata", "annotations"]);
        annotations.field("storageclass.kubernetes.io/is-default-class").text() == "true"
    };
    let youngest = lookup
        .all("storage.k8s.io", "storageclasses")
        .into_iter()
        .filter(is_default)
        .max_by_key(|class| text_at(class, "/metadata/creationTimestamp"));
    if let Some(class) = youngest {
        set(spec, "storageClassName", text_at(&class, "/metadata/name"));
    }
}
