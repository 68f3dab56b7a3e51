use plimsoll_model::{Backoff, ScaleUpSettings};

use super::{Builder, GroupHealth, at, failure, just_after, mins, world};
use crate::state::backoff::{after_failure, recalled};

/// A backoff that began at `failed` and lasts `step` minutes.
fn backoff(failed: i64, step: i64) -> Backoff {
    Backoff { until: at(failed + step), step: mins(step), failed: at(failed), code: "OLD".into() }
}

/// A group with such a backoff and a failed machine that was made then.
fn failing(last: Option<Backoff>, created: Option<i64>) -> Builder {
    world()
        .group("a", 0..=9)
        .machine("sim://x", |instance| {
            instance.created = created.map(at);
            instance.error = Some(failure("STOCKOUT"));
        })
        .group("b", 0..=9)
        .remember(|memory| memory.backoff.extend(last.map(|last| ("a".into(), last))))
}

/// Step in minutes, end in minutes from noon, code.
fn shown(world: Builder) -> Option<(i64, i64, String)> {
    world.check(|state| {
        state.memory.backoff.get(&"a".into()).map(|backoff| {
            let end = backoff.until.duration_since(at(0)).as_mins();
            (backoff.step.as_mins(), end, backoff.code.to_string())
        })
    })
}

#[test]
fn the_steps_of_the_table() {
    let settings = ScaleUpSettings::default();
    let next = |last: Option<Backoff>| {
        let next = after_failure(last.as_ref(), "NEW", &settings, at(0));
        (next.step.as_mins(), next.until.duration_since(at(0)).as_mins())
    };
    assert_eq!(next(None), (5, 5));
    assert_eq!(next(Some(backoff(-4, 5))), (5, 5));
    assert_eq!(next(Some(backoff(-5, 5))), (10, 10));
    assert_eq!(next(Some(backoff(-60, 10))), (20, 20));
    assert_eq!(next(Some(backoff(-60, 20))), (30, 30));
    assert_eq!(next(Some(backoff(-60, 30))), (30, 30));
}

#[test]
fn a_failure_during_a_longer_rest_does_not_shorten_it() {
    let last = Backoff { until: at(20), ..backoff(-1, 5) };
    let next = after_failure(Some(&last), "NEW", &ScaleUpSettings::default(), at(0));
    assert_eq!(next.until, at(20));
}

#[test]
fn it_is_forgotten_three_hours_after_the_last_failure() {
    let settings = ScaleUpSettings::default();
    let last = backoff(-180, 5);
    assert_eq!(recalled(Some(&last), &settings, just_after(0, -1)), Some(last.clone()));
    assert_eq!(recalled(Some(&last), &settings, at(0)), None);
    let resting = Backoff { until: at(1), ..last };
    assert_eq!(recalled(Some(&resting), &settings, at(0)), Some(resting));
    // The next failure is a first one again.
    assert_eq!(shown(failing(Some(backoff(-180, 30)), Some(-1))), Some((5, 5, "STOCKOUT".into())));
}

#[test]
fn a_group_rests_until_the_end_and_not_longer() {
    let health = |last| {
        let world = world().group("a", 0..=9).remember(|memory| {
            memory.backoff.insert("a".into(), last);
        });
        world.check(|state| (state.groups[0].health.clone(), state.memory.backoff.len()))
    };
    let resting = GroupHealth::Backoff { until: at(1), code: "OLD".into() };
    assert_eq!(health(backoff(-4, 5)), (resting, 1));
    assert_eq!(health(backoff(-5, 5)), (GroupHealth::Healthy, 1));
    assert_eq!(health(backoff(-180, 5)), (GroupHealth::Healthy, 0));
}

#[test]
fn only_machines_made_after_the_last_failure_are_news() {
    let first = failing(None, Some(-30));
    first.check(|state| {
        let resting = GroupHealth::Backoff { until: at(5), code: "STOCKOUT".into() };
        assert_eq!(state.groups[0].health, resting);
        assert_eq!(state.groups[1].health, GroupHealth::Healthy);
    });
    let old = Some((5, 3, "OLD".into()));
    assert_eq!(shown(failing(Some(backoff(-2, 5)), Some(-2))), old);
    assert_eq!(shown(failing(Some(backoff(-2, 5)), Some(-1))), Some((5, 5, "STOCKOUT".into())));
    // The rest is over, and the machine has still not been deleted.
    assert_eq!(shown(failing(Some(backoff(-9, 5)), Some(-9))), Some((5, -4, "OLD".into())));
    assert_eq!(shown(failing(Some(backoff(-9, 5)), Some(-1))), Some((10, 10, "STOCKOUT".into())));
}

#[test]
fn a_failed_machine_of_unknown_age_counts_once() {
    let mut world = failing(None, None).build();
    for minutes in 0..120 {
        world.now = at(minutes);
        let state = super::observe(&world);
        assert_eq!(state.memory.backoff[&"a".into()].failed, at(0));
        assert_eq!(state.groups[0].health == GroupHealth::Healthy, minutes >= 5);
        world.memory = state.memory;
    }
}

#[test]
fn machines_with_different_codes_do_not_keep_a_group_resting() {
    let mut world = failing(None, Some(-1)).build();
    let mut other = world.groups[0].instances[0].clone();
    other.id = "sim://y".into();
    other.error = Some(failure("QUOTA"));
    world.groups[0].instances.push(other);
    world.groups[0].target = 2;
    for minutes in 0..30 {
        world.now = at(minutes);
        let state = super::observe(&world);
        assert_eq!(state.groups[0].health == GroupHealth::Healthy, minutes >= 5);
        world.memory = state.memory;
    }
}
