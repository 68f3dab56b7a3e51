use kube::api::DynamicObject;
use serde_json::{Value, json};

use super::*;
use crate::orders::resource;

fn object(name: &str, data: Value) -> DynamicObject {
    let mut object = DynamicObject::new(name, &resource());
    object.data = data;
    object
}

#[test]
fn every_intent_is_read_as_it_was_written() {
    let (group, why) = (Symbol::new("web"), "for pods".to_owned());
    let intents = [
        Intent::Increase { group, count: 3, from: 2, pods: vec!["u-1".into()], why: why.clone() },
        Intent::Retire {
            group,
            node: Symbol::new("web-1"),
            node_uid: Some("uid-1".into()),
            instance: "cloud://web-1".into(),
            was_closed: true,
            replaced: false,
            why: why.clone(),
            reason: Some("Empty".to_owned()),
            drains: false,
        },
        Intent::Delete { group, instance: "cloud://web-2".into(), why },
    ];
    for intent in intents {
        let object = object("order-1", json!({ "spec": spec(&intent, Some("cellar")) }));
        let stored = read(&object).unwrap();
        assert_eq!(
            (stored.provider.as_deref(), stored.phase),
            (Some("cellar"), intent.beginning())
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
        let unreadable = read(&object(name, data)).unwrap_err();
        assert_eq!((&*unreadable.name, unreadable.group), (name, Some(Symbol::new("web"))));
        assert!(!unreadable.problem.is_empty());
    }
    assert_eq!(read(&object("order-1", json!({}))).unwrap_err().group, None);
}

#[test]
fn a_status_carries_the_term_of_who_wrote_it() {
    let term = Term { holder: "a_1".to_owned(), number: 7 };
    let now = Timestamp::constant(1_800_000_000, 0);
    let data = json!({ "status": status(Phase::Deleting, "", &term, now) });
    assert_eq!(term_of(&object("order-1", data)), Some(term));
    assert_eq!(term_of(&object("order-1", json!({ "status": { "phase": "Done" } }))), None);
}

#[test]
fn an_order_for_very_many_pods_names_only_some() {
    let pods = (0..5000).map(|number: u32| number.to_string().into()).collect();
    let group = Symbol::new("web");
    let intent = Intent::Increase { group, count: 9, from: 0, pods, why: String::new() };
    assert_eq!(spec(&intent, None)["pods"].as_array().unwrap().len(), MOST_PODS);
}
