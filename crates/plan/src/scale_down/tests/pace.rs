//! How many nodes leave at once.

use super::{Builder, world};

/// So many idle nodes, and so many with a pod.
fn nodes(idle: usize, used: usize) -> Builder {
    let world = (0..idle).fold(world().fixed().group("g", 0..=99), |world, number| {
        world.node(&format!("idle-{number}"))
    });
    (0..used).fold(world, |world, number| {
        world.node(&format!("used-{number}")).pod(&format!("p-{number}"), 100)
    })
}

fn leaving(world: &Builder) -> Vec<String> {
    let plan = world.plan();
    // What waits for its turn stays unneeded.
    assert_eq!(plan.unneeded.len(), world.0.memory.unneeded_since.len());
    let waits = plan.blocked.iter().filter(|blocked| format!("{:?}", blocked.reason) == "Budget");
    assert_eq!(waits.count() + plan.retirements.len(), plan.unneeded.len());
    plan.retirements.iter().map(|retirement| retirement.node.to_string()).collect()
}

#[test]
fn so_many_in_all_and_so_many_drains() {
    let world = nodes(2, 3).set(|settings| {
        settings.parallelism = 4;
        settings.drain_parallelism = 1;
    });
    assert_eq!(leaving(&world), ["idle-0", "idle-1", "used-0"]);
    let world = world.set(|settings| settings.drain_parallelism = 9);
    assert_eq!(leaving(&world), ["idle-0", "idle-1", "used-0", "used-1"]);
    let world = world.set(|settings| settings.parallelism = 1);
    assert_eq!(leaving(&world), ["idle-0"]);
}

#[test]
fn deletions_under_way_have_their_part() {
    let going = |world: Builder| {
        let mut world = world.change_node(|node| node.deleting = true);
        let name = world.0.nodes.last().unwrap().name;
        world.0.memory.unneeded_since.remove(&name);
        world.set(|settings| {
            settings.parallelism = 3;
            settings.drain_parallelism = 1;
        })
    };
    // A drain under way leaves no room for another.
    assert_eq!(leaving(&going(nodes(1, 2))), ["idle-0"]);
    // A deletion of an empty node takes one of three places, and no drain.
    assert_eq!(leaving(&going(nodes(0, 2).node("z"))), ["used-0"]);
    assert_eq!(leaving(&going(nodes(4, 0).node("z"))), ["idle-0", "idle-1"]);
}

#[test]
fn a_share_of_a_group_and_at_least_one() {
    let share = |percent| nodes(10, 0).set(move |settings| settings.group_share_percent = percent);
    assert_eq!(leaving(&share(100)).len(), 10);
    assert_eq!(leaving(&share(35)).len(), 3);
    assert_eq!(leaving(&share(1)).len(), 1);
    assert_eq!(leaving(&share(0)).len(), 1);
}

#[test]
fn one_atomic_group_may_be_larger_than_the_pace() {
    let atomic = |world: Builder, id: &str| {
        let world = world.group(id, 0..=9).change_group(|group| group.options.atomic = true);
        ["0", "1", "2"].iter().fold(world, |world, number| world.node(&format!("{id}-{number}")))
    };
    let world = atomic(atomic(nodes(1, 0), "s"), "t").set(|settings| settings.parallelism = 2);
    assert_eq!(leaving(&world), ["s-0", "s-1", "s-2"]);
    let world = world.set(|settings| settings.parallelism = 0);
    assert!(leaving(&world).is_empty());
}
