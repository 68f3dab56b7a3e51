//! Machines that lost their nodes, or that were found without one: few are deleted for it, and none on the word of an API server
//! that contradicts the whole inventory.

use plimsoll_model::{InstanceState, Origin, SignedDuration, World};

use super::{Builder, at, failure, mins, observe, show, world};
use crate::plan::{Contradiction, Held, HoldReason, Repair};

/// `count` machines of a day's age without a node.
fn old_machines(world: Builder, prefix: &str, count: usize) -> Builder {
    (0..count).fold(world, |world, number| {
        world.machine(&format!("sim://{prefix}-{number}"), |instance| {
            instance.state = InstanceState::Running;
            instance.created = Some(at(-1440));
        })
    })
}

/// A group with so many nodes, and so many old machines without one.
fn fleet(nodes: usize, without: usize) -> World {
    let world = world().group("a", 0..=100).members("n", nodes);
    old_machines(world, "x", without).unseen()
}

/// One pass: what is deleted goes, what is to be remembered is, and a minute passes.
fn step(world: &mut World) -> Vec<String> {
    let state = observe(world);
    let (repairs, memory) = (state.repairs, state.memory);
    for repair in &repairs {
        if let Repair::DeleteInstance { group, instance, .. } = repair {
            let group = world.groups.iter_mut().find(|one| one.id == *group).unwrap();
            group.instances.retain(|one| one.id != *instance);
            group.target -= 1;
        }
    }
    world.memory = memory;
    world.now += mins(1);
    repairs.iter().map(show).collect()
}

/// What is deleted within so many hours, hour by hour.
fn hourly(world: &mut World, hours: usize) -> Vec<usize> {
    let hour = |world: &mut World| (0..60).map(|_| step(world).len()).sum();
    (0..hours).map(|_| hour(world)).collect()
}

/// The nodes of machines vanish; what was known of them in this process stays known.
fn delete_nodes(world: &mut World, count: usize) {
    step(world);
    let left = world.nodes.len() - count;
    world.nodes.truncate(left);
    for machine in &mut world.groups[0].instances {
        // As where the provider names no nodes.
        machine.node =
            machine.node.filter(|name| world.nodes.iter().any(|node| node.name == *name));
    }
}

#[test]
fn an_empty_cluster_deletes_none_of_the_machines_that_it_does_not_know() {
    let mut world = fleet(0, 3);
    assert_eq!(hourly(&mut world, 23), [0; 23]);
    let state = observe(&world);
    let expected = Contradiction { machines: 3, without_node: 3, since: at(0) };
    assert_eq!(state.contradiction, Some(expected));
    let held = Held { machines: 3, reason: HoldReason::Contradiction };
    assert_eq!(state.groups[0].held, Some(held));
    assert_eq!(state.groups[0].upcoming, 0, "pods do not wait for them");
    assert_eq!(state.groups[0].target, 3);
}

#[test]
fn what_has_stood_for_long_is_believed_and_even_then_one_goes_an_hour() {
    let mut world = fleet(0, 3);
    assert_eq!(hourly(&mut world, 24), [0; 24]);
    let deleted = hourly(&mut world, 4);
    assert_eq!(deleted.iter().sum::<usize>(), 3, "{deleted:?}");
    assert!(deleted.iter().all(|count| *count <= 1), "{deleted:?}");
}

#[test]
fn a_time_in_which_nobody_looked_proves_nothing() {
    let mut world = fleet(0, 3);
    assert_eq!(hourly(&mut world, 2), [0; 2]);
    world.now += SignedDuration::from_hours(30);
    assert_eq!(hourly(&mut world, 23), [0; 23]);
    // One that looks again and again, restarts between, does prove it.
    let mut world = fleet(0, 3);
    for _ in 0..22 {
        assert_eq!(hourly(&mut world, 1), [0]);
        world.memory.watched_since.clear();
        world.memory.registered = std::sync::Arc::default();
        world.now += mins(5);
    }
    assert_eq!(hourly(&mut world, 1), [1]);
}

