use plimsoll_model::{Origin, Timestamp, World};

use super::{Builder, at, failure, just_after, observe, show, words, world};

fn stray(created: Option<Timestamp>) -> Builder {
    world().group("a", 0..=9).member("n").machine("sim://x", |instance| instance.created = created)
}

#[test]
fn a_machine_has_its_provision_time_to_become_a_node() {
    stray(Some(at(-15))).check(|state| {
        assert_eq!(state.repairs, []);
        assert_eq!((state.groups[0].upcoming, state.groups[0].target), (1, 2));
    });
    stray(Some(just_after(-15, -1))).check(|state| {
        assert_eq!(state.repairs.iter().map(show).collect::<Vec<_>>(), ["delete sim://x of a"]);
        let expected = "no node for 15m 1s, longer than max-node-provision-time (15m)";
        assert_eq!(words(&state.repairs[0]), expected);
        assert_eq!((state.groups[0].upcoming, state.groups[0].target), (0, 1));
    });
}

#[test]
fn a_machine_of_unknown_age_is_as_old_as_our_knowledge_of_it() {
    let key = || ("a".into(), "sim://x".into());
    stray(None).check(|state| {
        assert_eq!(state.repairs, []);
        assert_eq!(state.memory.unregistered[&key()].since, at(0));
    });
    let seen = |minutes| stray(None).seen("sim://x", minutes, Origin::Ordered);
    assert_eq!(seen(-15).repairs(), [""; 0]);
    assert_eq!(seen(-16).repairs(), ["delete sim://x of a"]);
    seen(-16).check(|state| assert_eq!(state.memory.unregistered[&key()].since, at(-16)));
}

#[test]
fn first_sights_of_machines_that_are_nodes_or_gone_are_forgotten() {
    world()
        .group("a", 0..=9)
        .member("n")
        .seen("sim://n", -5, Origin::Ordered)
        .remember(|memory| {
            let known = memory.unregistered[&("a".into(), "sim://n".into())];
            memory.unregistered.insert(("a".into(), "sim://gone".into()), known);
        })
        .check(|state| assert!(state.memory.unregistered.is_empty()));
}

#[test]
fn a_machine_that_lost_its_node_is_not_deleted_at_once() {
    let lost =
        || stray(Some(at(-120))).change_group(|group| group.instances[1].node = Some("x".into()));
    assert_eq!(lost().repairs(), [""; 0]);
    let seen = lost().watched(-60).seen("sim://x", -16, Origin::Lost);
    assert_eq!(seen.repairs(), ["delete sim://x of a"]);
}

#[test]
fn failed_machines_go_at_once_unless_they_have_a_node() {
    let failed = world()
        .group("a", 0..=9)
        .member("n")
        .change_group(|group| group.instances[0].error = Some(failure("ODD")))
        .machine("sim://x", |instance| instance.error = Some(failure("STOCKOUT")));
    failed.check(|state| {
        assert_eq!(state.repairs.iter().map(show).collect::<Vec<_>>(), ["delete sim://x of a"]);
        assert_eq!(words(&state.repairs[0]), "failed: no machines left (STOCKOUT)");
        assert_eq!((state.groups[0].upcoming, state.groups[0].target), (0, 1));
    });
}

/// One node, a failed and an overdue machine, and a minimum of two.
fn at_minimum() -> Builder {
    world()
        .set(|settings| settings.scale_up.enforce_min = false)
        .group("a", 2..=9)
        .member("n")
        .machine("sim://late", |instance| instance.created = Some(at(-20)))
        .machine("sim://failed", |instance| instance.error = Some(failure("STOCKOUT")))
}

#[test]
fn the_minimum_keeps_broken_machines_unless_a_flag_says_otherwise() {
    at_minimum().check(|state| {
        assert_eq!(
            state.repairs.iter().map(show).collect::<Vec<_>>(),
            ["delete sim://failed of a"]
        );
        // The one that stays is no more coming than the other.
        assert_eq!((state.groups[0].upcoming, state.groups[0].target), (0, 2));
    });
    let forced = at_minimum().set(|settings| settings.scale_up.force_delete_unregistered = true);
    assert_eq!(forced.repairs(), ["delete sim://failed of a", "delete sim://late of a"]);
    let forced = at_minimum()
        .set(|settings| settings.scale_up.force_delete_failed = true)
        .change_group(|group| group.min = 3);
    assert_eq!(forced.repairs(), ["delete sim://failed of a"]);
    assert_eq!(at_minimum().change_group(|group| group.min = 3).repairs(), [""; 0]);
}

