use std::sync::Arc;

use plimsoll_model::{Conditions, GroupOptions, Labels, Order, OrderId, Resources};

use super::{super::Outcome, *};
use crate::settings::OrderSettings;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_772_366_400 + seconds).unwrap()
}

fn id() -> Symbol {
    Symbol::new("group")
}

fn increase(number: u32, count: u32, pods: &[&str]) -> Order<ScaleUp> {
    let name = OrderId::new(&format!("order-{number}")).unwrap();
    let pods = pods.iter().map(|uid| (*uid).into()).collect();
    let intent = ScaleUp { group: id(), count, from: 0, pods, why: String::new() };
    Order::new(name, intent, OrderPhase::Wanted, at(0))
}

/// A ledger in which these orders were placed a second after they were decided, and seen by a later inventory.
fn ledger(orders: &[(Order<ScaleUp>, i64)]) -> Ledger {
    let mut ledger = Ledger::default();
    for (order, begun) in orders {
        let order = Order { created: at(*begun), ..order.clone() };
        let (id, placed) = (order.id.clone(), Outcome::Placed(order.intent.count));
        ledger.begin(order, Arc::new([Symbol::new("old")].into_iter().collect()));
        let settings = OrderSettings::default();
        ledger.answered(&id, placed, true, &settings, at(begun + 1));
    }
    let seen = |_| Some((0, Timestamp::MAX));
    ledger.review(seen, &[], at(1000));
    ledger
}

fn group(instances: Vec<Instance>) -> Group {
    Group {
        id: id(),
        min: 0,
        max: 100,
        target: u32::try_from(instances.len()).unwrap(),
        price: None,
        template: None,
        instances,
        options: GroupOptions::default(),
        stock: None,
        frozen: None,
    }
}

fn instance(name: &str, created: i64, node: Option<&str>) -> Instance {
    let (state, node) = (InstanceState::Running, node.map(Symbol::new));
    Instance { id: name.into(), node, state, created: Some(at(created)), error: None }
}

fn node(name: &str, created: i64) -> Arc<Node> {
    Arc::new(Node {
        name: name.into(),
        labels: Labels::default(),
        taints: Box::default(),
        unschedulable: false,
        allocatable: Resources::default(),
        capacity: Resources::default(),
        provider_id: "".into(),
        created: at(created),
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    })
}

fn guard(
    ledger: &Ledger,
    next: &Order<ScaleUp>,
    group: &Group,
    nodes: &[Arc<Node>],
    now: i64,
) -> Result<(), TooMuch> {
    let nodes = nodes.iter().map(|node| &**node);
    let registered = Registered::new(std::slice::from_ref(group), nodes, at(now));
    ledger.guard(&next.intent, &registered, at(now))
}

#[test]
fn no_second_order_for_the_same_pods_before_the_first_has_registered() {
    let ledger = ledger(&[(increase(1, 1, &["a"]), 0)]);
    let again = increase(2, 1, &["a"]);
    let made = group(vec![instance("m-1", 1, None)]);
    assert_eq!(guard(&ledger, &again, &made, &[], 2), Err(TooMuch::SamePods { outstanding: 1 }));
    assert_eq!(guard(&ledger, &increase(2, 1, &["a", "b"]), &made, &[], 2), Ok(()));
    // A Node that was there before, whoever it is taken for, does not make it served.
    let taken = group(vec![instance("m-1", 1, Some("old"))]);
    let old = [node("old", -10)];
    assert_eq!(guard(&ledger, &again, &taken, &old, 2), Err(TooMuch::SamePods { outstanding: 1 }));
    let registered = group(vec![instance("m-1", 1, Some("m-1"))]);
    assert_eq!(guard(&ledger, &again, &registered, &[node("m-1", 30)], 31), Ok(()));
}

#[test]
fn what_failed_is_not_waited_for() {
    let ledger = ledger(&[(increase(1, 1, &["a"]), 0)]);
    let again = increase(2, 1, &["a"]);
    let mut broken = instance("m-1", 1, None);
    broken.error = Some(plimsoll_model::InstanceError {
        class: plimsoll_model::ErrorClass::Other,
        code: "boot".into(),
        message: "".into(),
    });
    assert_eq!(guard(&ledger, &again, &group(vec![broken]), &[], 60), Ok(()));
    assert_eq!(guard(&ledger, &again, &group(Vec::new()), &[], 60), Ok(()), "it vanished");
    let silent = group(vec![instance("m-1", 1, None)]);
    assert!(guard(&ledger, &again, &silent, &[], 900).is_err());
    assert_eq!(guard(&ledger, &again, &silent, &[], 961), Ok(()), "it should have registered");
}

#[test]
fn before_the_inventory_shows_an_order_all_of_it_is_outstanding() {
    let mut ledger = Ledger::default();
    ledger.begin(increase(1, 3, &["a", "b"]), Arc::default());
    let next = increase(2, 1, &["b"]);
    let nothing = group(Vec::new());
    assert_eq!(guard(&ledger, &next, &nothing, &[], 1), Err(TooMuch::SamePods { outstanding: 3 }));
}

#[test]
fn all_groups_together_bring_no_more_than_twice_what_pods_can_need() {
    // Each registers at once, and the pod still waits.
    let orders: Vec<_> = (0..8).map(|number| (increase(number, 1, &["a"]), 0)).collect();
    let registered = |many: usize| {
        let names: Vec<String> = (0..many).map(|number| format!("m-{number}")).collect();
        let instances = names.iter().map(|name| instance(name, 1, Some(name))).collect();
        let nodes: Vec<_> = names.iter().map(|name| node(name, 2)).collect();
        (group(instances), nodes)
    };
    for many in 0..8 {
        let (group, nodes) = registered(many);
        let outcome = guard(&ledger(&orders[..many]), &increase(99, 1, &["a"]), &group, &nodes, 3);
        assert_eq!(outcome.is_err(), many >= ALWAYS, "{many}: {outcome:?}");
    }
    let (group, nodes) = registered(8);
    let all = ledger(&orders);
    assert!(guard(&all, &increase(99, 1, &["a"]), &group, &nodes, 900).is_err());
    assert_eq!(
        guard(&all, &increase(99, 1, &["a"]), &group, &nodes, 901),
        Ok(()),
        "a window later"
    );
    let many: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(guard(&all, &increase(99, 20, &many), &group, &nodes, 3), Ok(()), "a burst");
}

#[test]
fn what_is_for_no_pod_is_ordered_once_at_a_time() {
    let ledger = ledger(&[(increase(1, 2, &[]), 0)]);
    let made = group(vec![instance("m-1", 1, None), instance("m-2", 1, None)]);
    assert!(guard(&ledger, &increase(2, 1, &[]), &made, &[], 2).is_err());
    assert_eq!(guard(&ledger, &increase(2, 1, &["a"]), &made, &[], 2), Ok(()));
}
