//! Volumes, claims and storage classes, and the light kinds around them.

use serde_json::{Value, json};

use super::{
    PLAIN,
    at::{At, fill, keep, object, same, set},
    keep_spec, keep_status, names,
    pod::resources,
    text_at,
};
use crate::{FieldError, kind::Rules};

const ACCESS_MODES: [&str; 4] =
    ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/// The members of a volume's spec that are not where the data is.
const NO_SOURCES: [&str; 9] = [
    "capacity",
    "accessModes",
    "claimRef",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "mountOptions",
    "volumeMode",
    "nodeAffinity",
    "volumeAttributesClassName",
];

/// What is done with `PersistentVolumes`.
pub(crate) const VOLUME: Rules = Rules {
    defaults: default_volume,
    prepare_create: prepare_volume,
    prepare_update: keep_status,
    prepare_status: keep_spec,
    validate: validate_volume,
    fields: &[("name", |volume| text_at(volume, "/metadata/name"))],
    ..PLAIN
};

/// What is done with `PersistentVolumeClaims`.
pub(crate) const CLAIM: Rules = Rules {
    defaults: default_claim,
    prepare_create: |claim| set(claim, "status", json!({ "phase": "Pending" })),
    prepare_update: keep_status,
    prepare_status: keep_spec,
    validate: validate_claim,
    validate_update: update_claim,
    fields: &[("name", |claim| text_at(claim, "/metadata/name"))],
    ..PLAIN
};

/// What is done with `StorageClasses`.
pub(crate) const CLASS: Rules = Rules {
    defaults: |class| {
        fill(class, "reclaimPolicy", "Delete");
        fill(class, "volumeBindingMode", "Immediate");
    },
    validate: validate_class,
    validate_update: update_class,
    ..PLAIN
};

/// `CSINodes`, `CSIDrivers`, `CSIStorageCapacities` and `VolumeAttachments`: who writes one must have seen it.
pub(crate) const SEEN: Rules = Rules { unconditional_update: false, ..PLAIN };

/// What is done with `VolumeAttachments`.
pub(crate) const ATTACHMENT: Rules =
    Rules { prepare_update: keep_status, prepare_status: keep_spec, ..SEEN };

/// Fills in a claim, alone or as the template of one.
pub(crate) fn default_claim(claim: &mut Value) {
    if let Some(status) = object(claim, "status") {
        fill(status, "phase", "Pending");
    }
    if let Some(spec) = object(claim, "spec") {
        fill(spec, "volumeMode", "Filesystem");
    }
}

fn default_volume(volume: &mut Value) {
    if let Some(status) = object(volume, "status") {
        fill(status, "phase", "Pending");
    }
    let Some(spec) = object(volume, "spec") else { return };
    fill(spec, "persistentVolumeReclaimPolicy", "Retain");
    fill(spec, "volumeMode", "Filesystem");
    if let Some(path) = spec.get_mut("hostPath").filter(|path| path.is_object())
        && path.get("type").is_none_or(Value::is_null)
    {
        set(path, "type", "");
    }
}

fn prepare_volume(volume: &mut Value) {
    let mut status = json!({ "phase": "Pending" });
    if let Some(created) = volume.pointer("/metadata/creationTimestamp") {
        set(&mut status, "lastPhaseTransitionTime", created.clone());
    }
    set(volume, "status", status);
}

fn validate_volume(volume: &Value) -> Vec<FieldError> {
    let spec = At::root(volume).field("spec");
    let mut errors = Vec::new();
    access_modes(&spec, &mut errors);
    let capacity = spec.field("capacity");
    if capacity.is_empty() {
        errors.push(capacity.required(""));
    } else if !capacity.field("storage").is_set() {
        errors.push(FieldError::not_supported(capacity.path.as_str(), "", &["storage"]));
    }
    errors.extend(
        spec.field("persistentVolumeReclaimPolicy").one_of(&["Delete", "Recycle", "Retain"]),
    );
    errors.extend(spec.field("volumeMode").one_of(&["Block", "Filesystem"]));
    if !spec.entries().any(|(name, value)| !value.is_null() && !NO_SOURCES.contains(&&**name)) {
        errors.push(spec.required("must specify a volume type"));
    }
    errors
}

fn validate_claim(claim: &Value) -> Vec<FieldError> {
    let spec = At::root(claim).field("spec");
    let mut errors = Vec::new();
    access_modes(&spec, &mut errors);
    super::selector::check(&spec.field("selector"), &mut errors);
    let storage = spec.at(&["resources", "requests", "storage"]);
    let shown = At::new(storage.value, format!("{}.resources[storage]", spec.path));
    match resources::parse(storage.value) {
        None => errors.push(shown.required("")),
        Some(amount) if amount.is_zero() || amount.is_negative() => {
            errors.push(shown.invalid("must be greater than zero"));
        }
        Some(_) => {}
    }
    let class = spec.field("storageClassName");
    if !class.is_empty() {
        errors.extend(class.objections(names::subdomain(class.text())));
    }
    errors.extend(spec.field("volumeMode").one_of(&["Block", "Filesystem"]));
    errors
}

fn access_modes(spec: &At<'_>, errors: &mut Vec<FieldError>) {
    let modes = spec.field("accessModes");
    if modes.is_empty() {
        errors.push(modes.required("at least 1 access mode is required"));
    }
    for mode in modes.items().filter(|mode| !ACCESS_MODES.contains(&mode.text())) {
        let path = modes.path.as_str();
        errors.push(FieldError::not_supported(path, mode.text(), &ACCESS_MODES));
    }
    let alone = modes.items().any(|mode| mode.text() == "ReadWriteOncePod");
    if alone && modes.len() > 1 {
        errors.push(modes.forbidden("may not use ReadWriteOncePod with other access modes"));
    }
}

/// Once made, a claim only gets its volume, or grows while it has one.
fn update_claim(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut spec = new.get("spec").cloned().unwrap_or_default();
    let before = old.get("spec").cloned().unwrap_or_default();
    if At::root(&before).field("volumeName").is_empty() {
        keep(&mut spec, &before, "volumeName");
    }
    let bound = At::root(new).at(&["status", "phase"]).text() == "Bound";
    if bound {
        keep(&mut spec, &before, "resources");
        keep(&mut spec, &before, "volumeAttributesClassName");
    }
    if !At::root(&before).field("storageClassName").is_set() {
        keep(&mut spec, &before, "storageClassName");
    }
    if same(&spec, &before) {
        return Vec::new();
    }
    vec![FieldError::forbidden(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n",
    )]
}

fn validate_class(class: &Value) -> Vec<FieldError> {
    let root = At::root(class);
    let mut errors = Vec::new();
    let provisioner = root.field("provisioner");
    if provisioner.is_empty() {
        errors.push(provisioner.required(""));
    } else {
        let lower = provisioner.text().to_lowercase();
        errors.extend(provisioner.objections(names::qualified(&lower)));
    }
    errors.extend(root.field("reclaimPolicy").one_of(&["Delete", "Retain"]));
    errors.extend(root.field("volumeBindingMode").one_of(&["Immediate", "WaitForFirstConsumer"]));
    errors
}

fn update_class(new: &Value, old: &Value) -> Vec<FieldError> {
    let (new, old) = (At::root(new), At::root(old));
    ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]
        .iter()
        .filter_map(|name| new.field(name).unchanged(&old.field(name)))
        .collect()
}
