use plimsoll_provider::{NodeIdentity, Whose};
use serde_json::json;

use super::whose;
use crate::stackpoint::{
    listing::Listing,
    reconcile::{Books, reconcile},
    wire::{Pool, Record},
};

/// One group with two workers, a pool that is not autoscaled, a master, and an address that two machines have.
fn books() -> Books {
    let pools = json!([
        {"pk": 1, "instance_id": "spc-pool-1", "autoscaled": true, "max_count": 5},
        {"pk": 2, "instance_id": "spc-pool-2", "autoscaled": false},
    ]);
    let node = |pk: i64, pool: Option<i64>, role: &str, ip: &str| json!({"pk": pk, "pool": pool, "instance_id": format!("spc-worker-{pk}"), "role": role, "state": "running", "private_ip": ip});
    let nodes = json!([
        node(1, Some(1), "worker", "10.0.0.1"),
        node(2, Some(1), "worker", "10.0.0.2"),
        node(3, Some(2), "worker", "10.0.0.3"),
        node(4, None, "master", "10.0.0.4"),
        node(5, Some(1), "worker", "10.0.0.5"),
        node(6, Some(2), "worker", "10.0.0.5"),
        node(7, Some(1), "worker", ""),
    ]);
    let pools: Vec<Pool> = serde_json::from_value(pools).unwrap();
    let records: Vec<Record> = serde_json::from_value(nodes).unwrap();
    reconcile(345, pools, &records.into()).unwrap()
}

/// Whose a node with these labels and addresses is.
fn told(labels: &[(&str, &str)], addresses: &[&str]) -> Whose {
    let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let node = NodeIdentity {
        name: "ip-10-0-0-1".to_owned(),
        labels: labels.collect(),
        addresses: addresses.iter().map(|address| (*address).to_owned()).collect(),
        ..NodeIdentity::default()
    };
    whose(&books(), &node)
}

/// The machine that it is.
fn machine(labels: &[(&str, &str)], addresses: &[&str]) -> Option<String> {
    let owner = told(labels, addresses).machine()?;
    assert_eq!(owner.group.as_str(), "autoscaling-spc-pool-1");
    owner.instance.map(String::from)
}

const INSTANCE: &str = "stackpoint.io/instance_id";
const GROUP: &str = "stackpoint.io/node_group";
const OLD_GROUP: &str = "stackpoint.io/autoscalegroup";

#[test]
fn a_machine_is_known_by_its_label() {
    let one = Some("spc-worker-1".to_owned());
    assert_eq!(machine(&[(INSTANCE, "spc-worker-1")], &[]), one);
    assert_eq!(machine(&[(INSTANCE, "spc-worker-1")], &["ip-10-0-0-2", "10.0.0.1"]), one);
    assert_eq!(machine(&[(INSTANCE, "spc-worker-1")], &["ip-10-0-0-2"]), one, "no address");
    // A machine whose address the service does not tell yet.
    let booting = Some("spc-worker-7".to_owned());
    assert_eq!(machine(&[(INSTANCE, "spc-worker-7")], &["10.0.0.7"]), booting);
    for label in [GROUP, OLD_GROUP] {
        let same = [(INSTANCE, "spc-worker-1"), (label, "autoscaling-spc-pool-1")];
        assert_eq!(machine(&same, &[]), one);
        let other = [(INSTANCE, "spc-worker-1"), (label, "autoscaling-spc-pool-2")];
        assert_eq!(machine(&other, &[]), None, "two who contradict each other");
    }
}

#[test]
fn a_label_that_the_address_contradicts_makes_no_owner() {
    for address in ["10.0.0.2", "10.0.0.9", "192.168.0.1"] {
        let labels = [(INSTANCE, "spc-worker-1"), (GROUP, "autoscaling-spc-pool-1")];
        assert_eq!(told(&labels, &[address]), Whose::Nobodys, "{address}");
        assert_eq!(told(&labels[..1], &["node-1", address]), Whose::Nobodys, "{address}");
    }
}

