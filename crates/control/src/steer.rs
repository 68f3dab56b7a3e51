//! Groups that pods are to keep away from: which of their nodes have to be tainted, and which have to lose the taint.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use plimsoll_cluster::taints::Advice;
use plimsoll_model::{Effect, Group, InstanceState, Node, Symbol, Taint};
use plimsoll_provider::{Inventory, Steer};
use rustc_hash::FxHashMap;

/// The groups whose providers have something to say about it. A group that cannot be read is left as it is.
pub(crate) fn wishes(inventory: &Inventory) -> BTreeMap<Symbol, Steer> {
    let readable = inventory.groups.iter().filter(|state| state.group.frozen.is_none());
    readable.filter_map(|state| Some((state.group.id, state.overrides.steer.clone()?))).collect()
}

/// Why pods keep away from groups, for those who ask.
pub(crate) fn reasons(wishes: &BTreeMap<Symbol, Steer>) -> BTreeMap<Symbol, String> {
    let reason = |steer: &Steer| {
        let (taint, why) = (taint(steer), steer.why.as_ref()?);
        let (key, value, effect) = (taint.key, taint.value, taint.effect.as_str());
        Some(format!("pods are kept away from its nodes by {key}={value}:{effect}: {why}"))
    };
    wishes.iter().filter_map(|(group, steer)| Some((*group, reason(steer)?))).collect()
}

/// What to change now, a few at a time: those that are to be free for pods come first.
pub(crate) fn changes(
    wishes: &BTreeMap<Symbol, Steer>,
    nodes: &[Arc<Node>],
    groups: &[Group],
    busy: &BTreeSet<Symbol>,
    most: usize,
) -> Vec<(Symbol, Taint, Advice)> {
    if wishes.is_empty() {
        return Vec::new();
    }
    let here: FxHashMap<Symbol, &Arc<Node>> = nodes.iter().map(|node| (node.name, node)).collect();
    let mut changes = Vec::new();
    for group in groups {
        let Some(steer) = wishes.get(&group.id) else { continue };
        let staying = |state| state != InstanceState::Deleting;
        let members = group.instances.iter().filter(|instance| staying(instance.state));
        let members = members.filter_map(|instance| here.get(&instance.node?));
        let members = members.filter(|node| !node.deleting && !busy.contains(&node.name));
        let taint = taint(steer);
        changes.extend(members.filter_map(|node| {
            match (steer.why.is_some(), node.taints.contains(&taint)) {
                (true, false) => Some((node.name, taint, Advice::Given)),
                (false, true) => Some((node.name, taint, Advice::Withdrawn)),
                _ => None,
            }
        }));
    }
    changes.sort_unstable_by_key(|(node, _, advice)| (*advice == Advice::Given, *node));
    changes.truncate(most);
    changes
}

fn taint(steer: &Steer) -> Taint {
    Taint { key: steer.key, value: steer.value, effect: Effect::PreferNoSchedule }
}

#[cfg(test)]
mod tests;
