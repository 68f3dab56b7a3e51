use jiff::{SignedDuration, Timestamp};
use plimsoll_model::{Group, Instance, InstanceState, Money, Symbol};
use serde_json::{Value, json};

use super::{Sighting, Terms, inventory};
use crate::stackpoint::{Prices, reconcile::reconcile, template::Kinds, wire::Record};

const NOON: &str = "2026-03-01T12:00:00Z";

fn noon() -> Timestamp {
    NOON.parse().unwrap()
}

/// What is told of a machine in this state that was made at this time.
fn instance(sighting: &mut Sighting, state: &str, created: Timestamp, now: Timestamp) -> Instance {
    let created = created.to_string();
    let node = json!({"pk": 1, "pool": 1, "instance_id": "spc-worker-1", "role": "worker", "state": state, "created": created});
    look(sighting, vec![node], now).remove(0)
}

fn look(sighting: &mut Sighting, nodes: Vec<Value>, now: Timestamp) -> Vec<Instance> {
    group(sighting, nodes, Terms::default(), now).instances
}

fn group(sighting: &mut Sighting, nodes: Vec<Value>, terms: Terms<'_>, now: Timestamp) -> Group {
    let pool = json!({"pk": 1, "instance_id": "spc-pool-1", "instance_size": "m5.large", "autoscaled": true, "max_count": 5});
    let records: Vec<Record> = serde_json::from_value(Value::Array(nodes)).unwrap();
    let pool = serde_json::from_value(pool).unwrap();
    let books = reconcile(1, vec![pool], &records.into()).unwrap();
    sighting.look(&books, now);
    inventory(&books, sighting, &Kinds::default(), terms, now).groups.remove(0).group
}

#[test]
fn a_machine_costs_what_the_user_says_of_its_kind() {
    let price = |size: &str| {
        let prices = Prices::from([(size.to_owned(), Money::from_micros(96_000))]);
        let terms = Terms { prices: Some(&prices), ..Terms::default() };
        group(&mut Sighting::default(), Vec::new(), terms, noon()).price
    };
    assert_eq!(price("m5.large"), Some(Money::from_micros(96_000)));
    assert_eq!(price("m5.xlarge"), None);
}

#[test]
fn failed_machines_say_so() {
    let failed = instance(&mut Sighting::default(), "failed", noon(), noon());
    assert_eq!(failed.state, InstanceState::Creating);
    assert_eq!(&*failed.error.unwrap().code, "failed");
}

#[test]
fn a_running_machine_names_its_node_so_that_a_missing_one_counts_from_when_it_is_noticed() {
    let mut sighting = Sighting::default();
    assert_eq!(instance(&mut sighting, "provisioned", noon(), noon()).node, None);
    let guess = instance(&mut sighting, "running", noon(), noon()).node;
    assert_eq!(guess, Some(Symbol::new("spc-worker-1")));
    sighting.name("spc-worker-1", "ip-10-0-0-1");
    let known = instance(&mut sighting, "running", noon(), noon()).node;
    assert_eq!(known, Some(Symbol::new("ip-10-0-0-1")));
    assert!(look(&mut sighting, Vec::new(), noon()).is_empty());
    let successor = instance(&mut sighting, "running", noon(), noon()).node;
    assert_eq!(successor, Some(Symbol::new("spc-worker-1")), "another machine of that name");
}

#[test]
fn of_two_nodes_that_claim_a_machine_neither_is_believed() {
    let mut sighting = Sighting::default();
    let mut named = |claims: &[&str]| {
        instance(&mut sighting, "running", noon(), noon());
        for node in claims {
            sighting.name("spc-worker-1", node);
        }
        let seen = instance(&mut sighting, "running", noon(), noon());
        seen.node.map(|node| node.to_string()).unwrap_or_default()
    };
    assert_eq!(named(&["victim"]), "victim");
    assert_eq!(named(&["other"]), "spc-worker-1", "who asks last has not won");
    assert_eq!(named(&["victim", "other", "victim"]), "spc-worker-1");
    assert_eq!(named(&["victim"]), "victim", "the other does not say so any more");
}

#[test]
fn a_clock_that_is_wrong_makes_no_machine_too_young_or_too_old() {
    let days = SignedDuration::from_hours(72);
    let ahead = instance(&mut Sighting::default(), "draft", noon() + days, noon());
    assert_eq!(ahead.created, Some(noon()));
    let mut sighting = Sighting::default();
    assert!(look(&mut sighting, Vec::new(), noon()).is_empty());
    let later = noon() + SignedDuration::from_mins(1);
    let behind = instance(&mut sighting, "draft", noon() - days, later);
    assert_eq!(behind.created, Some(noon()), "it was not there at noon");
    let stuck = instance(&mut sighting, "draft", noon() - days, later + days);
    assert_eq!(stuck.created, Some(noon()), "it grows old all the same");
    let unknown = instance(&mut Sighting::default(), "draft", noon() - days, noon());
    assert_eq!(unknown.created, Some(noon() - days), "nobody knows better");
}