#[test]
fn an_enforced_minimum_is_bought_anew_in_the_same_pass() {
    let enforced =
        at_minimum().set(|settings| settings.scale_up.enforce_min = true).change_group(|group| {
            group.instances.pop();
            group.target = 2;
        });
    assert_eq!(enforced.repairs(), ["delete sim://late of a", "raise a 1 to 2"]);
}

#[test]
fn a_provider_whose_clock_is_behind_gets_its_machines_their_time() {
    // Ordered two minutes ago, first seen now, and two hours old by its own account.
    let behind = || stray(Some(at(-120))).order("a", 1, -2).watched(-60);
    assert_eq!(deleted(&behind().unseen()), [""; 0]);
    // From here on it is as old as our knowledge of it.
    let seen = |minutes| deleted(&behind().seen("sim://x", minutes, Origin::Found).unseen());
    assert_eq!(seen(-15), [""; 0]);
    assert_eq!(seen(-16), ["delete sim://x of a"]);
}

fn deleted(world: &World) -> Vec<String> {
    observe(world).repairs.iter().map(show).collect()
}

/// The world a minute later, with what was to be remembered.
fn later(mut world: World) -> World {
    world.memory = observe(&world).memory;
    world.now += super::mins(1);
    world
}

#[test]
fn a_machine_whose_node_is_deleted_has_its_time_from_then_however_old_it_is() {
    // Slicer names no nodes: only the Node's provider id joins the two.
    let mut world = stray(Some(at(-120)))
        .node("x")
        .change_node(|node| node.provider_id = "sim://x".into())
        .unseen();
    assert_eq!(deleted(&world), [""; 0]);
    world = later(world);
    world.nodes.pop();
    for _ in 0..16 {
        assert_eq!(deleted(&world), [""; 0], "{}", world.now);
        world = later(world);
    }
    assert_eq!(deleted(&world), ["delete sim://x of a"]);
    let known = &world.memory.unregistered[&("a".into(), "sim://x".into())];
    assert_eq!((known.since, known.origin), (at(1), Origin::Lost));
}

#[test]
fn an_old_machine_that_a_process_finds_without_a_node_has_its_time_from_then() {
    let mut world = stray(Some(at(-120))).unseen();
    for _ in 0..16 {
        assert_eq!(deleted(&world), [""; 0], "{}", world.now);
        world = later(world);
    }
    assert_eq!(deleted(&world), ["delete sim://x of a"]);
    assert_eq!(world.memory.unregistered[&("a".into(), "sim://x".into())].origin, Origin::Found);
    // A restart remembers since when it was seen, and looks for itself all the same.
    world.memory.watched_since.clear();
    assert_eq!(deleted(&world), [""; 0]);
}

#[test]
fn a_machine_of_an_order_of_ours_owes_a_node_since_it_was_made() {
    let origin =
        |world: World| observe(&world).memory.unregistered[&("a".into(), "sim://x".into())].origin;
    let young = |ordered: &[i64]| {
        let stray = stray(Some(at(-2)));
        ordered.iter().fold(stray, |world, minutes| world.order("a", 1, *minutes)).unseen()
    };
    assert_eq!(origin(young(&[-2])), Origin::Ordered);
    assert_eq!(origin(young(&[])), Origin::Found, "nobody ordered it");
    assert_eq!(origin(young(&[0])), Origin::Found, "it is older than the order");
    let late = || stray(Some(at(-3))).order("a", 1, -3);
    assert_eq!(origin(late().unseen()), Origin::Found, "it may have had a node before we looked");
    assert_eq!(origin(late().watched(-10).unseen()), Origin::Ordered, "its provider was away");
    let ageless = || stray(None).order("a", 1, -3);
    assert_eq!(origin(ageless().unseen()), Origin::Found);
    assert_eq!(origin(ageless().watched(-10).unseen()), Origin::Ordered);
    // It waits for its node since it was made, and for as long as every other one.
    let mut world = young(&[-2]);
    for _ in 0..14 {
        assert_eq!(deleted(&world), [""; 0], "{}", world.now);
        world = later(world);
    }
    assert_eq!(deleted(&world), ["delete sim://x of a"]);
}

#[test]
fn another_machine_of_the_same_id_is_another_machine() {
    let world = stray(Some(at(-60))).watched(-60).order("a", 1, -3);
    let mut world = world.seen("sim://x", -50, Origin::Lost).unseen();
    world.groups[0].instances[1].created = Some(at(-2));
    let known = observe(&world).memory.unregistered[&("a".into(), "sim://x".into())];
    assert_eq!((known.since, known.origin), (at(0), Origin::Ordered));
}
