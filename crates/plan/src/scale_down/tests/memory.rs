//! What the next pass remembers, and what the plan says it saves.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_model::{Consolidation, Effect, Money, Replacement, Symbol, Taint};

use super::{Builder, at, world};
use crate::Place;

#[test]
fn clocks_start_run_and_stop() {
    let world = world().fixed().group("g", 0..=9).busy_node("new").node("old");
    let world = world.node("needed").pod("p", 3000).remember(|memory| {
        memory.unneeded_since.insert(Symbol::new("vanished"), at(-30));
    });
    let world = world.set(|settings| settings.parallelism = 0);
    let since = world.plan().memory.unneeded_since;
    let since: Vec<_> = since.iter().map(|(node, since)| (node.as_str(), *since)).collect();
    assert_eq!(since, [("new", at(0)), ("old", at(-30))]);
}

#[test]
fn a_departure_is_remembered_with_the_pods_it_moves() {
    let world = world().fixed().group("g", 0..=9).node("a").pod("p", 100).remember(|memory| {
        let pod =
            |name: &str| plimsoll_model::PodName { namespace: "default".into(), name: name.into() };
        memory.recent_evictions.insert(pod("long-ago"), at(-5));
        memory.recent_evictions.insert(pod("lately"), at(-4));
    });
    let memory = world.plan().memory;
    assert_eq!(memory.last_scale_down, Some(at(0)));
    assert_eq!(memory.group_activity[&Symbol::new("g")].scale_down, Some(at(0)));
    let evicted: Vec<_> =
        memory.recent_evictions.iter().map(|(pod, at)| (&*pod.name, *at)).collect();
    assert_eq!(evicted, [("lately", at(-4)), ("p", at(0))]);
    // The node has not gone yet; should it fail to, its clock has not been lost.
    assert_eq!(memory.unneeded_since[&Symbol::new("a")], at(-30));
}

#[test]
fn nothing_is_remembered_where_nothing_leaves() {
    let memory = world().group("g", 1..=9).node("a").plan().memory;
    assert_eq!((memory.last_scale_down, memory.group_activity.len()), (None, 0));
}

#[test]
fn what_leaves_is_not_paid_for() {
    let world =
        world().group("g", 0..=9).change_group(|group| group.price = Some(Money::from_micros(7)));
    let cost = world.node("a").node("b").busy_node("c").plan().cost;
    assert_eq!((cost.before.micros(), cost.after.micros()), (21, 7));
}

/// Two dear nodes with three pods each are replaced by two cheap ones, and may leave one after the other. While the first is
/// drained, the pods that it loses must not be taken for ones that need the second.
#[test]
fn a_replacement_is_not_forgotten_while_the_first_of_its_nodes_is_drained() {
    let pods = |world: Builder, name: &str| {
        (1..=3).fold(world, |world, number| world.pod(&format!("{name}-{number}"), 1000))
    };
    let world = world().group("dear", 0..=9).busy_node("dear-a").change_node(|node| {
        node.taints = Box::new([Taint {
            key: "ToBeDeletedByClusterAutoscaler".into(),
            value: "1".into(),
            effect: Effect::NoSchedule,
        }]);
    });
    let world = pods(pods(world, "a").busy_node("dear-b"), "b");
    let world = world.group("cheap", 0..=9).busy_node("cheap-a").busy_node("cheap-b");
    let nodes = BTreeSet::from([Symbol::new("dear-b")]);
    let groups = BTreeMap::from([(Symbol::new("cheap"), 2)]);
    let replacement = Replacement { nodes, groups, at: at(-1) };
    let world = world.set(|settings| {
        settings.drain_parallelism = 1;
        settings.consolidation = Consolidation::Cost;
    });
    let world = world.remember(|memory| memory.replacement = Some(replacement.clone()));
    let plan = world.plan();
    assert_eq!(plan.memory.replacement, Some(replacement), "{:?}", plan.blocked);
    assert!(
        plan.placements
            .iter()
            .all(|placement| placement.node != Place::Existing(Symbol::new("dear-b")))
    );
}
