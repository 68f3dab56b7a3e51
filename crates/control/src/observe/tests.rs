use plimsoll_model::{Conditions, GroupOptions, Instance, InstanceState, Labels, Resources};

use super::*;

fn node(name: &str, provider_id: &str, created: i64) -> Arc<Node> {
    Arc::new(Node {
        name: name.into(),
        labels: Labels::default(),
        taints: Box::default(),
        unschedulable: false,
        allocatable: Resources::default(),
        capacity: Resources::default(),
        provider_id: provider_id.into(),
        created: Timestamp::from_second(created).unwrap(),
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    })
}

/// A group with one machine.
fn group(machine: &str) -> Group {
    let state = InstanceState::Running;
    let machine = Instance { id: machine.into(), node: None, state, created: None, error: None };
    Group {
        id: "a".into(),
        min: 0,
        max: 9,
        target: 1,
        price: None,
        template: None,
        instances: vec![machine],
        options: GroupOptions::default(),
        stock: None,
        frozen: None,
    }
}

fn now() -> Timestamp {
    Timestamp::from_second(3_600).unwrap()
}

/// The same node, silent since then.
fn silent(node: &Node, since: i64) -> Arc<Node> {
    let ready_since = Some(Timestamp::from_second(since).unwrap());
    let conditions = Conditions { ready: false, ready_since, ..Conditions::default() };
    Arc::new(Node { conditions, ..node.clone() })
}

#[test]
fn a_name_that_is_given_again_is_that_of_the_younger_node() {
    let (old, young) = (node("vm-1-old", "x://a/vm-1", 1), node("vm-1-new", "x://a/vm-1", 2));
    let old = silent(&old, 2);
    let other = node("other", "y://b/vm-1", 3);
    for nodes in [[&old, &young, &other], [&other, &young, &old]] {
        let nodes: Vec<_> = nodes.into_iter().map(Arc::clone).collect();
        let mut groups = [group("x://a/vm-1")];
        let joined = join(&nodes, &mut groups, &Owners::default(), now());
        assert_eq!(groups[0].instances[0].node, Some(young.name));
        let expected =
            Departed { node: old.name, group: "a".into(), instance: "x://a/vm-1".into() };
        assert_eq!(joined.departed, [expected]);
    }
    // Of a machine that nobody has, nothing is known.
    let mut groups = [group("x://a/vm-2")];
    let joined = join(&[old, young], &mut groups, &Owners::default(), now());
    assert_eq!((groups[0].instances[0].node, joined.departed.len()), (None, 0));
}

#[test]
fn nodes_that_are_both_alive_contest_their_machine_and_neither_has_lost_it() {
    let (victim, impostor) = (node("victim", "x://a/vm-1", 1), node("impostor", "x://a/vm-1", 2));
    let mut groups = [group("x://a/vm-1")];
    let nodes = [Arc::clone(&victim), Arc::clone(&impostor)];
    let joined = join(&nodes, &mut groups, &Owners::default(), now());
    assert_eq!(groups[0].instances[0].node, Some(impostor.name), "it is not without a node");
    let expected = Contested {
        group: "a".into(),
        instance: "x://a/vm-1".into(),
        nodes: [impostor.name, victim.name].into(),
    };
    assert_eq!((joined.contested, joined.departed), (vec![expected], vec![]));
}

#[test]
fn a_machine_is_not_the_node_that_an_earlier_one_of_its_name_left() {
    let left = node("vm-1", "x://a/vm-1", 1);
    // Whether its provider names the Node or the Node names the machine.
    for named in [None, Some(left.name)] {
        for left in [Arc::clone(&left), silent(&left, 3_590)] {
            let mut groups = [group("x://a/vm-1")];
            groups[0].instances[0].node = named;
            groups[0].instances[0].created = Some(Timestamp::from_second(3_580).unwrap());
            let joined = join(&[Arc::clone(&left)], &mut groups, &Owners::default(), now());
            assert_eq!(groups[0].instances[0].node, None);
            let (group, instance) = ("a".into(), "x://a/vm-1".into());
            assert_eq!(joined.departed, [Departed { node: left.name, group, instance }]);
            assert_eq!(joined.contested, []);
        }
    }
}

#[test]
fn taints_that_are_about_to_go_are_gone() {
    let effect = Effect::NoSchedule;
    let taint = |key: &str| Taint { key: key.into(), value: "".into(), effect };
    let taints = [CLOSED, NOT_READY, "dedicated"].map(taint);
    let left = |unschedulable: bool, ready: bool, ready_since: Option<Timestamp>| {
        let conditions = Conditions { ready, ready_since, ..Conditions::default() };
        let taints = taints.into();
        let mut node = Node { unschedulable, conditions, taints, ..(*node("a", "", 1)).clone() };
        catch_up(&mut node);
        node.taints.iter().map(|taint| taint.key.as_str()).collect::<Vec<_>>()
    };
    let turned = Some(Timestamp::UNIX_EPOCH);
    assert_eq!(left(true, false, turned), [CLOSED, NOT_READY, "dedicated"]);
    assert_eq!(left(false, false, turned), [NOT_READY, "dedicated"], "it was opened");
    assert_eq!(left(true, true, turned), [CLOSED, "dedicated"], "it has become ready");
    assert_eq!(left(true, true, None), [CLOSED, NOT_READY, "dedicated"], "it has not said so");
}
