use plimsoll_model::{Conditions, GroupOptions, Instance, InstanceState, Resources};

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

#[test]
fn a_name_that_is_given_again_is_that_of_the_younger_node() {
    let (old, young) = (node("vm-1-old", "x://a/vm-1", 1), node("vm-1-new", "x://a/vm-1", 2));
    let other = node("other", "y://b/vm-1", 3);
    for nodes in [[&old, &young, &other], [&other, &young, &old]] {
        let nodes: Vec<_> = nodes.into_iter().map(Arc::clone).collect();
        let mut groups = [group("x://a/vm-1")];
        let joined = join(&nodes, &mut groups, &Owners::default());
        assert_eq!(groups[0].instances[0].node, Some(young.name));
        let expected =
            Departed { node: old.name, group: "a".into(), instance: "x://a/vm-1".into() };
        assert_eq!(joined.departed, [expected]);
    }
    // Of a machine that nobody has, nothing is known.
    let mut groups = [group("x://a/vm-2")];
    let joined = join(&[old, young], &mut groups, &Owners::default());
    assert_eq!((groups[0].instances[0].node, joined.departed.len()), (None, 0));
}

#[test]
fn a_node_that_was_opened_is_open_before_its_taint_is_gone() {
    let node = |unschedulable: bool, taint: &str| {
        let effect = Effect::NoSchedule;
        let taint = Taint { key: taint.into(), value: "".into(), effect };
        Node { unschedulable, taints: Box::new([taint]), ..(*node("a", "", 1)).clone() }
    };
    let (nobody, it) = (BTreeSet::new(), BTreeSet::from([Symbol::new("a")]));
    assert!(!is_seen_open(&node(true, CLOSED), &nobody), "it is closed");
    assert!(is_seen_open(&node(true, CLOSED), &it), "it is closed for a while");
    assert!(is_seen_open(&node(false, CLOSED), &nobody), "the taint follows");
    assert!(!is_seen_open(&node(false, "dedicated"), &nobody), "the taint is another matter");
    let mut opened = node(false, CLOSED);
    open(&mut opened);
    assert!(opened.taints.is_empty() && !opened.unschedulable);
}