#[test]
fn a_person_can_confirm_the_cluster_by_its_uid_and_no_other() {
    let mut world = fleet(0, 3);
    world.settings.confirmed_cluster = Some("uid".into());
    assert_eq!(hourly(&mut world, 2), [0; 2], "nobody knows which cluster it is");
    world.cluster_uid = Some("another".into());
    assert_eq!(hourly(&mut world, 2), [0; 2]);
    world.cluster_uid = Some("uid".into());
    assert!(observe(&world).contradiction.is_none());
    let deleted = hourly(&mut world, 3);
    assert_eq!((deleted.iter().sum::<usize>(), deleted[0]), (3, 1));
}

#[test]
fn an_api_server_that_is_rebuilt_under_our_eyes_deletes_nothing() {
    let mut world = fleet(20, 0);
    delete_nodes(&mut world, 20);
    assert_eq!(hourly(&mut world, 20), [0; 20]);
    // Most of them register again: of the few that do not, the hourly share goes.
    let names: Vec<_> = (0..18).map(|number| format!("n-{number}")).collect();
    for name in &names {
        let node = super::node(name);
        let node = plimsoll_model::Node { provider_id: format!("sim://{name}").into(), ..node };
        world.nodes.push(std::sync::Arc::new(node));
    }
    let state = observe(&world);
    assert!(state.contradiction.is_none() && state.memory.contradiction.is_none());
    assert_eq!(step(&mut world), ["delete sim://n-18 of a", "delete sim://n-19 of a"]);
}

#[test]
fn of_nodes_that_are_deleted_by_the_dozen_a_tenth_of_the_machines_goes_an_hour() {
    let mut world = fleet(40, 0);
    delete_nodes(&mut world, 20);
    let deleted = hourly(&mut world, 6);
    assert_eq!(deleted[0], 4, "{deleted:?}");
    assert!(deleted.iter().all(|count| *count <= 4), "{deleted:?}");
    let state = observe(&world);
    let reason = HoldReason::HourlyLimit;
    assert!(state.groups[0].held.is_some_and(|held| held.reason == reason));
}

#[test]
fn the_limit_holds_for_each_group_and_for_all_together() {
    let mut world = world().group("a", 0..=100).members("a", 10);
    world = old_machines(world, "ax", 5).group("b", 0..=100).members("b", 10);
    let mut world = old_machines(world, "bx", 5).group("c", 0..=100).members("c", 5).unseen();
    // Thirty-five machines: three an hour. Fifteen in a group: one.
    let deleted: Vec<String> = (0..60).flat_map(|_| step(&mut world)).collect();
    assert_eq!(deleted, ["delete sim://ax-0 of a", "delete sim://bx-0 of b"]);
}

#[test]
fn a_node_deleted_with_kubectl_costs_its_machine_after_a_while_in_the_smallest_cluster() {
    for nodes in [1, 2, 3] {
        let mut world = fleet(nodes, 0);
        delete_nodes(&mut world, 1);
        let begun = world.now;
        let deleted = hourly(&mut world, 1);
        assert_eq!(deleted, [1], "of {nodes}");
        let (_, at) = world.memory.lost_deletions.iter().next().unwrap();
        assert_eq!(at.duration_since(begun), mins(16), "of {nodes}");
    }
}

#[test]
fn a_machine_that_was_alone_before_anybody_looked_is_not_deleted() {
    let mut world = fleet(0, 1);
    assert_eq!(hourly(&mut world, 5), [0; 5]);
}

#[test]
fn machines_of_our_own_orders_that_do_not_boot_all_go_at_once() {
    let boots = (0..10).fold(world().group("a", 0..=100), |world, number| {
        world.machine(&format!("sim://{number}"), |instance| instance.created = Some(at(-16)))
    });
    assert_eq!(boots.repairs().len(), 10);
    let failed = (0..10).fold(world().group("a", 0..=100), |world, number| {
        world.machine(&format!("sim://{number}"), |instance| {
            instance.error = Some(failure("BOOT"));
        })
    });
    assert_eq!(failed.repairs().len(), 10);
}

