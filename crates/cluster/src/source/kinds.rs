//! The kinds that are watched.

use std::{borrow::Cow, collections::BTreeSet};

use kube::{
    api::ApiResource,
    core::{GroupVersionKind, Status},
};

use self::Presence::{Custom, Everywhere, Newer};

/// A kind that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Watched {
    /// Nodes.
    Nodes,
    /// Pods that have not ended.
    Pods,
    /// `DaemonSet` objects.
    DaemonSets,
    /// `ReplicaSet` objects.
    ReplicaSets,
    /// `StatefulSet` objects.
    StatefulSets,
    /// `Job` objects.
    Jobs,
    /// `ReplicationController` objects.
    ReplicationControllers,
    /// `PodDisruptionBudget` objects.
    Budgets,
    /// Namespaces, for their labels.
    Namespaces,
    /// `PersistentVolume` objects.
    Volumes,
    /// `PersistentVolumeClaim` objects.
    Claims,
    /// `StorageClass` objects.
    StorageClasses,
    /// `CSINode` objects.
    CsiNodes,
    /// `CSIDriver` objects.
    CsiDrivers,
    /// `CSIStorageCapacity` objects.
    StorageCapacities,
    /// `VolumeAttachment` objects.
    VolumeAttachments,
    /// `PodTemplate` objects.
    PodTemplates,
    /// `Deployment` objects, where somebody keeps room for their pods.
    Deployments,
    /// `ResourceQuota` objects of namespaces.
    ResourceQuotas,
    /// `CapacityBuffer` objects.
    CapacityBuffers,
    /// `ProvisioningRequest` objects.
    Requests,
    /// `CapacityQuota` objects.
    CapacityQuotas,
    /// `ResourceSlice` objects.
    ResourceSlices,
    /// `ResourceClaim` objects.
    ResourceClaims,
    /// `ResourceClaimTemplate` objects.
    ResourceClaimTemplates,
    /// `DeviceClass` objects.
    DeviceClasses,
}

/// Which kinds are watched: those that every decision needs, and those that the user wants to be followed too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds(BTreeSet<Watched>);

/// Whether a cluster has a kind, and whether we look for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// Every cluster has it, and no decision is made before it is seen.
    Everywhere,
    /// It is Kubernetes' own, and older clusters do not have it. Where it is not there, or not ours to see, there is none of it.
    Newer,
    /// It is there if somebody defined it, and watched if the user wants it to be. Where it is not defined, there is none of it.
    Custom,
}

/// How the API knows a kind.
struct Entry {
    watched: Watched,
    kind: &'static str,
    group: &'static str,
    version: &'static str,
    plural: &'static str,
    presence: Presence,
}

/// Dynamic resource allocation; before Kubernetes 1.34 it had only betas.
const RESOURCE: (&str, &str) = ("resource.k8s.io", "v1");

