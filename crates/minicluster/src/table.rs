//! Tables: what `kubectl get` prints.
//!
//! A kind has columns, and each of its objects a row of cells. The server puts them together and sends them row by row, so that
//! a long table never exists as one piece.

mod access;
mod age;
mod column;
mod config;
mod custom;
mod event;
mod json_path;
mod network;
mod node;
mod pod;
mod read;
mod storage;
mod words;
mod workload;

use jiff::Timestamp;
use serde_json::Value;

use crate::{Kind, custom::CustomKind};

use self::column::Column;

/// How the objects of one kind are shown in tables.
#[derive(Clone, Copy, Debug)]
pub struct Printer<'k>(Columns<'k>);

#[derive(Clone, Copy, Debug)]
enum Columns<'k> {
    /// Those of pods, whose rows have conditions too.
    Pod,
    /// Those of another built-in kind.
    BuiltIn(&'static [Column]),
    /// Those that a definition has.
    Custom(&'k CustomKind),
}

// === impl Printer ===

impl<'k> Printer<'k> {
    /// How objects of a kind are shown.
    pub fn of(kind: &'k Kind) -> Self {
        Self(match (&kind.custom, &*kind.group, &*kind.kind) {
            (Some(custom), ..) => Columns::Custom(custom),
            (None, "", "Pod") => Columns::Pod,
            (None, group, kind) => Columns::BuiltIn(built_in(group, kind)),
        })
    }

    /// The `columnDefinitions`.
    pub fn columns(&self) -> Value {
        match self.0 {
            Columns::Pod => definitions(pod::POD),
            Columns::BuiltIn(columns) => definitions(columns),
            Columns::Custom(custom) => custom::columns(custom),
        }
    }

    /// The cells of an object, one for each column. An object of which there is nothing but a version gives cells too: bookmarks
    /// are shown so.
    pub fn cells(&self, object: &Value, now: Timestamp) -> Value {
        match self.0 {
            Columns::Pod => show(pod::POD, object, now),
            Columns::BuiltIn(columns) => show(columns, object, now),
            Columns::Custom(custom) => custom::cells(custom, object, now),
        }
    }

    /// What is to be said of a row as a whole, where there is something: clients can tell finished pods by it.
    pub fn conditions(&self, object: &Value) -> Option<Value> {
        match self.0 {
            Columns::Pod => pod::conditions(object),
            Columns::BuiltIn(_) | Columns::Custom(_) => None,
        }
    }
}

fn definitions(columns: &[Column]) -> Value {
    columns.iter().map(Column::definition).collect()
}

fn show(columns: &[Column], object: &Value, now: Timestamp) -> Value {
    columns.iter().map(|column| column.show(object, now)).collect()
}

fn built_in(group: &str, kind: &str) -> &'static [Column] {
    match (group, kind) {
        ("", "ConfigMap") => config::CONFIG_MAP,
        ("" | "events.k8s.io", "Event") => event::EVENT,
        ("", "Namespace") => config::NAMESPACE,
        ("", "Node") => node::NODE,
        ("", "PersistentVolume") => storage::PERSISTENT_VOLUME,
        ("", "PersistentVolumeClaim") => storage::PERSISTENT_VOLUME_CLAIM,
        ("", "PodTemplate") => workload::POD_TEMPLATE,
        ("", "ReplicationController") => workload::REPLICATION_CONTROLLER,
        ("", "Secret") => config::SECRET,
        ("", "Service") => network::SERVICE,
        ("", "ServiceAccount") => config::SERVICE_ACCOUNT,
        ("apps", "ControllerRevision") => workload::CONTROLLER_REVISION,
        ("apps", "DaemonSet") => workload::DAEMON_SET,
        ("apps", "Deployment") => workload::DEPLOYMENT,
        ("apps", "ReplicaSet") => workload::REPLICA_SET,
        ("apps", "StatefulSet") => workload::STATEFUL_SET,
        ("autoscaling", "Scale") => workload::SCALE,
        ("batch", "Job") => workload::JOB,
        ("coordination.k8s.io", "Lease") => config::LEASE,
        ("policy", "PodDisruptionBudget") => workload::POD_DISRUPTION_BUDGET,
        ("rbac.authorization.k8s.io", "ClusterRoleBinding") => access::CLUSTER_ROLE_BINDING,
        ("rbac.authorization.k8s.io", "RoleBinding") => access::ROLE_BINDING,
        ("resource.k8s.io", "ResourceSlice") => node::RESOURCE_SLICE,
        ("scheduling.k8s.io", "PriorityClass") => config::PRIORITY_CLASS,
        ("storage.k8s.io", "CSIDriver") => storage::CSI_DRIVER,
        ("storage.k8s.io", "CSINode") => storage::CSI_NODE,
        ("storage.k8s.io", "CSIStorageCapacity") => storage::CSI_STORAGE_CAPACITY,
        ("storage.k8s.io", "StorageClass") => storage::STORAGE_CLASS,
        ("storage.k8s.io", "VolumeAttachment") => storage::VOLUME_ATTACHMENT,
        _ => column::PLAIN,
    }
}

#[cfg(test)]
mod tests;
