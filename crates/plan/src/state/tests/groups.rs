use plimsoll_model::InstanceState;

use super::{GroupState, at, taint, world};

/// Ready, not started, unready, being deleted, leaving, upcoming.
fn counts(group: &GroupState) -> [u32; 6] {
    let GroupState { ready, not_started, unready, being_deleted, leaving, upcoming, .. } = group;
    [*ready, *not_started, *unready, *being_deleted, *leaving, *upcoming]
}

#[test]
fn nodes_are_counted_by_what_they_are() {
    world()
        .group("a", 0..=9)
        .members("ready", 2)
        .member("fresh")
        .unready(-1)
        .change_node(|node| node.created = at(-2))
        .member("sick")
        .unready(-30)
        .member("going")
        .change_node(|node| node.taints = [taint("ToBeDeletedByClusterAutoscaler")].into())
        .machine("sim://new", |_| ())
        .group("b", 0..=9)
        .check(|state| {
            assert_eq!(counts(&state.groups[0]), [2, 1, 1, 1, 1, 1]);
            assert_eq!(state.groups[0].nodes, [0, 1, 2, 3, 4]);
            assert_eq!(counts(&state.groups[1]), [0; 6]);
            assert_eq!(state.repairs, []);
        });
}

#[test]
fn a_node_that_drains_is_still_in_the_target_and_one_that_is_deleted_is_not() {
    world()
        .group("a", 0..=9)
        .members("n", 2)
        .member("draining")
        .change_node(|node| node.taints = [taint("ToBeDeletedByClusterAutoscaler")].into())
        .member("deleting")
        .change_group(|group| {
            group.instances[3].state = InstanceState::Deleting;
            group.target = 3;
        })
        .check(|state| {
            assert_eq!(counts(&state.groups[0]), [2, 0, 0, 2, 1, 0]);
            assert_eq!(state.groups[0].target, 3);
            assert!(state.memory.size_mismatch_since.is_empty());
        });
}

#[test]
fn a_target_below_the_nodes_brings_nothing() {
    world().group("a", 0..=9).members("n", 3).target(1).check(|state| {
        assert_eq!(state.groups[0].upcoming, 0);
        assert_eq!(state.repairs, []);
        assert_eq!(state.groups[0].target, 1);
    });
}

#[test]
fn the_successor_of_a_lost_machine_is_upcoming_while_the_old_node_is_still_listed() {
    world()
        .group("a", 0..=9)
        .member("kept")
        .machine("sim://successor", |_| ())
        .node("lost")
        .labelled("a")
        .check(|state| {
            assert_eq!(state.groups[0].upcoming, 1);
            assert!(state.memory.size_mismatch_since.contains_key(&"a".into()));
        });
}

#[test]
fn a_machine_that_may_come_counts_before_one_that_will_not() {
    // A provider whose target leaves failed machines out.
    world()
        .group("a", 0..=9)
        .machine("sim://good", |_| ())
        .machine("sim://bad", |instance| instance.error = Some(super::failure("STOCKOUT")))
        .target(1)
        .check(|state| {
            assert_eq!(state.groups[0].upcoming, 1);
            assert_eq!(state.groups[0].target, 1);
            assert_eq!(state.repairs.len(), 1);
        });
}

#[test]
fn what_is_kept_of_groups_that_are_gone_is_dropped() {
    let gone = "gone".into();
    world()
        .group("a", 0..=9)
        .order("gone", 3, -1)
        .gap_since("gone", -1)
        .remember(|memory| {
            memory.group_activity.insert(gone, plimsoll_model::Activity::default());
            memory.group_activity.insert("a".into(), plimsoll_model::Activity::default());
            let (since, origin) = (at(-1), plimsoll_model::Origin::Ordered);
            let machine = plimsoll_model::Unregistered { since, created: None, origin };
            memory.unregistered.insert((gone, "sim://x".into()), machine);
            let backoff = plimsoll_model::Backoff {
                until: at(3),
                step: super::mins(5),
                failed: at(-2),
                code: "X".into(),
            };
            memory.backoff.insert(gone, backoff);
        })
        .check(|state| {
            let memory = &state.memory;
            assert_eq!(memory.group_activity.len(), 1);
            assert!(memory.backoff.is_empty());
            assert!(memory.size_mismatch_since.is_empty() && memory.unregistered.is_empty());
        });
}