#[test]
fn old_machines_that_failed_count_towards_the_limit() {
    let world = world().group("a", 0..=100).members("n", 30);
    let mut world = old_machines(world, "x", 10).unseen();
    for machine in &mut world.groups[0].instances[30..] {
        machine.error = Some(failure("Stopped"));
    }
    assert_eq!(hourly(&mut world, 1), [4]);
}

#[test]
fn what_is_wanted_again_before_it_has_come_about_counts_once() {
    let mut world = fleet(9, 3);
    for machine in &world.groups[0].instances[9..] {
        let entry = plimsoll_model::Unregistered {
            since: at(-30),
            created: machine.created,
            origin: Origin::Lost,
        };
        world.memory.unregistered.insert(("a".into(), machine.id.clone()), entry);
    }
    world.memory.watched_since.insert("a".into(), at(-60));
    let wanted = |world: &World| observe(world).repairs.iter().map(show).collect::<Vec<_>>();
    let first = wanted(&world);
    assert_eq!(first, ["delete sim://x-0 of a"]);
    for _ in 0..50 {
        world.memory = observe(&world).memory;
        world.now += mins(1);
        assert_eq!(wanted(&world), first, "nobody has done it yet");
    }
}

#[test]
fn groups_that_cannot_be_read_say_nothing_about_the_rest() {
    let away = old_machines(world().group("away", 0..=100), "x", 10);
    let away = away.change_group(|group| group.frozen = Some("away".into()));
    let mut world = old_machines(away.group("a", 0..=100).members("n", 3), "y", 1).unseen();
    assert_eq!(observe(&world).contradiction, None);
    assert_eq!(hourly(&mut world, 1), [1]);
}

/// A group with a minimum of three nodes, one of which is deleted.
fn one_of_three_deleted() -> World {
    let mut world = world().group("a", 3..=9).members("n", 3).unseen();
    delete_nodes(&mut world, 1);
    world
}

fn wanted(world: &World) -> Vec<String> {
    observe(world).repairs.iter().map(show).collect()
}

#[test]
fn a_machine_whose_node_was_deleted_is_counted_on_only_as_long_as_a_kubelet_takes_to_restart() {
    let mut world = one_of_three_deleted();
    world.memory = observe(&world).memory;
    world.now += SignedDuration::from_secs(9);
    let state = observe(&world);
    assert_eq!((state.groups[0].upcoming, state.groups[0].astray), (1, 0));
    assert_eq!(state.repairs, []);
    world.now += SignedDuration::from_secs(1);
    let state = observe(&world);
    let group = &state.groups[0];
    assert_eq!((group.found_upcoming, group.astray, group.target), (0, 1, 4), "it is replaced");
    assert_eq!(wanted(&world), ["raise a 3 to 4"], "and not deleted");
    // What was ordered in its place counts, so that it is ordered once.
    world.groups[0].target = 4;
    assert_eq!(wanted(&world), [""; 0]);
    // A group at its maximum waits until the machine is deleted.
    (world.groups[0].target, world.groups[0].max) = (3, 3);
    assert_eq!(wanted(&world), [""; 0]);
}

#[test]
fn a_node_that_comes_back_makes_its_machine_count_again() {
    let mut world = one_of_three_deleted();
    world.memory = observe(&world).memory;
    world.now += mins(1);
    assert_eq!(observe(&world).groups[0].astray, 1);
    let name = "n-2";
    let node = plimsoll_model::Node {
        provider_id: format!("sim://{name}").into(),
        created: world.now,
        ..super::node(name)
    };
    world.nodes.push(std::sync::Arc::new(node));
    let state = observe(&world);
    assert_eq!((state.groups[0].astray, state.repairs.len()), (0, 0));
}

#[test]
fn an_api_server_that_lost_most_nodes_does_not_make_us_order_them_again() {
    let mut world = world().group("a", 20..=50).members("n", 20).unseen();
    delete_nodes(&mut world, 11);
    for _ in 0..14 {
        let state = observe(&world);
        assert!(state.contradiction.is_some());
        assert_eq!((state.groups[0].upcoming, state.groups[0].astray), (11, 0));
        assert_eq!(step(&mut world), [""; 0]);
    }
}
