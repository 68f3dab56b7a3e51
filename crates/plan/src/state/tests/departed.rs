use super::{Builder, Readiness, at, just_after, labels, mins, world};
use crate::plan::Removal;

/// A group with one machine that is well, and the node of another that is gone: silent since then, known to be gone since then.
fn gone(unready: i64, departed: i64) -> Builder {
    let world = world().group("a", 0..=9).member("n").node("ghost").unready(unready).departed("a");
    world.remember(|memory| {
        memory.departed_since.insert("ghost".into(), at(departed));
    })
}

fn removed(world: Builder) -> Vec<Removal> {
    world.check(|state| state.removals.clone())
}

#[test]
fn a_node_is_removed_once_it_is_silent_and_its_machine_gone_for_long_enough() {
    let (node, group, instance) = ("ghost".into(), "a".into(), "sim://ghost".into());
    let expected = Removal { node, group, instance, unready: at(-3) };
    assert_eq!(removed(gone(-3, -3)), [expected]);
    for (unready, departed) in [(-2, -30), (-30, -2), (-1, -1)] {
        assert_eq!(removed(gone(unready, departed)), [], "{unready}, {departed}");
    }
    let patient = gone(-30, -30).set(|settings| settings.scale_down.gone_time = mins(30));
    assert_eq!(removed(patient), []);
}

#[test]
fn nothing_is_removed_that_anything_speaks_for() {
    let alive = gone(-30, -30).change_node(|node| node.conditions.ready = true);
    let asleep = gone(-30, -30).change_node(|node| node.conditions.suspended = true);
    let kept = gone(-30, -30).change_node(|node| node.keep = true);
    let leaving = gone(-30, -30).change_node(|node| node.deleting = true);
    let undated = gone(-30, -30).change_node(|node| node.conditions.ready_since = None);
    let control_plane = gone(-30, -30).change_node(|node| {
        node.labels = labels(&[("node-role.kubernetes.io/control-plane", "true")]);
    });
    let frozen = gone(-30, -30).change_group(|group| group.frozen = Some("away".into()));
    let unknown_group = gone(-30, -30).change_group(|group| group.id = "b".into());
    let claimed = gone(-30, -30).machine("m", |machine| machine.node = Some("ghost".into()));
    let first_sight = world().group("a", 0..=9).node("ghost").unready(-30).departed("a");
    let nobodys = world().group("a", 0..=9).node("ghost").unready(-30);
    let cases = vec![
        ("ready", alive),
        ("asleep", asleep),
        ("marked as not to be touched", kept),
        ("being deleted already", leaving),
        ("silent since nobody knows when", undated),
        ("of the control plane", control_plane),
        ("of a group that cannot be read", frozen),
        ("of a group that there is not", unknown_group),
        ("claimed by a machine", claimed),
        ("gone since just now", first_sight),
        ("nobody's", nobodys),
    ];
    for (what, world) in cases {
        assert_eq!(removed(world), [], "a node that is {what}");
    }
}

#[test]
fn clocks_start_when_a_machine_is_first_seen_to_be_gone_and_stop_when_it_is_not() {
    let since = |world: Builder| {
        world.check(|state| state.memory.departed_since.get(&"ghost".into()).copied())
    };
    let first = world().group("a", 0..=9).node("ghost").unready(-30).departed("a");
    assert_eq!(since(first), Some(at(0)));
    assert_eq!(since(gone(-5, -1)), Some(at(-1)));
    // While the group cannot be read nobody knows, so it has to be gone for as long again afterwards.
    let frozen = gone(-5, -1).change_group(|group| group.frozen = Some("away".into()));
    assert_eq!(since(frozen), None);
    let back = gone(-5, -1).machine("m", |machine| machine.node = Some("ghost".into()));
    assert_eq!(since(back), None);
}

#[test]
fn a_silent_node_without_a_machine_is_no_fault_of_the_clusters() {
    let ghosts = |departed: bool| {
        let world = world().group("a", 0..=9).members("n", 2);
        (0..8).fold(world, |world, number| {
            let ghost = world.node(&format!("ghost-{number}")).unready(-30);
            if departed { ghost.departed("a") } else { ghost }
        })
    };
    assert!(ghosts(true).check(|state| state.healthy));
    assert!(!ghosts(false).check(|state| state.healthy), "their machines may be cut off");
    let readiness = |world: Builder| world.check(|state| state.nodes.last().unwrap().readiness);
    assert_eq!(readiness(gone(-5, -1)), Readiness::BeingDeleted);
    let alive = gone(-5, -1).change_node(|node| node.conditions.ready = true);
    assert_eq!(readiness(alive), Readiness::Ready);
    let young = gone(-1, 0).change_node(|node| node.created = just_after(-2, 0));
    assert_eq!(readiness(young), Readiness::BeingDeleted);
}
