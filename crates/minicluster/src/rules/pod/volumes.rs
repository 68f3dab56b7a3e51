//! What is wrong with volumes.

use std::collections::BTreeSet;

use crate::{
    FieldError,
    rules::{at::At, names},
};

/// The sources that a volume may have, in the order in which the real server looks at them.
const SOURCES: [&str; 30] = [
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
];

/// What a source must name.
const REQUIRED: [(&str, &str); 6] = [
    ("hostPath", "path"),
    ("secret", "secretName"),
    ("configMap", "name"),
    ("persistentVolumeClaim", "claimName"),
    ("csi", "driver"),
    ("ephemeral", "volumeClaimTemplate"),
];

/// Finds what is wrong, and gives the names of the volumes that are good: only those can be mounted.
pub(super) fn check(volumes: &At<'_>, errors: &mut Vec<FieldError>) -> BTreeSet<String> {
    let mut good = BTreeSet::new();
    for volume in volumes.items() {
        let mut wrong = Vec::new();
        source(&volume, &mut wrong);
        let name = volume.field("name");
        if name.is_empty() {
            wrong.push(name.required(""));
        } else {
            wrong.extend(name.objections(names::label(name.text())));
        }
        if good.contains(name.text()) {
            wrong.push(name.duplicate());
        }
        if wrong.is_empty() {
            good.insert(name.text().to_owned());
        }
        errors.extend(wrong);
    }
    good
}

fn source(volume: &At<'_>, errors: &mut Vec<FieldError>) {
    let given: Vec<At<'_>> =
        SOURCES.iter().map(|name| volume.field(name)).filter(At::is_set).collect();
    let Some((_, rest)) = given.split_first() else {
        errors.push(volume.required("must specify a volume type"));
        return;
    };
    for other in rest {
        errors.push(other.forbidden("may not specify more than 1 volume type"));
    }
    for (name, needed) in REQUIRED {
        let source = volume.field(name);
        if source.is_set() && source.field(needed).is_empty() {
            errors.push(source.field(needed).required(""));
        }
    }
    for name in ["secret", "configMap", "downwardAPI", "projected"] {
        let mode = volume.field(name).field("defaultMode");
        if mode.number().is_some_and(|mode| !(0..=0o777).contains(&mode)) {
            errors
                .push(mode.invalid("must be a number between 0 and 0777 (octal), both inclusive"));
        }
    }
}
