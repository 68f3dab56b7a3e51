//! Cases: one line of JSON with a cluster, and pods to ask about.

use jiff::Timestamp;
use plimsoll_model::Pod;
use serde_json::value::RawValue;

use crate::{
    Location, ManifestError, Objects, Reader,
    kind::Kind,
    parse::parse,
    problem::Problem,
    reader::refuse,
    wire::{
        head,
        value::{List, Text},
        wire,
    },
};

/// A cluster and a question.
#[derive(Debug)]
pub struct Case {
    /// What the answer is called.
    pub id: String,
    /// The cluster. Its pods have their nodes; some have ended or are on nodes that are not listed, and so do not exist
    /// for the scheduler.
    pub objects: Objects,
    /// Each of them asks: where could I go? One that names a node may go there only, see `PodShape::pinned_to`.
    pub pending: Vec<Pod>,
}

wire! {
    /// A case as it is written.
    struct Line<'a> {
        "id" => id: Text<'a>,
        "namespaces" => namespaces: List<&'a RawValue>,
        "nodes" => nodes: List<&'a RawValue>,
        "pods" => pods: List<&'a RawValue>,
        "pending" => pending: List<&'a RawValue>,
        "persistentVolumes" => volumes: List<&'a RawValue>,
        "persistentVolumeClaims" => claims: List<&'a RawValue>,
        "storageClasses" => classes: List<&'a RawValue>,
        "csiNodes" => csi_nodes: List<&'a RawValue>,
        "csiDrivers" => csi_drivers: List<&'a RawValue>,
        "csiStorageCapacities" => capacities: List<&'a RawValue>,
        "volumeAttachments" => attachments: List<&'a RawValue>,
    }
}

/// Whether a text is cases, and not manifests: its first object says what is pending before it says a kind.
pub fn is_case(text: &str) -> bool {
    head::has_field(text, "pending")
}

/// Reads one case. Objects that do not say when they were made were made at `default_created`.
pub fn read(line: &str, default_created: Timestamp) -> Result<Case, ManifestError> {
    let case: Line<'_> = parse(line).map_err(|problem| in_one_line(refuse(None, problem)))?;
    if case.id.is_empty() {
        return Err(refuse(None, Problem::missing().in_field("id")));
    }
    let mut reader = Reader::new(default_created);
    let lists = [
        (Kind::Namespace, "namespaces", &case.namespaces),
        (Kind::Node, "nodes", &case.nodes),
        (Kind::Pod, "pods", &case.pods),
        (Kind::Volume, "persistentVolumes", &case.volumes),
        (Kind::Claim, "persistentVolumeClaims", &case.claims),
        (Kind::StorageClass, "storageClasses", &case.classes),
        (Kind::CsiNode, "csiNodes", &case.csi_nodes),
        (Kind::CsiDriver, "csiDrivers", &case.csi_drivers),
        (Kind::StorageCapacity, "csiStorageCapacities", &case.capacities),
        (Kind::VolumeAttachment, "volumeAttachments", &case.attachments),
    ];
    for (kind, field, list) in lists {
        for (index, object) in list.iter().enumerate() {
            let taken = reader.add_of_kind(kind, object.get());
            taken.map_err(|error| error.within(field, index))?;
        }
    }
    for (index, pod) in case.pending.iter().enumerate() {
        let taken = reader.add_question(pod.get());
        taken.map_err(|error| error.within("pending", index))?;
    }
    let (objects, pending) = reader.finish_with_questions()?;
    Ok(Case { id: case.id.to_string(), objects, pending })
}

/// Whoever reads lines knows their numbers.
fn in_one_line(mut error: ManifestError) -> ManifestError {
    if let Some(Location::Position { line: 1, column }) = error.location {
        error.location = Some(Location::Column(column));
    }
    error
}

#[cfg(test)]
mod tests;
