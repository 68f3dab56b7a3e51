//! What is done with objects of each built-in kind on their way in: defaults, what the server sets and keeps, checks,
//! admission.
//!
//! A write passes through these in order:
//!
//! 1. [`Rules::defaults`] fills in what was left out;
//! 2. [`admit_create`] or [`admit_update`] look at other objects: namespaces, service accounts, priority classes;
//! 3. [`Rules::prepare_create`], [`Rules::prepare_update`] or [`Rules::prepare_status`] take back what a client may not say.
//!    The uid and the name are set by then: a Job's selector is made of its uid;
//! 4. [`metadata::validate`] and [`Rules::validate`], or for a change [`metadata::validate_update`],
//!    [`Rules::validate_update`] or [`Rules::validate_status`], find what is wrong.

mod access;
mod admission;
mod at;
mod budget;
mod config;
mod event;
mod job;
mod lease;
pub mod metadata;
pub(crate) mod names;
mod namespace;
mod node;
mod pod;
mod pod_template;
mod priority;
mod selector;
mod service;
mod share;
mod stateful_set;
mod storage;
mod warnings;
mod workload;

use serde_json::Value;

pub use admission::{Lookup, admit_create, admit_delete, admit_update};
pub use warnings::warnings;

use crate::kind::Rules;

/// A kind that takes whatever its schema allows: no status, no generation.
pub(crate) const PLAIN: Rules = Rules {
    defaults: |_| {},
    prepare_create: |_| {},
    prepare_update: |_, _| {},
    prepare_status: |_, _| {},
    validate: |_| Vec::new(),
    validate_update: |_, _| Vec::new(),
    validate_status: |_, _| Vec::new(),
    fields: &[],
    unconditional_update: true,
    create_on_update: false,
    generation: false,
    orphans: false,
    graceful: false,
};

/// A claim for devices: the scheduler writes what it was given into its status.
const DEVICE_CLAIM: Rules = Rules {
    prepare_create: drop_status,
    prepare_update: keep_status,
    prepare_status: keep_spec,
    ..PLAIN
};

/// The rules of a built-in kind. A kind that has none of its own takes whatever its schema allows.
pub fn rules_for(group: &str, kind: &str) -> Rules {
    match (group, kind) {
        ("", "Pod") => pod::RULES,
        ("", "Node") => node::RULES,
        ("", "Namespace") => namespace::RULES,
        ("", "ConfigMap") => config::CONFIG_MAP,
        ("", "Secret") => config::SECRET,
        ("", "Service") => service::RULES,
        ("", "Event") => event::CORE,
        ("events.k8s.io", "Event") => event::NEW,
        ("", "PersistentVolume") => storage::VOLUME,
        ("", "PersistentVolumeClaim") => storage::CLAIM,
        ("", "PodTemplate") => pod_template::RULES,
        ("apps", "Deployment") => workload::DEPLOYMENT,
        ("apps", "ReplicaSet") => workload::REPLICA_SET,
        ("apps", "DaemonSet") => workload::DAEMON_SET,
        ("apps", "StatefulSet") => stateful_set::RULES,
        ("batch", "Job") => job::RULES,
        ("policy", "PodDisruptionBudget") => budget::RULES,
        ("scheduling.k8s.io", "PriorityClass") => priority::RULES,
        ("coordination.k8s.io", "Lease") => lease::RULES,
        ("storage.k8s.io", "StorageClass") => storage::CLASS,
        ("storage.k8s.io", "VolumeAttachment") => storage::ATTACHMENT,
        ("storage.k8s.io", "CSINode" | "CSIDriver" | "CSIStorageCapacity") => storage::SEEN,
        ("resource.k8s.io", "ResourceClaim") => DEVICE_CLAIM,
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => access::ROLE,
        ("rbac.authorization.k8s.io", "RoleBinding") => access::BINDING,
        ("rbac.authorization.k8s.io", "ClusterRoleBinding") => access::CLUSTER_BINDING,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => crate::custom::DEFINITION_RULES,
        _ => PLAIN,
    }
}

/// The text at a JSON pointer; empty where there is none.
pub(crate) fn text_at(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The status is the server's: for new objects.
pub(crate) fn drop_status(object: &mut Value) {
    at::remove(object, "status");
}

/// The old status stays: for writes of the object itself.
pub(crate) fn keep_status(new: &mut Value, old: &Value) {
    at::keep(new, old, "status");
}

/// Everything but metadata and status stays: for writes of the status.
pub(crate) fn keep_spec(new: &mut Value, old: &Value) {
    at::keep(new, old, "spec");
}

#[cfg(test)]
mod tests;
