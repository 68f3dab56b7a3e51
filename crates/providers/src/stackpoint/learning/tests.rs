use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Lessons, MOST};
use crate::stackpoint::{
    inventory::Sighting,
    reconcile::{Books, reconcile},
    wire::Record,
};

fn books(machines: &[&str], changes: &Value) -> Books {
    let mut pool = json!({"pk": 1, "instance_id": "spc-pool-1", "instance_size": "x1", "autoscaled": true, "max_count": 5});
    pool.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let record = |(pk, id): (i64, &&str)| json!({"pk": pk, "pool": 1, "instance_id": id, "role": "worker", "state": "running"});
    let records: Vec<Value> = (1..).zip(machines).map(record).collect();
    let records: Vec<Record> = serde_json::from_value(Value::Array(records)).unwrap();
    let pool = serde_json::from_value(pool).unwrap();
    reconcile(1, vec![pool], &records.into()).unwrap()
}

/// The minimum of a group with these machines, the last of which has a node or not.
fn minimum(lessons: &mut Lessons, sighting: &mut Sighting, machines: &[&str], node: bool) -> u32 {
    let mut books = books(machines, &json!({}));
    sighting.look(&books, Timestamp::UNIX_EPOCH);
    if let (Some(machine), true) = (machines.last(), node) {
        sighting.name(machine, "node-1");
    }
    lessons.teach(&mut books, sighting, |_| true);
    books.groups[0].min
}

#[test]
fn one_machine_is_wanted_and_kept() {
    let (mut lessons, mut sighting) = (Lessons::default(), Sighting::default());
    assert_eq!(minimum(&mut lessons, &mut sighting, &[], false), 1);
    assert_eq!(minimum(&mut lessons, &mut sighting, &["a"], false), 1);
    assert_eq!(minimum(&mut lessons, &mut sighting, &["a"], true), 1);
    // A process that starts anew finds the machine, and wants no second one.
    let (mut lessons, mut sighting) = (Lessons::default(), Sighting::default());
    assert_eq!(minimum(&mut lessons, &mut sighting, &["a", "b"], true), 1);
}

#[test]
fn after_some_machines_without_a_node_no_other_is_added() {
    let (mut lessons, mut sighting) = (Lessons::default(), Sighting::default());
    for attempt in 0..MOST {
        assert_eq!(minimum(&mut lessons, &mut sighting, &[], false), 1, "{attempt}");
        let machine = format!("machine-{attempt}");
        minimum(&mut lessons, &mut sighting, &[&machine], false);
    }
    assert_eq!(minimum(&mut lessons, &mut sighting, &[], false), 0);
    // One that somebody adds by hand, and that comes up, is worth more than all before.
    minimum(&mut lessons, &mut sighting, &["by-hand"], true);
    assert_eq!(minimum(&mut lessons, &mut sighting, &[], false), 1);
}

#[test]
fn nothing_is_added_where_it_would_teach_nothing() {
    let taught = |changes: &Value, is_unknown: bool| {
        let mut books = books(&[], changes);
        Lessons::default().teach(&mut books, &Sighting::default(), |_| is_unknown);
        books.groups[0].min
    };
    assert_eq!(taught(&json!({}), true), 1);
    assert_eq!(taught(&json!({}), false), 0, "its kind is known, or may be known soon");
    assert_eq!(taught(&json!({"max_count": 0}), true), 0, "it may have no machine");
    assert_eq!(taught(&json!({"instance_size": ""}), true), 0, "none can be ordered");
    assert_eq!(taught(&json!({"min_count": 2}), true), 2);
}

#[test]
fn a_group_that_cannot_be_read_is_left_alone() {
    let record = json!({"pk": 1, "pool": 1, "instance_id": "a", "role": "worker"});
    let pool = json!([{"pk": 1, "instance_id": "spc-pool-1", "instance_size": "x1", "autoscaled": true, "max_count": 5}]);
    let pools: Vec<_> = serde_json::from_value(pool).unwrap();
    let records = crate::stackpoint::listing::Listing::of(vec![record]);
    let mut books = reconcile(1, pools, &records).unwrap();
    Lessons::default().teach(&mut books, &Sighting::default(), |_| true);
    assert_eq!(books.groups[0].min, 0);
}
