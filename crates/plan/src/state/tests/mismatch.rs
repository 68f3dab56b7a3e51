use super::{Builder, at, just_after, world};

/// One node of five.
fn short() -> Builder {
    world().group("a", 0..=9).member("n").target(5)
}

/// The moment kept, in minutes from noon.
fn kept(world: Builder) -> Option<i64> {
    world.check(|state| {
        let since = state.memory.size_mismatch_since.get(&"a".into());
        since.map(|since| since.duration_since(at(0)).as_mins())
    })
}

#[test]
fn missing_machines_are_given_up_after_the_provision_time() {
    let since = |since| {
        short().remember(|memory| {
            memory.size_mismatch_since.insert("a".into(), since);
        })
    };
    since(at(-15)).check(|state| {
        assert_eq!(state.repairs, []);
        assert_eq!((state.groups[0].upcoming, state.groups[0].target), (4, 5));
    });
    since(just_after(-15, -1)).check(|state| {
        assert_eq!(super::show(&state.repairs[0]), "lower a 5 to 1");
        let expected = "machines have been missing for longer than max-node-provision-time (15m)";
        assert_eq!(super::words(&state.repairs[0]), expected);
        assert_eq!((state.groups[0].upcoming, state.groups[0].target), (0, 1));
    });
}

#[test]
fn the_clock_starts_when_the_difference_is_seen_and_stops_with_it() {
    assert_eq!(kept(short()), Some(0));
    assert_eq!(kept(short().gap_since("a", -7)), Some(-7));
    assert_eq!(kept(short().target(1).gap_since("a", -7)), None);
    assert_eq!(kept(short().target(0).gap_since("a", -7)), Some(-7));
}

#[test]
fn orders_and_arrivals_start_the_clock_anew() {
    assert_eq!(kept(short().gap_since("a", -14).order("a", 2, -3)), Some(-3));
    let arrived = || short().gap_since("a", -20).change_node(|node| node.created = at(-6));
    assert_eq!(kept(arrived()), Some(-6));
    assert_eq!(arrived().repairs(), [""; 0]);
    // A node whose clock is ahead does not.
    let ahead = short().gap_since("a", -20).change_node(|node| node.created = at(6));
    assert_eq!(ahead.repairs(), ["lower a 5 to 1"]);
}

#[test]
fn machines_that_are_listed_are_not_taken_off() {
    let coming = short().machine("sim://x", |_| ()).target(5).gap_since("a", -20);
    coming.check(|state| {
        assert_eq!(super::show(&state.repairs[0]), "lower a 5 to 2");
        assert_eq!((state.groups[0].upcoming, state.groups[0].target), (1, 2));
    });
}

#[test]
fn deletions_come_off_first() {
    let broken = short()
        .machine("sim://x", |instance| instance.created = Some(at(-30)))
        .target(5)
        .gap_since("a", -20);
    assert_eq!(broken.repairs(), ["delete sim://x of a", "lower a 4 to 1"]);
}

#[test]
fn a_minimum_that_nobody_enforces_is_not_undercut() {
    let lax = || short().set(|settings| settings.scale_up.enforce_min = false).gap_since("a", -20);
    assert_eq!(lax().change_group(|group| group.min = 3).repairs(), ["lower a 5 to 3"]);
    lax().change_group(|group| group.min = 5).check(|state| {
        assert_eq!(state.repairs, []);
        assert_eq!((state.groups[0].upcoming, state.groups[0].target), (0, 5));
    });
}
