//! What the next pass remembers, and what the plan says it saves.

use plimsoll_model::{Money, Symbol};

use super::{at, world};

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
