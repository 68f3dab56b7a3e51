use super::{Builder, GroupHealth, Timestamp, at, just_after, world};

/// One node, and a target that an order raised.
fn ordered(target: u32, increase: u32, at: Timestamp) -> Builder {
    world().group("a", 0..=9).member("n").target(target).ordered("a", increase, at)
}

#[test]
fn an_order_is_open_until_nothing_is_upcoming() {
    ordered(3, 2, at(-3)).check(|state| {
        assert_eq!(super::open_orders(state).len(), 1);
        assert_eq!(state.groups[0].upcoming, 2);
    });
    ordered(1, 2, at(-3)).check(|state| assert!(super::open_orders(state).is_empty()));
    ordered(1, 2, at(-30)).check(|state| {
        assert!(super::open_orders(state).is_empty());
        assert_eq!(state.groups[0].health, GroupHealth::Healthy);
    });
}

#[test]
fn an_order_has_the_provision_time() {
    let exactly = ordered(3, 2, at(-15));
    exactly.check(|state| {
        assert_eq!(state.repairs, []);
        assert_eq!(state.groups[0].upcoming, 2);
    });
    ordered(3, 2, just_after(-15, -1)).check(|state| {
        assert_eq!(super::show(&state.repairs[0]), "lower a 3 to 1");
        let expected = "ordered machines did not arrive within max-node-provision-time (15m)";
        assert_eq!(super::words(&state.repairs[0]), expected);
        let group = &state.groups[0];
        assert_eq!((group.upcoming, group.target), (0, 1));
        assert_eq!(group.health, GroupHealth::Backoff { until: at(5), code: "timeout".into() });
        assert!(super::open_orders(state).is_empty());
    });
}

#[test]
fn what_arrived_of_an_order_is_kept() {
    // Four were ordered, two came.
    let partly = world().group("a", 0..=9).members("n", 3).target(5).order("a", 4, -20);
    assert_eq!(partly.repairs(), ["lower a 5 to 3"]);
}

#[test]
fn no_more_is_taken_off_than_was_ordered() {
    // Somebody else has asked for two more, and those are still in time.
    ordered(4, 1, at(-20)).check(|state| {
        assert_eq!(state.repairs.iter().map(super::show).collect::<Vec<_>>(), ["lower a 4 to 3"]);
        assert_eq!(state.groups[0].upcoming, 2);
    });
}

#[test]
fn machines_that_are_deleted_are_not_taken_off_twice() {
    let late = || {
        world()
            .group("a", 0..=9)
            .member("n")
            .machine("sim://x", |instance| instance.created = Some(at(-20)))
            .order("a", 2, -20)
    };
    late().check(|state| {
        assert_eq!(state.repairs.len(), 1);
        assert_eq!(state.groups[0].target, 1);
        assert!(matches!(state.groups[0].health, GroupHealth::Backoff { .. }));
    });
    assert_eq!(late().target(3).repairs(), ["delete sim://x of a", "lower a 2 to 1"]);
}

#[test]
fn a_machine_in_time_by_its_own_clock_keeps_its_late_order_open() {
    let slow = |created| {
        world()
            .group("a", 0..=9)
            .machine("sim://x", |instance| instance.created = Some(at(created)))
            .order("a", 1, -20)
    };
    slow(-10).check(|state| {
        assert_eq!(state.repairs, []);
        assert_eq!(super::open_orders(state).len(), 1);
        assert_eq!(state.groups[0].health, GroupHealth::Healthy);
    });
    slow(-16).check(|state| {
        assert_eq!(state.repairs.len(), 1);
        assert!(super::open_orders(state).is_empty());
        assert!(matches!(state.groups[0].health, GroupHealth::Backoff { .. }));
    });
}

#[test]
fn a_late_order_that_arrived_is_not_blamed_for_the_next_one() {
    let two =
        world().group("a", 0..=9).members("n", 2).target(5).order("a", 2, -20).order("a", 3, -2);
    two.check(|state| {
        assert_eq!(state.repairs, []);
        assert_eq!(state.groups[0].upcoming, 3);
        assert_eq!(state.groups[0].health, GroupHealth::Healthy);
        let open: Vec<_> = super::open_orders(state).iter().map(ToString::to_string).collect();
        assert_eq!(open, ["order-1"]);
    });
}

#[test]
fn machines_that_are_listed_for_an_order_leave_the_rest_to_the_earlier_one() {
    // The later order's three are listed, so the two that nobody lists are the earlier one's.
    let mut two = world().group("a", 0..=9).order("a", 4, -20).order("a", 3, -2);
    for id in ["sim://1", "sim://2", "sim://3"] {
        two = two.machine(id, |_| ());
    }
    two.target(5).check(|state| {
        assert_eq!(super::show(&state.repairs[0]), "lower a 5 to 3");
        assert_eq!(state.groups[0].upcoming, 3);
        assert_eq!(super::open_orders(state).len(), 1);
    });
}

#[test]
fn another_groups_late_order_changes_nothing() {
    let other = ordered(3, 2, at(-20)).group("b", 0..=9).member("b-0").target(3).order("b", 2, -1);
    other.check(|state| {
        assert_eq!((state.groups[1].upcoming, state.groups[1].target), (2, 3));
        assert_eq!(state.groups[1].health, GroupHealth::Healthy);
        assert_eq!(super::open_orders(state).len(), 1);
    });
}