#[test]
fn a_machine_is_known_by_its_address() {
    let one = Some("spc-worker-1".to_owned());
    assert_eq!(machine(&[], &["ip-10-0-0-1", "10.0.0.1"]), one);
    assert_eq!(machine(&[(OLD_GROUP, "autoscaling-spc-pool-1")], &["10.0.0.1"]), one);
    assert_eq!(machine(&[(GROUP, "autoscaling-spc-pool-3")], &["10.0.0.1"]), None);
    assert_eq!(machine(&[], &["10.0.0.1", "10.0.0.2"]), None, "two machines");
    assert_eq!(machine(&[], &["10.0.0.5"]), None, "an address that two machines have");
    assert_eq!(machine(&[], &[""]), None);
}

#[test]
fn a_machine_that_is_gone_is_its_groups_by_label() {
    let node = |group: (&'static str, &'static str)| [(INSTANCE, "spc-worker-9"), group];
    for label in [GROUP, OLD_GROUP] {
        let Whose::Gone(owner) = told(&node((label, "autoscaling-spc-pool-1")), &["10.0.0.1"])
        else {
            panic!("a machine that the service does not have is gone");
        };
        assert_eq!(owner.group.as_str(), "autoscaling-spc-pool-1");
        assert_eq!(owner.instance.as_deref(), Some("spc-worker-9"));
        for group in ["autoscaling-spc-pool-2", "autoscaling-spc-pool-3"] {
            assert_eq!(told(&node((label, group)), &[]), Whose::Nobodys, "{group} is no group");
        }
    }
    assert_eq!(told(&[(INSTANCE, "spc-worker-9")], &["10.0.0.1"]), Whose::Nobodys);
    let master =
        [&node((GROUP, "autoscaling-spc-pool-1"))[..], &[("stackpoint.io/role", "master")]];
    assert_eq!(told(&master.concat(), &[]), Whose::Nobodys);
}

#[test]
fn nobodys_nodes_have_no_owner() {
    assert_eq!(machine(&[(INSTANCE, "spc-worker-3")], &[]), None, "not autoscaled");
    assert_eq!(machine(&[(INSTANCE, "spc-worker-4")], &[]), None, "a master");
    assert_eq!(machine(&[], &["10.0.0.9"]), None);
    assert_eq!(machine(&[(GROUP, "autoscaling-spc-pool-1")], &[]), None);
    assert_eq!(machine(&[], &[]), None);
    for label in [
        ("node-role.kubernetes.io/control-plane", ""),
        ("node-role.kubernetes.io/master", ""),
        ("stackpoint.io/role", "master"),
    ] {
        assert_eq!(machine(&[(INSTANCE, "spc-worker-1"), label], &[]), None, "{label:?}");
    }
}

/// Two groups, of which the first is called A0 by people, and a pool that is no group and is called B0.
fn tagged(group_name: &str) -> Books {
    let pools = json!([
        {"pk": 1, "instance_id": "spc-pool-1", "name": "A0", "autoscaled": true, "max_count": 5},
        {"pk": 2, "instance_id": "spc-pool-2", "autoscaled": true, "max_count": 5, "labels": ["stackpoint.io/autoscalegroup=C0"]},
        {"pk": 3, "instance_id": "spc-pool-3", "name": "B0", "autoscaled": false},
    ]);
    let nodes = json!([
        {"pk": 1, "pool": 1, "instance_id": "spc-worker-1", "role": "worker", "state": "running", "group_name": group_name},
        {"pk": 2, "pool": 2, "instance_id": "spc-worker-2", "role": "worker", "state": "running"},
    ]);
    let pools: Vec<Pool> = serde_json::from_value(pools).unwrap();
    let records: Vec<Record> = serde_json::from_value(nodes).unwrap();
    reconcile(345, pools, &records.into()).unwrap()
}

/// Whose a node is that carries this tag and is this machine.
fn by_tag(books: &Books, machine: &str, key: &str, tag: &str) -> Option<String> {
    let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let labels = [label(INSTANCE, machine), label(key, tag)].into();
    let node = NodeIdentity { name: "node".to_owned(), labels, ..NodeIdentity::default() };
    match whose(books, &node) {
        Whose::Machine(owner) => Some(owner.group.to_string()),
        Whose::Gone(owner) => Some(format!("gone from {}", owner.group)),
        Whose::Nobodys => None,
    }
}

