use kube::api::DynamicObject;
use serde_json::{Value, json};

use super::*;
use crate::orders::resource;

const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

fn object(name: &str, data: Value) -> DynamicObject {
    let mut object = DynamicObject::new(name, &resource());
    object.data = data;
    object
}

#[test]
fn every_intent_is_read_as_it_was_written() {
    let (group, why) = (Symbol::new("web"), "for pods".to_owned());
    let intents = [
        Intent::ScaleUp(ScaleUp {
            group,
            count: 3,
            from: 2,
            pods: vec!["u-1".into()],
            why: why.clone(),
        }),
        Intent::RemoveNode(RemoveNode {
            group,
            node: Symbol::new("web-1"),
            node_uid: Some("uid-1".into()),
            instance: "cloud://web-1".into(),
            was_closed: true,
            replaced: false,
            why: why.clone(),
            reason: Some("Empty".to_owned()),
            drains: false,
        }),
        Intent::DeleteMachine(DeleteMachine { group, instance: "cloud://web-2".into(), why }),
    ];
    for intent in intents {
        let object = object("order-1", json!({ "spec": spec(&intent, Some("cellar")) }));
        let stored = read(&object, NOW).unwrap();
        assert_eq!(
            (stored.provider.as_deref(), stored.phase),
            (Some("cellar"), intent.first_phase())
        );
        assert_eq!(stored.intent, intent);
    }
}

#[test]
fn what_cannot_be_read_is_told_with_its_group() {
    let spec = json!({ "action": "Increase", "group": "web", "count": 1, "from": 0 });
    let future = [
        ("order-1", json!({ "spec": { "action": "Resize", "group": "web" } })),
        ("order-1", json!({ "spec": { "action": "Retire", "group": "web", "node": "web-1" } })),
        ("order-1", json!({ "spec": spec, "status": { "phase": "Negotiating" } })),
        ("Order_1", json!({ "spec": spec })),
    ];
    for (name, data) in future {
        let unreadable = read(&object(name, data), NOW).unwrap_err();
        assert_eq!((&*unreadable.name, unreadable.group), (name, Some(Symbol::new("web"))));
        assert!(!unreadable.problem.is_empty());
    }
    assert_eq!(read(&object("order-1", json!({})), NOW).unwrap_err().group, None);
}

#[test]
fn a_status_carries_the_term_of_who_wrote_it() {
    let term = Term { holder: "a_1".to_owned(), number: 7 };
    let data = json!({ "status": status(&OrderPhase::Deleting.into(), &term, NOW) });
    assert_eq!(term_of(&object("order-1", data)), Some(term));
    assert_eq!(term_of(&object("order-1", json!({ "status": { "phase": "Done" } }))), None);
}

#[test]
fn an_order_for_very_many_pods_names_only_some() {
    let pods = (0..5000).map(|number: u32| number.to_string().into()).collect();
    let group = Symbol::new("web");
    let intent = Intent::ScaleUp(ScaleUp { group, count: 9, from: 0, pods, why: String::new() });
    assert_eq!(spec(&intent, None)["pods"].as_array().unwrap().len(), MOST_PODS);
}

#[test]
fn a_clock_ahead_of_ours_makes_no_order_of_the_future() {
    let spec = json!({ "action": "Increase", "group": "web", "count": 1, "from": 0 });
    let status =
        json!({ "phase": "Placed", "since": "2100-01-01T00:00:00Z", "message": "slow", "made": 1 });
    let order = read(&object("order-1", json!({ "spec": spec, "status": status })), NOW).unwrap();
    assert_eq!((order.created, order.since, &*order.message), (NOW, NOW, "slow"));
    assert_eq!(order.made, Some(1));
}
