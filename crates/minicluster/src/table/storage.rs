//! Storage.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    column::{
        AGE,
        Cell::{Count, Flag, Made, Text, TextOr},
        Column, NAME, boolean, integer, text,
    },
    read::{self, NONE},
    words,
};

/// What is shown where nothing was chosen.
const UNSET: &str = "<unset>";

pub(super) const PERSISTENT_VOLUME: &[Column] = &[
    NAME,
    text(
        "Capacity",
        words::PERSISTENT_VOLUME_SPEC_CAPACITY,
        Made(|volume, _| quantity(volume, "/spec/capacity/storage", "0")),
    ),
    text(
        "Access Modes",
        words::PERSISTENT_VOLUME_SPEC_ACCESS_MODES,
        Made(|volume, _| access_modes(volume, "/spec/accessModes").into()),
    ),
    text(
        "Reclaim Policy",
        words::PERSISTENT_VOLUME_SPEC_PERSISTENT_VOLUME_RECLAIM_POLICY,
        Text("/spec/persistentVolumeReclaimPolicy"),
    ),
    text("Status", words::PERSISTENT_VOLUME_STATUS_PHASE, Made(phase)),
    text("Claim", words::PERSISTENT_VOLUME_SPEC_CLAIM_REF, Made(claim)),
    text("StorageClass", "StorageClass of the pv", Made(class)),
    text(
        "VolumeAttributesClass",
        "VolumeAttributesClass of the pv",
        TextOr("/spec/volumeAttributesClassName", UNSET),
    ),
    text("Reason", words::PERSISTENT_VOLUME_STATUS_REASON, Text("/status/reason")),
    AGE,
    text(
        "VolumeMode",
        words::PERSISTENT_VOLUME_SPEC_VOLUME_MODE,
        TextOr("/spec/volumeMode", UNSET),
    )
    .wide(),
];

pub(super) const PERSISTENT_VOLUME_CLAIM: &[Column] = &[
    NAME,
    text("Status", "phase represents the current phase of PersistentVolumeClaim.", Made(phase)),
    text("Volume", words::PERSISTENT_VOLUME_CLAIM_SPEC_VOLUME_NAME, Text("/spec/volumeName")),
    text("Capacity", words::PERSISTENT_VOLUME_CLAIM_STATUS_CAPACITY, Made(claimed)),
    text("Access Modes", words::PERSISTENT_VOLUME_CLAIM_STATUS_ACCESS_MODES, Made(claimed_modes)),
    text("StorageClass", "StorageClass of the pvc", Made(class)),
    text(
        "VolumeAttributesClass",
        "VolumeAttributesClass of the pvc",
        TextOr("/spec/volumeAttributesClassName", UNSET),
    ),
    AGE,
    text(
        "VolumeMode",
        words::PERSISTENT_VOLUME_CLAIM_SPEC_VOLUME_MODE,
        TextOr("/spec/volumeMode", UNSET),
    )
    .wide(),
];

pub(super) const STORAGE_CLASS: &[Column] = &[
    text("Name", words::OBJECT_META_NAME, Made(class_name)).formatted("name"),
    text("Provisioner", "provisioner indicates the type of the provisioner.", Text("/provisioner")),
    text("ReclaimPolicy", words::STORAGE_CLASS_RECLAIM_POLICY, TextOr("/reclaimPolicy", "Delete")),
    text(
        "VolumeBindingMode",
        words::STORAGE_CLASS_VOLUME_BINDING_MODE,
        TextOr("/volumeBindingMode", "Immediate"),
    ),
    text(
        "AllowVolumeExpansion",
        words::STORAGE_CLASS_ALLOW_VOLUME_EXPANSION,
        Flag("/allowVolumeExpansion"),
    ),
    AGE,
];

pub(super) const VOLUME_ATTACHMENT: &[Column] = &[
    NAME,
    text("Attacher", words::VOLUME_ATTACHMENT_SPEC_ATTACHER, Text("/spec/attacher"))
        .formatted("name"),
    text(
        "PV",
        words::VOLUME_ATTACHMENT_SOURCE_PERSISTENT_VOLUME_NAME,
        Text("/spec/source/persistentVolumeName"),
    ),
    text("Node", words::VOLUME_ATTACHMENT_SPEC_NODE_NAME, Text("/spec/nodeName")),
    boolean("Attached", words::VOLUME_ATTACHMENT_STATUS_ATTACHED, Flag("/status/attached")),
    AGE,
];

