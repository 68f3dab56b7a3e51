use plimsoll_model::InstanceState;

use super::{Builder, Readiness, at, mins, world};

#[test]
fn an_instance_wins_over_the_label() {
    let nodes = world()
        .group("b", 0..=9)
        .group("a", 0..=9)
        .member("named")
        .labelled("b")
        .node("labelled")
        .labelled("b")
        .node("stranger")
        .labelled("elsewhere")
        .check(|state| state.nodes.iter().map(|node| node.group).collect::<Vec<_>>());
    assert_eq!(nodes, [Some(1), Some(0), None]);
}

#[test]
fn a_node_that_gives_the_machines_id_is_its_node() {
    world()
        .group("a", 0..=9)
        .machine("sim://x", |instance| instance.created = Some(at(-60)))
        .node("x")
        .change_node(|node| node.provider_id = "sim://x".into())
        .check(|state| {
            assert_eq!(state.nodes[0].group, Some(0));
            assert_eq!(state.repairs, []);
            assert_eq!(state.groups[0].upcoming, 0);
        });
}

#[test]
fn a_successor_of_the_same_name_keeps_the_node() {
    for deleting_first in [true, false] {
        let states = if deleting_first {
            [InstanceState::Deleting, InstanceState::Running]
        } else {
            [InstanceState::Running, InstanceState::Deleting]
        };
        let [first, second] = states;
        world()
            .group("a", 0..=9)
            .node("n")
            .machine("sim://1", |instance| {
                instance.node = Some("n".into());
                instance.state = first;
            })
            .machine("sim://2", |instance| {
                instance.node = Some("n".into());
                instance.state = second;
            })
            .check(|state| assert_eq!(state.nodes[0].readiness, Readiness::Ready));
    }
}

/// A machine that was made a minute ago, and a node with its id that registered two hours ago.
fn left_behind() -> Builder {
    world()
        .group("a", 0..=9)
        .machine("sim://x", |_| ())
        .node("x")
        .change_node(|node| node.provider_id = "sim://x".into())
}

#[test]
fn a_node_that_an_earlier_machine_of_the_same_id_left_is_not_counted_as_the_new_one() {
    for world in [left_behind(), left_behind().unready(-1), left_behind().unready(-30)] {
        world.check(|state| {
            assert_eq!((state.nodes[0].group, state.groups[0].upcoming), (None, 1));
            assert_eq!(state.groups[0].ready + state.groups[0].unready, 0);
        });
    }
    // A name is no better than an id.
    let named = left_behind().change_group(|group| group.instances[0].node = Some("x".into()));
    named.check(|state| assert_eq!((state.nodes[0].group, state.groups[0].upcoming), (None, 1)));
}

#[test]
fn a_kubelet_that_registered_under_an_old_node_is_counted() {
    let taken_over = left_behind().change_node(|node| node.conditions.ready_since = Some(at(0)));
    taken_over.check(|state| {
        assert_eq!((state.nodes[0].group, state.groups[0].upcoming), (Some(0), 0));
    });
}

#[test]
fn a_machine_is_not_deleted_while_a_ready_node_of_its_name_may_be_its_own() {
    let soon = || {
        let world = left_behind().set(|settings| settings.group.provision_time = mins(2));
        world.change_group(|group| {
            group.options.provision_time = mins(2);
            group.instances[0].created = Some(at(-4));
        })
    };
    assert_eq!(soon().repairs(), [""; 0]);
    assert_eq!(soon().unready(-3).repairs(), ["delete sim://x of a"]);
}

#[test]
fn the_node_of_a_predecessor_stays_while_the_successor_may_register_under_it() {
    let gone = left_behind().unready(-30).departed("a").remember(|memory| {
        memory.departed_since.insert("x".into(), at(-30));
    });
    gone.check(|state| {
        assert_eq!(state.removals, []);
        assert_eq!(state.nodes[0].readiness, Readiness::BeingDeleted, "nobody counts on it");
    });
}
