//! Volumes as a pod names them.

use serde::de::IgnoredAny;

use crate::wire::{
    value::{List, Text},
    wire,
};

wire! {
    /// An entry of `spec.volumes`, with the sources that matter to somebody.
    struct PodVolume<'a> {
        "name" => name: Text<'a>,
        "persistentVolumeClaim" => claim: Option<ClaimSource<'a>>,
        "ephemeral" => ephemeral: Option<IgnoredAny>,
        "hostPath" => host_path: Option<IgnoredAny>,
        "emptyDir" => empty_dir: Option<EmptyDir<'a>>,
        "awsElasticBlockStore" => ebs: Option<ElasticBlockStore<'a>>,
        "gcePersistentDisk" => gce: Option<GceDisk<'a>>,
        "iscsi" => iscsi: Option<Iscsi<'a>>,
        "rbd" => rbd: Option<Rbd<'a>>,
    }

    /// `persistentVolumeClaim`.
    struct ClaimSource<'a> {
        "claimName" => name: Text<'a>,
    }

    /// `emptyDir`.
    struct EmptyDir<'a> {
        "medium" => medium: Text<'a>,
    }

    /// `awsElasticBlockStore`.
    struct ElasticBlockStore<'a> {
        "volumeID" => volume: Text<'a>,
    }

    /// `gcePersistentDisk`.
    struct GceDisk<'a> {
        "pdName" => name: Text<'a>,
        "readOnly" => read_only: Option<bool>,
    }

    /// `iscsi`.
    struct Iscsi<'a> {
        "iqn" => iqn: Text<'a>,
        "readOnly" => read_only: Option<bool>,
    }

    /// `rbd`.
    struct Rbd<'a> {
        "monitors" => monitors: List<Text<'a>>,
        "pool" => pool: Text<'a>,
        "image" => image: Text<'a>,
        "readOnly" => read_only: Option<bool>,
    }
}
