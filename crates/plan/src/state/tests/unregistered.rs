use plimsoll_model::Timestamp;

use super::{Builder, at, failure, just_after, show, words, world};

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
        assert_eq!(state.memory.unregistered_since[&key()], at(0));
    });
    let seen = |minutes| {
        stray(None).remember(|memory| {
            memory.unregistered_since.insert(key(), at(minutes));
        })
    };
    assert_eq!(seen(-15).repairs(), [""; 0]);
    assert_eq!(seen(-16).repairs(), ["delete sim://x of a"]);
    seen(-16).check(|state| assert_eq!(state.memory.unregistered_since[&key()], at(-16)));
}

#[test]
fn first_sights_of_machines_that_are_nodes_or_gone_are_forgotten() {
    world()
        .group("a", 0..=9)
        .member("n")
        .remember(|memory| {
            for id in ["sim://n", "sim://gone"] {
                memory.unregistered_since.insert(("a".into(), id.into()), at(-5));
            }
        })
        .check(|state| assert!(state.memory.unregistered_since.is_empty()));
}

#[test]
fn a_machine_that_lost_its_node_is_not_deleted_at_once() {
    let lost =
        || stray(Some(at(-120))).change_group(|group| group.instances[1].node = Some("x".into()));
    assert_eq!(lost().repairs(), [""; 0]);
    let seen = lost().remember(|memory| {
        memory.unregistered_since.insert(("a".into(), "sim://x".into()), at(-16));
    });
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
    let behind = || stray(Some(at(-120))).order("a", 1, -2);
    assert_eq!(behind().repairs(), [""; 0]);
    let seen = |minutes| {
        behind().remember(|memory| {
            memory.unregistered_since.insert(("a".into(), "sim://x".into()), at(minutes));
        })
    };
    assert_eq!(seen(-1).repairs(), [""; 0]);
    // One that was there before the order is as old as it says.
    assert_eq!(seen(-3).repairs(), ["delete sim://x of a"]);
}
