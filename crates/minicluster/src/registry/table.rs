//! The built-in kinds, as data.

use crate::kind::Subresource::{self, Binding, Eviction, Finalize, Scale, Status, Stub};

/// A built-in kind.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) kind: &'static str,
    pub(super) plural: &'static str,
    pub(super) short_names: &'static [&'static str],
    pub(super) categories: &'static [&'static str],
    pub(super) namespaced: bool,
    pub(super) subresources: &'static [Subresource],
    /// Where the schema knows its fields: the name of the type without the kind.
    pub(super) package: &'static str,
}

const CORE: Row = Row {
    group: "",
    version: "v1",
    kind: "",
    plural: "",
    short_names: &[],
    categories: &[],
    namespaced: true,
    subresources: &[],
    package: "io.k8s.api.core.v1",
};

const APPS: Row = Row {
    group: "apps",
    categories: &["all"],
    subresources: &[Scale, Status],
    package: "io.k8s.api.apps.v1",
    ..CORE
};

const STORAGE: Row =
    Row { group: "storage.k8s.io", namespaced: false, package: "io.k8s.api.storage.v1", ..CORE };

const RBAC: Row = Row { group: "rbac.authorization.k8s.io", package: "io.k8s.api.rbac.v1", ..CORE };

const RESOURCE: Row = Row { group: "resource.k8s.io", package: "io.k8s.api.resource.v1", ..CORE };

/// In the order of the real server's discovery: groups as it lists them, kinds by plural.
pub(super) const BUILT_IN: &[Row] = &[
    Row { kind: "ConfigMap", plural: "configmaps", short_names: &["cm"], ..CORE },
    Row { kind: "Event", plural: "events", short_names: &["ev"], ..CORE },
    // Kept and shown, and not enforced.
    Row { kind: "LimitRange", plural: "limitranges", short_names: &["limits"], ..CORE },
    Row {
        kind: "Namespace",
        plural: "namespaces",
        short_names: &["ns"],
        namespaced: false,
        subresources: &[Finalize, Status],
        ..CORE
    },
    Row {
        kind: "Node",
        plural: "nodes",
        short_names: &["no"],
        namespaced: false,
        subresources: &[Stub("proxy"), Status],
        ..CORE
    },
    Row {
        kind: "PersistentVolumeClaim",
        plural: "persistentvolumeclaims",
        short_names: &["pvc"],
        subresources: &[Status],
        ..CORE
    },
    Row {
        kind: "PersistentVolume",
        plural: "persistentvolumes",
        short_names: &["pv"],
        namespaced: false,
        subresources: &[Status],
        ..CORE
    },
    Row {
        kind: "Pod",
        plural: "pods",
        short_names: &["po"],
        categories: &["all"],
        subresources: &[
            Stub("attach"),
            Binding,
            Stub("ephemeralcontainers"),
            Eviction,
            Stub("exec"),
            Stub("log"),
            Stub("portforward"),
            Stub("proxy"),
            Stub("resize"),
            Status,
        ],
        ..CORE
    },
    Row { kind: "PodTemplate", plural: "podtemplates", ..CORE },
    Row {
        kind: "ReplicationController",
        plural: "replicationcontrollers",
        short_names: &["rc"],
        categories: &["all"],
        subresources: &[Scale, Status],
        ..CORE
    },
    // Kept and shown, and not enforced.
    Row {
        kind: "ResourceQuota",
        plural: "resourcequotas",
        short_names: &["quota"],
        subresources: &[Status],
        ..CORE
    },
    Row { kind: "Secret", plural: "secrets", ..CORE },
    Row {
        kind: "ServiceAccount",
        plural: "serviceaccounts",
        short_names: &["sa"],
        subresources: &[Stub("token")],
        ..CORE
    },
    Row {
        kind: "Service",
        plural: "services",
        short_names: &["svc"],
        categories: &["all"],
        subresources: &[Stub("proxy"), Status],
        ..CORE
    },
    Row {
        kind: "ControllerRevision",
        plural: "controllerrevisions",
        categories: &[],
        subresources: &[],
        ..APPS
    },
    Row {
        kind: "DaemonSet",
        plural: "daemonsets",
        short_names: &["ds"],
        subresources: &[Status],
        ..APPS
    },
    Row { kind: "Deployment", plural: "deployments", short_names: &["deploy"], ..APPS },
    Row { kind: "ReplicaSet", plural: "replicasets", short_names: &["rs"], ..APPS },
    Row { kind: "StatefulSet", plural: "statefulsets", short_names: &["sts"], ..APPS },
    Row {
        group: "events.k8s.io",
        kind: "Event",
        plural: "events",
        short_names: &["ev"],
        package: "io.k8s.api.events.v1",
        ..CORE
    },
    Row {
        group: "batch",
        kind: "Job",
        plural: "jobs",
        categories: &["all"],
        subresources: &[Status],
        package: "io.k8s.api.batch.v1",
        ..CORE
    },
    Row {
        group: "policy",
        kind: "PodDisruptionBudget",
        plural: "poddisruptionbudgets",
        short_names: &["pdb"],
        subresources: &[Status],
        package: "io.k8s.api.policy.v1",
        ..CORE
    },
    Row { kind: "ClusterRoleBinding", plural: "clusterrolebindings", namespaced: false, ..RBAC },
    Row { kind: "ClusterRole", plural: "clusterroles", namespaced: false, ..RBAC },
    Row { kind: "RoleBinding", plural: "rolebindings", ..RBAC },
    Row { kind: "Role", plural: "roles", ..RBAC },
    Row { kind: "CSIDriver", plural: "csidrivers", ..STORAGE },
    Row { kind: "CSINode", plural: "csinodes", ..STORAGE },
    Row { kind: "CSIStorageCapacity", plural: "csistoragecapacities", namespaced: true, ..STORAGE },
    Row { kind: "StorageClass", plural: "storageclasses", short_names: &["sc"], ..STORAGE },
    Row {
        kind: "VolumeAttachment",
        plural: "volumeattachments",
        subresources: &[Status],
        ..STORAGE
    },
    Row {
        group: "apiextensions.k8s.io",
        kind: "CustomResourceDefinition",
        plural: "customresourcedefinitions",
        short_names: &["crd", "crds"],
        categories: &["api-extensions"],
        namespaced: false,
        subresources: &[Status],
        package: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
        ..CORE
    },
    Row {
        group: "scheduling.k8s.io",
        kind: "PriorityClass",
        plural: "priorityclasses",
        short_names: &["pc"],
        namespaced: false,
        package: "io.k8s.api.scheduling.v1",
        ..CORE
    },
    Row {
        group: "coordination.k8s.io",
        kind: "Lease",
        plural: "leases",
        package: "io.k8s.api.coordination.v1",
        ..CORE
    },
    Row { kind: "DeviceClass", plural: "deviceclasses", namespaced: false, ..RESOURCE },
    Row { kind: "ResourceClaim", plural: "resourceclaims", subresources: &[Status], ..RESOURCE },
    Row { kind: "ResourceClaimTemplate", plural: "resourceclaimtemplates", ..RESOURCE },
    Row { kind: "ResourceSlice", plural: "resourceslices", namespaced: false, ..RESOURCE },
];
