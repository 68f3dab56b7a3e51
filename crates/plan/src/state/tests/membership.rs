use plimsoll_model::InstanceState;

use super::{Readiness, at, world};

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
