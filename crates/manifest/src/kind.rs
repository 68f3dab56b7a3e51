//! The kinds that are read.

/// A kind of object that means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Budget,
    Buffer,
    Claim,
    ConfigMap,
    CsiDriver,
    CsiNode,
    DaemonSet,
    Deployment,
    DeviceClass,
    Job,
    Namespace,
    Node,
    Pod,
    PodTemplate,
    PriorityClass,
    NamespaceQuota,
    Quota,
    ReplicaSet,
    ReplicationController,
    Request,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
    StatefulSet,
    StorageCapacity,
    StorageClass,
    Volume,
    VolumeAttachment,
}

/// What an object is, by its `kind` and `apiVersion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// One to read.
    Known(Kind),
    /// A list of objects; those of a `PodList` need not say that they are pods.
    List(Option<Kind>),
    /// Of no concern here.
    Other,
}

const STORAGE: &str = "storage.k8s.io";
const RESOURCE: &str = "resource.k8s.io";

/// Kinds with their name and API group.
const KINDS: [(Kind, &str, &str); 28] = [
    (Kind::Budget, "PodDisruptionBudget", "policy"),
    (Kind::Buffer, "CapacityBuffer", "autoscaling.x-k8s.io"),
    (Kind::Claim, "PersistentVolumeClaim", ""),
    (Kind::ConfigMap, "ConfigMap", ""),
    (Kind::CsiDriver, "CSIDriver", STORAGE),
    (Kind::CsiNode, "CSINode", STORAGE),
    (Kind::DaemonSet, "DaemonSet", "apps"),
    (Kind::Deployment, "Deployment", "apps"),
    (Kind::DeviceClass, "DeviceClass", RESOURCE),
    (Kind::Job, "Job", "batch"),
    (Kind::Namespace, "Namespace", ""),
    (Kind::Node, "Node", ""),
    (Kind::Pod, "Pod", ""),
    (Kind::PodTemplate, "PodTemplate", ""),
    (Kind::PriorityClass, "PriorityClass", "scheduling.k8s.io"),
    (Kind::NamespaceQuota, "ResourceQuota", ""),
    (Kind::Quota, "CapacityQuota", "autoscaling.x-k8s.io"),
    (Kind::ReplicaSet, "ReplicaSet", "apps"),
    (Kind::ReplicationController, "ReplicationController", ""),
    (Kind::Request, "ProvisioningRequest", "autoscaling.x-k8s.io"),
    (Kind::ResourceClaim, "ResourceClaim", RESOURCE),
    (Kind::ResourceClaimTemplate, "ResourceClaimTemplate", RESOURCE),
    (Kind::ResourceSlice, "ResourceSlice", RESOURCE),
    (Kind::StatefulSet, "StatefulSet", "apps"),
    (Kind::StorageCapacity, "CSIStorageCapacity", STORAGE),
    (Kind::StorageClass, "StorageClass", STORAGE),
    (Kind::Volume, "PersistentVolume", ""),
    (Kind::VolumeAttachment, "VolumeAttachment", STORAGE),
];

// === impl Kind ===

impl Kind {
    /// As in a manifest.
    pub(crate) fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, _, _)| *kind == self).map_or("", |(_, name, _)| name)
    }

    /// Whether its objects live in a namespace.
    pub(crate) fn has_namespace(self) -> bool {
        !matches!(
            self,
            Self::CsiDriver
                | Self::CsiNode
                | Self::DeviceClass
                | Self::Namespace
                | Self::Node
                | Self::PriorityClass
                | Self::Quota
                | Self::ResourceSlice
                | Self::StorageClass
                | Self::Volume
                | Self::VolumeAttachment
        )
    }
}

// === impl Sort ===

impl Sort {
    /// Other groups have kinds of the same name: a `Job` of Volcano is not one of `batch`. An object that does not name
    /// its group is taken at its word.
    pub(crate) fn of(kind: &str, api_version: Option<&str>) -> Self {
        let find = |wanted: &str| {
            KINDS.iter().find(|(_, name, group)| {
                *name == wanted
                    && api_version.is_none_or(|version| {
                        version.split_once('/').map_or("", |(g, _)| g) == *group
                    })
            })
        };
        if let Some((kind, _, _)) = find(kind) {
            return Self::Known(*kind);
        }
        match kind.strip_suffix("List") {
            Some("") => Self::List(None),
            Some(entry) => find(entry).map_or(Self::Other, |(kind, _, _)| Self::List(Some(*kind))),
            None => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Sort};

    #[test]
    fn a_kind_counts_in_its_own_group_only() {
        assert_eq!(Sort::of("Job", Some("batch/v1")), Sort::Known(Kind::Job));
        assert_eq!(Sort::of("Job", Some("batch.volcano.sh/v1alpha1")), Sort::Other);
        assert_eq!(Sort::of("Job", None), Sort::Known(Kind::Job));
        assert_eq!(Sort::of("Pod", Some("v1")), Sort::Known(Kind::Pod));
        assert_eq!(Sort::of("Pod", Some("metrics.k8s.io/v1")), Sort::Other);
    }

    #[test]
    fn lists_are_told_by_their_name() {
        assert_eq!(Sort::of("List", Some("v1")), Sort::List(None));
        assert_eq!(Sort::of("NodeList", Some("v1")), Sort::List(Some(Kind::Node)));
        assert_eq!(Sort::of("WishList", Some("v1")), Sort::Other);
    }
}
