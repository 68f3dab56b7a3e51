use super::{Builder, GroupHealth, at, world};

fn sick(world: Builder, prefix: &str, count: usize) -> Builder {
    (0..count).fold(world, |world, n| world.member(&format!("{prefix}-{n}")).unready(-30))
}

fn cluster(ready: usize, unready: usize) -> Builder {
    sick(world().group("a", 0..=99).members("ready", ready), "sick", unready)
}

#[test]
fn a_cluster_is_unhealthy_by_both_numbers_only() {
    let healthy = |ready, unready| cluster(ready, unready).check(|state| state.healthy);
    assert!(healthy(0, 3), "three are always fine");
    assert!(!healthy(0, 4));
    assert!(healthy(11, 9), "nine of twenty are forty-five percent");
    assert!(!healthy(10, 9));
    assert!(world().check(|state| state.healthy));
}

#[test]
fn only_unready_nodes_are_at_fault() {
    let young = |world: Builder| world.change_node(|node| node.created = at(-5));
    let fresh = (0..8).fold(world().group("a", 0..=99), |world, n| {
        young(world.member(&format!("n-{n}")).unready(-5))
    });
    fresh.check(|state| {
        assert!(state.healthy);
        assert_eq!(state.groups[0].health, GroupHealth::Healthy);
    });
    let asleep = (0..8).fold(world().group("a", 0..=99), |world, n| {
        world
            .member(&format!("n-{n}"))
            .unready(-60)
            .change_node(|node| node.conditions.suspended = true)
    });
    asleep.check(|state| {
        assert!(state.healthy);
        assert_eq!(state.groups[0].health, GroupHealth::Healthy);
    });
}

#[test]
fn nodes_of_no_group_count_for_the_cluster() {
    let strangers = (0..4).fold(world(), |world, n| world.node(&format!("n-{n}")).unready(-30));
    strangers.check(|state| assert!(!state.healthy));
}

#[test]
fn a_broken_group_does_not_harm_another() {
    let groups = sick(world().group("a", 0..=99), "sick", 4).group("b", 0..=99).members("b", 8);
    groups.check(|state| {
        assert!(state.healthy);
        assert_eq!(state.groups[0].health, GroupHealth::Unhealthy);
        assert_eq!(state.groups[1].health, GroupHealth::Healthy);
    });
}

#[test]
fn a_group_is_unhealthy_by_both_numbers_only() {
    let health = |ready, unready| {
        // Others keep the cluster healthy.
        let others = cluster(ready, unready).group("b", 0..=99).members("b", 30);
        others.check(|state| state.groups[0].health.clone())
    };
    assert_eq!(health(0, 3), GroupHealth::Healthy);
    assert_eq!(health(4, 4), GroupHealth::Unhealthy);
    assert_eq!(health(11, 9), GroupHealth::Healthy);
    assert_eq!(health(10, 9), GroupHealth::Unhealthy);
}

#[test]
fn machines_on_their_way_are_no_fault_and_those_given_up_are() {
    let short = || world().group("a", 0..=99).member("n").target(9);
    short().check(|state| assert_eq!(state.groups[0].health, GroupHealth::Healthy));
    short()
        .gap_since("a", -20)
        .check(|state| assert_eq!(state.groups[0].health, GroupHealth::Unhealthy));
}

#[test]
fn timers_are_kept_in_an_unhealthy_cluster() {
    cluster(1, 4)
        .remember(|memory| {
            memory.unneeded_since.insert("ready-0".into(), at(-40));
            memory.unready_since.insert("sick-0".into(), at(-50));
        })
        .check(|state| {
            assert!(!state.healthy);
            assert_eq!(state.memory.unneeded_since[&"ready-0".into()], at(-40));
            assert_eq!(state.memory.unready_since[&"sick-0".into()], at(-50));
        });
}
