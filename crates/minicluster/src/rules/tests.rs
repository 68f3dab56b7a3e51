//! The rules against what the real server answered, and against nonsense.

mod changes;
mod recorded;
mod robust;

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{Lookup, admit_create, metadata, rules_for};
use crate::{
    ApiError, FieldError, Kind,
    kind::Scope,
    schema::{built_in_kind, decode, with_zero_values},
};

/// The built-in kinds that recordings write, by group, version, plural and kind.
const KINDS: [(&str, &str, &str, &str, Scope); 24] = [
    ("", "v1", "namespaces", "Namespace", Scope::Cluster),
    ("", "v1", "nodes", "Node", Scope::Cluster),
    ("", "v1", "pods", "Pod", Scope::Namespaced),
    ("", "v1", "configmaps", "ConfigMap", Scope::Namespaced),
    ("", "v1", "secrets", "Secret", Scope::Namespaced),
    ("", "v1", "events", "Event", Scope::Namespaced),
    ("events.k8s.io", "v1", "events", "Event", Scope::Namespaced),
    ("", "v1", "services", "Service", Scope::Namespaced),
    ("", "v1", "serviceaccounts", "ServiceAccount", Scope::Namespaced),
    ("", "v1", "persistentvolumes", "PersistentVolume", Scope::Cluster),
    ("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", Scope::Namespaced),
    ("apps", "v1", "deployments", "Deployment", Scope::Namespaced),
    ("apps", "v1", "replicasets", "ReplicaSet", Scope::Namespaced),
    ("apps", "v1", "daemonsets", "DaemonSet", Scope::Namespaced),
    ("apps", "v1", "statefulsets", "StatefulSet", Scope::Namespaced),
    ("batch", "v1", "jobs", "Job", Scope::Namespaced),
    ("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", Scope::Namespaced),
    ("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", Scope::Cluster),
    ("coordination.k8s.io", "v1", "leases", "Lease", Scope::Namespaced),
    ("storage.k8s.io", "v1", "storageclasses", "StorageClass", Scope::Cluster),
    ("storage.k8s.io", "v1", "csinodes", "CSINode", Scope::Cluster),
    ("rbac.authorization.k8s.io", "v1", "roles", "Role", Scope::Namespaced),
    ("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", Scope::Namespaced),
    ("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", Scope::Cluster),
];

/// A few objects.
#[derive(Default)]
struct Objects(BTreeMap<(String, String, String), Value>);

impl Objects {
    fn put(&mut self, plural: &str, object: &Value) {
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
        self.0.insert((plural.to_owned(), text("namespace"), text("name")), object.clone());
    }
}

impl Lookup for Objects {
    fn find(&self, _: &str, plural: &str, namespace: &str, name: &str) -> Option<Value> {
        let key = (plural.to_owned(), namespace.to_owned(), name.to_owned());
        self.0.get(&key).cloned()
    }

    fn all(&self, _: &str, plural: &str) -> Vec<Value> {
        let of_kind = self.0.iter().filter(|((kind, _, _), _)| kind == plural);
        of_kind.map(|(_, object)| object.clone()).collect()
    }
}

fn kind(group: &str, name: &str) -> Kind {
    let (_, version, plural, _, scope) = KINDS
        .into_iter()
        .find(|(of, _, _, known, _)| *of == group && *known == name)
        .expect("a known kind");
    Kind {
        group: group.into(),
        version: version.into(),
        kind: name.into(),
        list_kind: format!("{name}List").into(),
        plural: plural.into(),
        singular: name.to_lowercase().into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope,
        subresources: Vec::new(),
        schema: built_in_kind(group, version, name).expect("a type"),
        rules: rules_for(group, name),
        custom: None,
    }
}

/// What becomes of a new object on its way in, as the generic path does it.
fn create(kind: &Kind, mut object: Value, lookup: &dyn Lookup) -> Result<Value, ApiError> {
    let schema = Arc::clone(&kind.schema);
    decode(&schema, &mut object);
    (kind.rules.defaults)(&mut object);
    admit_create(kind, &mut object, lookup)?;
    (kind.rules.prepare_create)(&mut object);
    let mut errors: Vec<FieldError> = metadata::validate(kind, &object);
    errors.extend((kind.rules.validate)(&object));
    if !errors.is_empty() {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        // Events are stored in the core group, and messages name the kind that is stored.
        let group = if &*kind.kind == "Event" { "" } else { &kind.group };
        return Err(ApiError::invalid(group, &kind.kind, name, &errors));
    }
    with_zero_values(&schema, &mut object);
    Ok(object)
}
