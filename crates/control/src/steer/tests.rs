use jiff::Timestamp;
use plimsoll_model::{Conditions, GroupOptions, Instance, Labels, Resources};

use super::*;

fn steer(why: Option<&str>) -> Steer {
    Steer { key: "example.io/group".into(), value: "a".into(), why: why.map(Into::into) }
}

fn node(name: &str, steered: bool) -> Arc<Node> {
    let taints = if steered { vec![taint(&steer(None))] } else { Vec::new() };
    Arc::new(Node {
        name: name.into(),
        labels: Labels::default(),
        taints: taints.into(),
        unschedulable: false,
        allocatable: Resources::default(),
        capacity: Resources::default(),
        provider_id: "".into(),
        created: Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    })
}

/// A group whose machines have become these nodes.
fn group(id: &str, nodes: &[&str]) -> Group {
    let instances = nodes.iter().map(|node| Instance {
        id: (*node).into(),
        node: Some((*node).into()),
        state: InstanceState::Running,
        created: None,
        error: None,
    });
    Group {
        id: id.into(),
        min: 0,
        max: 9,
        target: 0,
        price: None,
        template: None,
        instances: instances.collect(),
        options: GroupOptions::default(),
        stock: None,
        frozen: None,
    }
}

/// What is changed at the nodes of two groups, of which `a` is steered.
fn changed(why: Option<&str>, busy: &[&str], most: usize) -> Vec<(&'static str, Advice)> {
    let nodes = [node("a-0", false), node("a-1", true), node("a-2", false), node("b-0", true)];
    let groups = [group("a", &["a-0", "a-1", "a-2", "gone"]), group("b", &["b-0"])];
    let wishes = [("a".into(), steer(why))].into();
    let busy = busy.iter().map(|name| Symbol::new(name)).collect();
    let changes = changes(&wishes, &nodes, &groups, &busy, most);
    changes.into_iter().map(|(node, _, advice)| (node.as_str(), advice)).collect()
}

#[test]
fn all_nodes_of_the_group_and_no_others_are_changed_a_few_at_a_time() {
    let given = |name| (name, Advice::Given);
    assert_eq!(changed(Some("full"), &[], 9), [given("a-0"), given("a-2")]);
    assert_eq!(changed(Some("full"), &["a-0"], 9), [given("a-2")]);
    assert_eq!(changed(Some("full"), &[], 1), [given("a-0")]);
    assert_eq!(changed(None, &[], 9), [("a-1", Advice::Withdrawn)]);
    assert_eq!(changed(None, &[], 0), []);
}

#[test]
fn who_asks_is_told_why() {
    let wishes = [("a".into(), steer(Some("it is too large"))), ("b".into(), steer(None))].into();
    let told: Vec<_> = reasons(&wishes).into_iter().collect();
    let words =
        "pods are kept away from its nodes by example.io/group=a:PreferNoSchedule: it is too large";
    assert_eq!(told, [("a".into(), words.to_owned())]);
}
