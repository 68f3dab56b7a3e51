//! What nodes of a group looked like when there last were any (`node-info-cache-expire-time`).
//!
//! A provider's word about a new node says little of what comes onto it later: labels that somebody adds, devices that drivers
//! publish, static pods. So a group that has gone to zero is judged by its last nodes, as long as its provider says the same
//! of it as then. A group that was changed in the meantime is not.

use std::{collections::BTreeMap, sync::Arc};

use plimsoll_model::{
    Conditions, Exemplar, Group, Node, Remembered, Symbol, TaintSettings, Timestamp, World,
};

use crate::{
    scene::Scene,
    template::{Template, cleaned},
};

/// By group of the World: what is remembered of its nodes and still holds.
pub(crate) fn recall(world: &World) -> Vec<Option<&Arc<Exemplar>>> {
    world.groups.iter().map(|group| recalled(world, group)).collect()
}

fn recalled<'w>(world: &'w World, group: &Group) -> Option<&'w Arc<Exemplar>> {
    let time = world.settings.models.remembered;
    let Remembered { exemplar, gone_since } = world.memory.exemplars.get(&group.id)?;
    let fresh = gone_since.is_none_or(|since| world.now.duration_since(since) <= time);
    let taints = &world.settings.taints;
    let unchanged = || {
        let now = group.template.as_deref().map(|node| anonymous(node, taints));
        let then = exemplar.template.as_ref().map(|node| anonymous(node, taints));
        now == then
    };
    (!time.is_zero() && fresh && unchanged()).then_some(exemplar)
}

/// A node as another of its group would be: without all that is its own.
pub(crate) fn anonymous(node: &Node, taints: &TaintSettings) -> Node {
    Node {
        provider_id: "".into(),
        created: Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
        ..cleaned(node, taints)
    }
}

/// What the next pass remembers: what nodes look like now, where there are any, and what they looked like elsewhere.
pub(crate) fn remember(scene: &Scene<'_>) -> BTreeMap<Symbol, Remembered> {
    let world = scene.state.world;
    if world.settings.models.remembered.is_zero() {
        return BTreeMap::new();
    }
    let groups = world.groups.iter().zip(&scene.templates).zip(&scene.state.recalled);
    groups
        .filter_map(|((group, template), recalled)| {
            let before = world.memory.exemplars.get(&group.id);
            let seen = template.as_ref().and_then(Template::exemplar);
            Some((group.id, carry_on(before, seen, *recalled, world.now)?))
        })
        .collect()
}

fn carry_on(
    before: Option<&Remembered>,
    seen: Option<&Arc<Exemplar>>,
    recalled: Option<&Arc<Exemplar>>,
    now: Timestamp,
) -> Option<Remembered> {
    match seen {
        Some(seen) => {
            let same = before.map(|before| &before.exemplar).filter(|before| *before == seen);
            Some(Remembered { exemplar: Arc::clone(same.unwrap_or(seen)), gone_since: None })
        }
        None => recalled.map(|exemplar| Remembered {
            exemplar: Arc::clone(exemplar),
            gone_since: before.and_then(|before| before.gone_since).or(Some(now)),
        }),
    }
}
