//! VolumeZone: a volume's zone and region labels have to be the node's.

use plimsoll_model::{Extent, Labels, Plugin, PodVolume, Symbol, Text, label};

use super::Question;
use crate::Rejection;

pub(super) fn judge(question: Question<'_>) -> Option<Rejection> {
    let extent = question.extent(Plugin::VolumeZone);
    if extent == Extent::Off {
        return None;
    }
    let storage = &question.snapshot.storage;
    let node = &question.snapshot.node(question.node).labels;
    for volume in &question.shape.volumes {
        let PodVolume::Claim(name) = volume else {
            continue;
        };
        let Some(claim) = storage.claims.get(&(question.shape.namespace, *name)) else {
            return Some(Rejection::Unzoned { claim: *name });
        };
        let Some(volume) = claim.volume else {
            let class = storage.classes.get(&claim.class);
            if class.is_some_and(|class| class.waits_for_consumer) {
                continue;
            }
            return Some(Rejection::Unzoned { claim: *name });
        };
        let Some(volume) = storage.volume(volume) else {
            return Some(Rejection::Unzoned { claim: *name });
        };
        if extent == Extent::Full
            && let Some((key, wants)) = wrong_zone(&volume.labels, node)
        {
            let wants = wants.clone();
            return Some(Rejection::WrongZone { volume: volume.name, key, wants });
        }
    }
    None
}

/// The volume's label that the node does not agree with. A node without any of the labels agrees with all.
fn wrong_zone<'v>(volume: &'v Labels, node: &Labels) -> Option<(Symbol, &'v Text)> {
    const KEYS: [(&str, Option<&str>); 4] = [
        (label::ZONE, None),
        (label::REGION, None),
        (label::BETA_ZONE, Some(label::ZONE)),
        (label::BETA_REGION, Some(label::REGION)),
    ];
    if !KEYS.iter().any(|(key, _)| node.contains_key(Symbol::new(key))) {
        return None;
    }
    KEYS.iter().find_map(|(name, newer)| {
        let key = Symbol::new(name);
        let wants = volume.get(key)?;
        let mut zones = wants.as_str().split("__");
        if zones.clone().any(str::is_empty) {
            return None;
        }
        let newer = newer.and_then(|newer| node.get(Symbol::new(newer)));
        let has = node.get(key).or(newer);
        let agrees = has.is_some_and(|has| zones.any(|zone| zone == has.as_str()));
        (!agrees).then_some((key, wants))
    })
}
