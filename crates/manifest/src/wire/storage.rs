//! The storage objects that the scheduler consults.

use crate::wire::{
    affinity::NodeSelector,
    container::Requirements,
    meta::{LabelSelector, Metadata},
    value::{Amount, List, Pairs, Text},
    wire,
};

wire! {
    /// A v1.PersistentVolumeClaim.
    struct Claim<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: ClaimSpec<'a>,
        "status" => status: StorageStatus<'a>,
    }

    /// `spec` of a claim.
    struct ClaimSpec<'a> {
        "storageClassName" => class: Text<'a>,
        "volumeName" => volume: Text<'a>,
        "accessModes" => access_modes: List<Text<'a>>,
        "resources" => resources: Requirements<'a>,
        "volumeMode" => mode: Text<'a>,
        "volumeAttributesClassName" => attributes_class: Text<'a>,
        "selector" => selector: Option<LabelSelector<'a>>,
    }

    /// `status` of a claim or a volume.
    struct StorageStatus<'a> {
        "phase" => phase: Text<'a>,
    }

    /// A v1.PersistentVolume.
    struct Volume<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: VolumeSpec<'a>,
        "status" => status: StorageStatus<'a>,
    }

    /// `spec` of a volume.
    struct VolumeSpec<'a> {
        "storageClassName" => class: Text<'a>,
        "capacity" => capacity: Pairs<'a, Amount<'a>>,
        "accessModes" => access_modes: List<Text<'a>>,
        "volumeMode" => mode: Text<'a>,
        "volumeAttributesClassName" => attributes_class: Text<'a>,
        "claimRef" => claim: Option<ClaimRef<'a>>,
        "nodeAffinity" => node_affinity: VolumeNodeAffinity<'a>,
        "csi" => csi: Option<CsiSource<'a>>,
    }

    /// The claim a volume is promised to.
    struct ClaimRef<'a> {
        "namespace" => namespace: Text<'a>,
        "name" => name: Text<'a>,
        "uid" => uid: Text<'a>,
    }

    /// Where a volume can be reached.
    struct VolumeNodeAffinity<'a> {
        "required" => required: Option<NodeSelector<'a>>,
    }

    /// A volume of a CSI driver.
    struct CsiSource<'a> {
        "driver" => driver: Text<'a>,
        "volumeHandle" => handle: Text<'a>,
    }

    /// A storage.k8s.io/v1 StorageClass.
    struct StorageClass<'a> {
        "metadata" => metadata: Metadata<'a>,
        "provisioner" => provisioner: Text<'a>,
        "volumeBindingMode" => binding_mode: Text<'a>,
        "allowedTopologies" => topologies: List<TopologyTerm<'a>>,
    }

    /// One alternative of allowed topologies.
    struct TopologyTerm<'a> {
        "matchLabelExpressions" => expressions: List<TopologyExpression<'a>>,
    }

    /// A label and its allowed values.
    struct TopologyExpression<'a> {
        "key" => key: Text<'a>,
        "values" => values: List<Text<'a>>,
    }

    /// A storage.k8s.io/v1 CSINode.
    struct CsiNode<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: CsiNodeSpec<'a>,
    }

    /// `spec` of a CSINode.
    struct CsiNodeSpec<'a> {
        "drivers" => drivers: List<CsiNodeDriver<'a>>,
    }

    /// A driver on a node.
    struct CsiNodeDriver<'a> {
        "name" => name: Text<'a>,
        "allocatable" => allocatable: VolumeLimit,
    }

    /// How many volumes a driver can attach to a node.
    struct VolumeLimit {
        "count" => count: Option<i64>,
    }

    /// A storage.k8s.io/v1 CSIDriver.
    struct CsiDriver<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: CsiDriverSpec,
    }

    /// `spec` of a CSIDriver.
    struct CsiDriverSpec {
        "storageCapacity" => storage_capacity: Option<bool>,
    }

    /// A storage.k8s.io/v1 CSIStorageCapacity.
    struct StorageCapacity<'a> {
        "metadata" => metadata: Metadata<'a>,
        "storageClassName" => class: Text<'a>,
        "nodeTopology" => nodes: Option<LabelSelector<'a>>,
        "capacity" => capacity: Option<Amount<'a>>,
        "maximumVolumeSize" => maximum: Option<Amount<'a>>,
    }

    /// A storage.k8s.io/v1 VolumeAttachment.
    struct VolumeAttachment<'a> {
        "metadata" => metadata: Metadata<'a>,
        "spec" => spec: AttachmentSpec<'a>,
    }

    /// `spec` of an attachment.
    struct AttachmentSpec<'a> {
        "nodeName" => node: Text<'a>,
        "source" => source: AttachmentSource<'a>,
    }

    /// What is attached.
    struct AttachmentSource<'a> {
        "persistentVolumeName" => volume: Text<'a>,
    }
}
