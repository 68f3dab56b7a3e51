//! Volumes: what pods name, and the storage objects behind it.

use crate::{LabelSelector, Labels, Symbol, Text};

/// A volume of a pod, as far as the scheduler looks at it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PodVolume {
    /// A PersistentVolumeClaim of the pod's namespace.
    Claim(Symbol),
    /// An `ephemeral` volume: a claim made for the pod, which has to belong to it.
    Ephemeral {
        /// `<pod>-<volume>`.
        claim: Symbol,
        /// The uid that has to be the claim's controller.
        pod_uid: Symbol,
    },
    /// A disk named in the pod itself.
    Disk(Disk),
}

/// Disks that clash when two pods of a node name the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Disk {
    /// Always exclusive.
    AwsElasticBlockStore {
        /// `volumeID`.
        volume: Symbol,
    },
    /// Shared only when all read.
    GcePersistentDisk {
        /// `pdName`.
        name: Symbol,
        /// `readOnly`.
        read_only: bool,
    },
    /// Shared only when all read.
    Iscsi {
        /// `iqn`.
        iqn: Symbol,
        /// `readOnly`.
        read_only: bool,
    },
    /// Shared only when all read. The same image is one with a common monitor, the same pool and name.
    Rbd {
        /// `monitors`.
        monitors: Box<[Symbol]>,
        /// `pool`.
        pool: Symbol,
        /// `image`.
        image: Symbol,
        /// `readOnly`.
        read_only: bool,
    },
}

/// A PersistentVolumeClaim.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Namespace and name.
    pub id: (Symbol, Symbol),
    /// Compared with the `claimRef` of volumes.
    pub uid: Symbol,
    /// The controller's uid, for claims of ephemeral volumes.
    pub controller: Option<Symbol>,
    /// The storage class; empty when there is none.
    pub class: Symbol,
    /// `spec.volumeName`.
    pub volume: Option<Symbol>,
    /// The annotation `pv.kubernetes.io/bind-completed` is there.
    pub bind_completed: bool,
    /// The annotation `volume.kubernetes.io/selected-node`.
    pub selected_node: Option<Symbol>,
    /// `status.phase` is Lost.
    pub lost: bool,
    /// It is being deleted.
    pub deleting: bool,
    /// Access modes, sorted.
    pub access_modes: Box<[Symbol]>,
    /// Requested bytes.
    pub size: i64,
    /// `volumeMode`; Filesystem by default.
    pub mode: Symbol,
    /// `volumeAttributesClassName`; empty when there is none.
    pub attributes_class: Symbol,
    /// Which volumes may be bound.
    pub selector: Option<LabelSelector>,
}

/// A PersistentVolume.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Its name.
    pub name: Symbol,
    /// Zones and regions are read from here.
    pub labels: Labels,
    /// The storage class; empty when there is none.
    pub class: Symbol,
    /// Bytes.
    pub size: i64,
    /// Access modes, sorted.
    pub access_modes: Box<[Symbol]>,
    /// `volumeMode`; Filesystem by default.
    pub mode: Symbol,
    /// `volumeAttributesClassName`; empty when there is none.
    pub attributes_class: Symbol,
    /// `status.phase` is Available.
    pub available: bool,
    /// It is being deleted.
    pub deleting: bool,
    /// The claim it is promised to.
    pub claim: Option<ClaimRef>,
    /// Where it can be reached: one selector has to match the node's labels; `None` means everywhere.
    pub node_terms: Option<Box<[VolumeTerm]>>,
    /// The CSI driver and handle, for volumes of that type.
    pub csi: Option<(Symbol, Symbol)>,
}

/// `spec.claimRef` of a volume.
#[derive(Clone, Debug)]
pub struct ClaimRef {
    /// Namespace and name.
    pub id: (Symbol, Symbol),
    /// Empty when not given.
    pub uid: Symbol,
}

/// One alternative of a volume's node affinity. Unlike a pod's, its `matchFields` are not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VolumeTerm {
    /// Matches nodes with such labels; a term that has only `matchFields` takes every node.
    Labels(LabelSelector),
    /// An empty term, or one with a Gt or Lt whose value is no integer.
    Never,
}

/// A StorageClass.
#[derive(Clone, Debug)]
pub struct StorageClass {
    /// Its name.
    pub name: Symbol,
    /// Who makes its volumes.
    pub provisioner: Symbol,
    /// `volumeBindingMode: WaitForFirstConsumer`.
    pub waits_for_consumer: bool,
    /// Alternatives, of which a node has to satisfy one; empty means everywhere.
    pub allowed_topologies: Box<[TopologyTerm]>,
}

/// One alternative of a class's allowed topologies: for each label key the values that will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyTerm(pub Box<[(Symbol, Box<[Text]>)]>);

/// A CSIStorageCapacity.
#[derive(Clone, Debug)]
pub struct StorageCapacity {
    /// The storage class.
    pub class: Symbol,
    /// Which nodes; `None` means none.
    pub nodes: Option<LabelSelector>,
    /// The largest volume that can be made, in bytes; `None` when nothing is said.
    pub largest: Option<i64>,
}