#[test]
fn a_tag_that_people_gave_a_group_identifies_it() {
    let books = tagged("");
    let one = Some("autoscaling-spc-pool-1".to_owned());
    let two = Some("autoscaling-spc-pool-2".to_owned());
    for label in [GROUP, OLD_GROUP] {
        for tag in ["A0", "spc-pool-1", "autoscaling-spc-pool-1"] {
            assert_eq!(by_tag(&books, "spc-worker-1", label, tag), one, "{label}={tag}");
        }
        assert_eq!(by_tag(&books, "spc-worker-2", label, "C0"), two, "{label}");
        assert_eq!(by_tag(&books, "spc-worker-1", label, "C0"), None, "another group's");
        assert_eq!(by_tag(&books, "spc-worker-2", label, "A0"), None, "another group's");
        assert_eq!(by_tag(&books, "spc-worker-1", label, "B0"), None, "a pool that is no group");
        let gone = by_tag(&books, "spc-worker-9", label, "A0");
        assert_eq!(gone.as_deref(), Some("gone from autoscaling-spc-pool-1"), "{label}");
        assert_eq!(by_tag(&books, "spc-worker-9", label, "Z9"), None, "it is nothing's");
    }
    // A tag that names nothing contradicts nothing: the service knows whose machine it is.
    assert_eq!(by_tag(&books, "spc-worker-1", OLD_GROUP, "Z9"), one);
    assert_eq!(by_tag(&books, "spc-worker-1", GROUP, "Z9"), None, "the service gives this one");
}

#[test]
fn a_tag_that_the_service_has_on_record_identifies_the_group() {
    let books = tagged("Z9");
    let one = Some("autoscaling-spc-pool-1".to_owned());
    assert_eq!(by_tag(&books, "spc-worker-1", GROUP, "Z9"), one);
    assert_eq!(by_tag(&books, "spc-worker-2", GROUP, "Z9"), None);
}

#[test]
fn a_tag_of_two_groups_makes_no_machine_gone() {
    let pools = json!([
        {"pk": 1, "instance_id": "spc-pool-1", "name": "A0", "autoscaled": true, "max_count": 5},
        {"pk": 2, "instance_id": "spc-pool-2", "name": "A0", "autoscaled": true, "max_count": 5},
    ]);
    let pools: Vec<Pool> = serde_json::from_value(pools).unwrap();
    let node = json!([{"pk": 1, "pool": 1, "instance_id": "spc-worker-1", "role": "worker", "state": "running"}]);
    let records: Vec<Record> = serde_json::from_value(node).unwrap();
    let books = reconcile(345, pools, &records.into()).unwrap();
    assert_eq!(by_tag(&books, "spc-worker-9", OLD_GROUP, "A0"), None);
    let one = Some("autoscaling-spc-pool-1".to_owned());
    assert_eq!(by_tag(&books, "spc-worker-1", OLD_GROUP, "A0"), one, "the service says which");
}

#[test]
fn a_machine_whose_record_cannot_be_read_is_not_gone() {
    let pools: Vec<Pool> = serde_json::from_value(json!([
        {"pk": 1, "instance_id": "spc-pool-1", "autoscaled": true, "max_count": 5},
        {"pk": 2, "instance_id": "spc-pool-2", "autoscaled": true, "max_count": 5},
    ]))
    .unwrap();
    let nodes = vec![
        json!({"pk": 1, "pool": 1, "instance_id": "spc-worker-1", "role": "worker", "state": {}}),
        json!({"pool": 1, "instance_id": ["?"], "role": "worker", "state": "running"}),
    ];
    let books = reconcile(345, pools, &Listing::of(nodes)).unwrap();
    let one = Some("autoscaling-spc-pool-1".to_owned());
    assert_eq!(by_tag(&books, "spc-worker-1", GROUP, "autoscaling-spc-pool-1"), one);
    assert_eq!(by_tag(&books, "spc-worker-2", GROUP, "autoscaling-spc-pool-1"), None);
    let other = by_tag(&books, "spc-worker-2", GROUP, "autoscaling-spc-pool-2");
    assert_eq!(other.as_deref(), Some("gone from autoscaling-spc-pool-2"), "another group lives");
}