const TABLE: [Entry; 26] = [
    entry(Watched::Nodes, "Node", ("", "v1"), "nodes", Everywhere),
    entry(Watched::Pods, "Pod", ("", "v1"), "pods", Everywhere),
    entry(Watched::DaemonSets, "DaemonSet", ("apps", "v1"), "daemonsets", Everywhere),
    entry(Watched::ReplicaSets, "ReplicaSet", ("apps", "v1"), "replicasets", Everywhere),
    entry(Watched::StatefulSets, "StatefulSet", ("apps", "v1"), "statefulsets", Everywhere),
    entry(Watched::Jobs, "Job", ("batch", "v1"), "jobs", Everywhere),
    entry(
        Watched::ReplicationControllers,
        "ReplicationController",
        ("", "v1"),
        "replicationcontrollers",
        Everywhere,
    ),
    entry(
        Watched::Budgets,
        "PodDisruptionBudget",
        ("policy", "v1"),
        "poddisruptionbudgets",
        Everywhere,
    ),
    entry(Watched::Namespaces, "Namespace", ("", "v1"), "namespaces", Everywhere),
    entry(Watched::Volumes, "PersistentVolume", ("", "v1"), "persistentvolumes", Everywhere),
    entry(
        Watched::Claims,
        "PersistentVolumeClaim",
        ("", "v1"),
        "persistentvolumeclaims",
        Everywhere,
    ),
    entry(
        Watched::StorageClasses,
        "StorageClass",
        ("storage.k8s.io", "v1"),
        "storageclasses",
        Everywhere,
    ),
    entry(Watched::CsiNodes, "CSINode", ("storage.k8s.io", "v1"), "csinodes", Everywhere),
    entry(Watched::CsiDrivers, "CSIDriver", ("storage.k8s.io", "v1"), "csidrivers", Everywhere),
    entry(
        Watched::StorageCapacities,
        "CSIStorageCapacity",
        ("storage.k8s.io", "v1"),
        "csistoragecapacities",
        Everywhere,
    ),
    entry(
        Watched::VolumeAttachments,
        "VolumeAttachment",
        ("storage.k8s.io", "v1"),
        "volumeattachments",
        Everywhere,
    ),
    // Every cluster has these, but few of our users refer to any.
    entry(Watched::PodTemplates, "PodTemplate", ("", "v1"), "podtemplates", Custom),
    entry(Watched::Deployments, "Deployment", ("apps", "v1"), "deployments", Custom),
    entry(Watched::ResourceQuotas, "ResourceQuota", ("", "v1"), "resourcequotas", Custom),
    entry(
        Watched::CapacityBuffers,
        "CapacityBuffer",
        ("autoscaling.x-k8s.io", "v1beta1"),
        "capacitybuffers",
        Custom,
    ),
    entry(
        Watched::Requests,
        "ProvisioningRequest",
        ("autoscaling.x-k8s.io", "v1"),
        "provisioningrequests",
        Custom,
    ),
    entry(
        Watched::CapacityQuotas,
        "CapacityQuota",
        ("autoscaling.x-k8s.io", "v1beta1"),
        "capacityquotas",
        Custom,
    ),
    entry(Watched::ResourceSlices, "ResourceSlice", RESOURCE, "resourceslices", Newer),
    entry(Watched::ResourceClaims, "ResourceClaim", RESOURCE, "resourceclaims", Newer),
    entry(
        Watched::ResourceClaimTemplates,
        "ResourceClaimTemplate",
        RESOURCE,
        "resourceclaimtemplates",
        Newer,
    ),
    entry(Watched::DeviceClasses, "DeviceClass", RESOURCE, "deviceclasses", Newer),
];

const fn entry(
    watched: Watched,
    kind: &'static str,
    (group, version): (&'static str, &'static str),
    plural: &'static str,
    presence: Presence,
) -> Entry {
    Entry { watched, kind, group, version, plural, presence }
}

// === impl Watched ===

impl Watched {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|entry| entry.watched)
    }

    /// As in a manifest.
    pub fn kind(self) -> &'static str {
        self.entry().kind
    }

    /// As in a manifest: the group, if it has one, and the version.
    pub fn api_version(self) -> Cow<'static, str> {
        match self.entry() {
            Entry { group: "", version, .. } => Cow::Borrowed(version),
            Entry { group, version, .. } => Cow::Owned(format!("{group}/{version}")),
        }
    }

    /// As in a path.
    pub fn plural(self) -> &'static str {
        self.entry().plural
    }

    /// How the API knows it.
    pub fn resource(self) -> ApiResource {
        let Entry { kind, group, version, plural, .. } = self.entry();
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
    }

    /// Whether an API server that answers so has no objects of this kind, rather than not telling them.
    /// The answer for a group that nobody has defined is not a Status, so that its number is all that there is to go by.
    pub(super) fn is_absent(self, answer: &Status) -> bool {
        match self.entry().presence {
            Everywhere => false,
            Newer => [403, 404].contains(&answer.code),
            Custom => answer.code == 404,
        }
    }

    fn entry(self) -> &'static Entry {
        // The table has all of them, which a test checks; Nodes are as good as any otherwise.
        TABLE.iter().find(|entry| entry.watched == self).unwrap_or(&TABLE[0])
    }
}

// === impl Kinds ===

impl Kinds {
    /// These, and one that the user wants to be followed too.
    #[must_use]
    pub fn and(mut self, watched: Watched) -> Self {
        self.0.insert(watched);
        self
    }

    /// These without one that the user does not want to be followed.
    #[must_use]
    pub fn but(mut self, watched: Watched) -> Self {
        self.0.remove(&watched);
        self
    }

    /// In a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = Watched> + '_ {
        self.0.iter().copied()
    }
}

impl Default for Kinds {
    /// Those that every decision needs.
    fn default() -> Self {
        let needed = TABLE.iter().filter(|entry| entry.presence != Custom);
        Self(needed.map(|entry| entry.watched).collect())
    }
}