pub(super) const CSI_NODE: &[Column] = &[
    NAME,
    integer(
        "Drivers",
        "Drivers indicates the number of CSI drivers registered on the node",
        Count("/spec/drivers"),
    ),
    AGE,
];

pub(super) const CSI_DRIVER: &[Column] = &[
    NAME,
    boolean(
        "AttachRequired",
        words::CSI_DRIVER_SPEC_ATTACH_REQUIRED,
        Made(|driver, _| (driver["spec"]["attachRequired"] != false).into()),
    ),
    boolean(
        "PodInfoOnMount",
        words::CSI_DRIVER_SPEC_POD_INFO_ON_MOUNT,
        Flag("/spec/podInfoOnMount"),
    ),
    boolean(
        "StorageCapacity",
        words::CSI_DRIVER_SPEC_STORAGE_CAPACITY,
        Flag("/spec/storageCapacity"),
    ),
    text("TokenRequests", words::CSI_DRIVER_SPEC_TOKEN_REQUESTS, Made(token_requests)),
    boolean(
        "RequiresRepublish",
        words::CSI_DRIVER_SPEC_REQUIRES_REPUBLISH,
        Flag("/spec/requiresRepublish"),
    ),
    text("Modes", words::CSI_DRIVER_SPEC_VOLUME_LIFECYCLE_MODES, Made(lifecycle_modes)),
    AGE,
];

pub(super) const CSI_STORAGE_CAPACITY: &[Column] = &[
    NAME,
    text(
        "StorageClassName",
        words::CSI_STORAGE_CAPACITY_STORAGE_CLASS_NAME,
        Text("/storageClassName"),
    ),
    text(
        "Capacity",
        words::CSI_STORAGE_CAPACITY_CAPACITY,
        Made(|capacity, _| quantity(capacity, "/capacity", UNSET)),
    ),
];

/// A quantity as the object has it: text, or a number that nobody has put into words.
fn quantity(object: &Value, path: &str, absent: &str) -> Value {
    match read::at(object, path) {
        Some(Value::Number(number)) => number.to_string().into(),
        Some(Value::String(text)) => text.clone().into(),
        _ => absent.into(),
    }
}

fn access_modes(object: &Value, path: &str) -> String {
    let modes = read::list(object, path);
    let known = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let found = known.into_iter().filter(|(mode, _)| modes.iter().any(|other| other == mode));
    found.map(|(_, short)| short).collect::<Vec<_>>().join(",")
}

fn phase(object: &Value, _now: Timestamp) -> Value {
    match read::at(object, "/metadata/deletionTimestamp") {
        Some(_) => "Terminating".into(),
        None => read::text(object, "/status/phase").into(),
    }
}

fn claim(volume: &Value, _now: Timestamp) -> Value {
    let Some(claim) = read::at(volume, "/spec/claimRef") else { return "".into() };
    format!("{}/{}", read::text(claim, "/namespace"), read::text(claim, "/name")).into()
}

/// The class of a volume or a claim. The annotation is older than the field and goes before it.
fn class(object: &Value, _now: Timestamp) -> Value {
    match object["metadata"]["annotations"].get("volume.beta.kubernetes.io/storage-class") {
        Some(class) => class.as_str().unwrap_or_default().into(),
        None => read::text(object, "/spec/storageClassName").into(),
    }
}

/// What a claim has got: nothing before it has a volume.
fn claimed(claim: &Value, _now: Timestamp) -> Value {
    match read::text(claim, "/spec/volumeName") {
        "" => "".into(),
        _ => quantity(claim, "/status/capacity/storage", "0"),
    }
}

fn claimed_modes(claim: &Value, _now: Timestamp) -> Value {
    match read::text(claim, "/spec/volumeName") {
        "" => "".into(),
        _ => access_modes(claim, "/status/accessModes").into(),
    }
}

fn class_name(class: &Value, _now: Timestamp) -> Value {
    let name = read::text(class, "/metadata/name");
    let annotations = &class["metadata"]["annotations"];
    let marks = [
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
    ];
    if marks.into_iter().any(|mark| annotations[mark] == "true") {
        format!("{name} (default)").into()
    } else {
        name.into()
    }
}

fn token_requests(driver: &Value, _now: Timestamp) -> Value {
    match read::at(driver, "/spec/tokenRequests") {
        Some(requests) => read::joined(read::list(requests, ""), "/audience").into(),
        None => UNSET.into(),
    }
}

fn lifecycle_modes(driver: &Value, _now: Timestamp) -> Value {
    let modes = read::joined(read::list(driver, "/spec/volumeLifecycleModes"), "");
    read::or(&modes, NONE).into()
}
