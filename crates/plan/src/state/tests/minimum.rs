use plimsoll_model::Backoff;

use super::{Builder, at, failure, mins, world};

/// One node of a minimum of three.
fn small() -> Builder {
    world().group("a", 3..=9).member("n")
}

#[test]
fn a_group_below_its_minimum_is_raised() {
    small().check(|state| {
        assert_eq!(state.repairs.iter().map(super::show).collect::<Vec<_>>(), ["raise a 1 to 3"]);
        let group = &state.groups[0];
        assert_eq!((group.target, group.upcoming, group.found_upcoming), (3, 2, 0));
    });
}

#[test]
fn what_is_on_its_way_counts_towards_the_minimum() {
    assert_eq!(small().target(3).repairs(), [""; 0]);
}

#[test]
fn the_flag_turns_it_off() {
    let off = small().set(|settings| settings.scale_up.enforce_min = false);
    assert_eq!(off.repairs(), [""; 0]);
}

#[test]
fn the_maximum_comes_before_the_minimum_and_surplus_is_left_alone() {
    assert_eq!(small().change_group(|group| group.max = 2).repairs(), ["raise a 1 to 2"]);
    assert_eq!(world().group("a", 0..=1).members("n", 3).repairs(), [""; 0]);
}

#[test]
fn a_group_that_rests_waits_for_its_end() {
    let resting = |until| {
        small().remember(|memory| {
            let backoff = Backoff {
                until: at(until),
                step: mins(5),
                failed: at(until - 5),
                code: "X".into(),
            };
            memory.backoff.insert("a".into(), backoff);
        })
    };
    assert_eq!(resting(1).repairs(), [""; 0]);
    assert_eq!(resting(0).repairs(), ["raise a 1 to 3"]);
}

#[test]
fn a_failure_in_this_pass_is_a_rest_too() {
    let failed = small().machine("sim://x", |instance| instance.error = Some(failure("STOCKOUT")));
    assert_eq!(failed.repairs(), ["delete sim://x of a"]);
}

#[test]
fn nothing_is_bought_in_an_unhealthy_cluster_unless_wanted() {
    let sick = || {
        let small = small().group("b", 0..=9);
        (0..4).fold(small, |world, n| world.member(&format!("sick-{n}")).unready(-30))
    };
    sick().check(|state| assert!(!state.healthy));
    assert_eq!(sick().repairs(), [""; 0]);
    let anyway = sick().set(|settings| settings.scale_up.when_unhealthy = true);
    assert_eq!(anyway.repairs(), ["raise a 1 to 3"]);
}

#[test]
fn the_limit_of_nodes_holds_for_all_groups_together() {
    let limited = |nodes| {
        small()
            .group("b", 2..=9)
            .group("c", 0..=9)
            .machine("sim://c", |_| ())
            .node("of nobody")
            .set(|settings| settings.limits.nodes = nodes)
    };
    // Two nodes are there and one is coming.
    assert_eq!(limited(0).repairs(), ["raise a 1 to 3", "raise b 0 to 2"]);
    assert_eq!(limited(6).repairs(), ["raise a 1 to 3", "raise b 0 to 1"]);
    assert_eq!(limited(4).repairs(), ["raise a 1 to 2"]);
    assert_eq!(limited(2).repairs(), [""; 0]);
}

#[test]
fn machines_given_up_are_asked_for_again() {
    let stuck = small().target(3).gap_since("a", -20);
    assert_eq!(stuck.repairs(), ["lower a 3 to 1", "raise a 1 to 3"]);
}
