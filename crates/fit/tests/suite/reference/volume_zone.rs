//! VolumeZone: a volume with zone or region labels is reached only from there.

use plimsoll_model::{Node, PodShape, Symbol, Volume, label};

use super::{Cluster, claims};

/// The labels that say where a volume or a node is, each with its present-day name.
const PLACES: [(&str, &str); 4] = [
    (label::ZONE, label::ZONE),
    (label::REGION, label::REGION),
    (label::BETA_ZONE, label::ZONE),
    (label::BETA_REGION, label::REGION),
];

pub(super) fn rejects(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    let mut volumes = Vec::new();
    for mount in claims::mounts(cluster, pod) {
        if mount.ephemeral {
            continue;
        }
        let Some(claim) = mount.claim else {
            return true;
        };
        match claim.volume {
            Some(name) => match cluster.storage.volume(name) {
                Some(volume) => volumes.push(volume),
                None => return true,
            },
            None if claims::waits_for_consumer(cluster, claim) => {}
            None => return true,
        }
    }
    let is_somewhere = PLACES.iter().any(|(key, _)| node.labels.contains_key(Symbol::new(key)));
    is_somewhere && volumes.iter().any(|volume| is_elsewhere(volume, node))
}

/// Whether one of the volume's labels excludes the node.
fn is_elsewhere(volume: &Volume, node: &Node) -> bool {
    PLACES.iter().any(|(key, present_day_key)| {
        let Some(places) = volume.labels.get(Symbol::new(key)) else {
            return false;
        };
        let places: Vec<_> = places.as_str().split("__").collect();
        if places.contains(&"") {
            return false;
        }
        let of_node = node.labels.get(Symbol::new(key));
        let of_node = of_node.or_else(|| node.labels.get(Symbol::new(present_day_key)));
        of_node.is_none_or(|place| !places.contains(&place.as_str()))
    })
}
