use expect_test::{Expect, expect};
use plimsoll_provider::Class;
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use super::{Begun, Books, Consent, Phase, Place, begun, reconcile};
use crate::stackpoint::{
    listing::Listing,
    wire::{Pool, Record},
};

const CLUSTER: i64 = 345;

/// A pool that is autoscaled from 1 to 5, with these fields changed.
fn pool(pk: i64, changes: Value) -> Value {
    let mut pool = json!({
        "pk": pk, "name": "general", "instance_id": format!("spc-pool-{pk}"), "instance_size": "m5.large",
        "autoscaled": true, "min_count": 1, "max_count": 5, "state": "active", "role": "worker",
    });
    merge(&mut pool, changes);
    pool
}

/// A running worker of a pool, with these fields changed.
fn node(pk: i64, pool: i64, changes: Value) -> Value {
    let mut node = json!({
        "pk": pk, "cluster": CLUSTER, "pool": pool, "instance_id": format!("spc-worker-{pk}"),
        "role": "worker", "group_name": format!("autoscaling-spc-pool-{pool}"), "private_ip": format!("10.0.0.{pk}"),
        "etcd_state": "kube_etcd", "state": "running", "is_failed": false,
        "created": "2026-03-01T12:00:00.000001Z",
    });
    merge(&mut node, changes);
    node
}

fn merge(value: &mut Value, changes: Value) {
    let Value::Object(changes) = changes else { return };
    value.as_object_mut().unwrap().extend(changes);
}

fn books(pools: Vec<Value>, nodes: Vec<Value>) -> Result<Books, plimsoll_provider::Error> {
    let pools: Vec<Pool> = serde_json::from_value(Value::Array(pools)).unwrap();
    let records: Vec<Record> = serde_json::from_value(Value::Array(nodes)).unwrap();
    reconcile(CLUSTER, pools, &records.into())
}

/// A line per group, and one for what nobody may touch.
fn check(pools: Vec<Value>, nodes: Vec<Value>, expected: &Expect) {
    let books = books(pools, nodes).unwrap();
    let machine = |machine: &super::Machine| format!(" {}:{:?}", machine.id, machine.phase);
    let mut lines: Vec<String> = (books.groups.iter())
        .map(|shelf| {
            let machines: String = shelf.machines.iter().map(machine).collect();
            let (id, min, max, target) = (shelf.id, shelf.min, shelf.max, shelf.target());
            format!("{id} {min}..{max} has {target}:{machines}")
        })
        .collect();
    lines.push(format!("nobody's:{}", books.nobodys.iter().map(machine).collect::<String>()));
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn every_state_has_a_phase() {
    let states = [
        "draft",
        "building",
        "provisioning",
        "provisioned",
        "running",
        "failed",
        "deleting",
        "deleted",
        "rebooting",
    ];
    let mut nodes: Vec<Value> =
        (1..).zip(states).map(|(pk, state)| node(pk, 1, json!({"state": state}))).collect();
    nodes.push(node(20, 1, json!({"state": "building", "is_failed": true})));
    nodes.push(node(21, 1, json!({"state": "deleting", "is_failed": true})));
    check(
        vec![pool(1, json!({}))],
        nodes,
        &expect![
            "autoscaling-spc-pool-1 1..5 has 8: spc-worker-1:Coming spc-worker-2:Coming spc-worker-3:Coming spc-worker-4:Coming spc-worker-5:Running spc-worker-6:Failed spc-worker-7:Going spc-worker-9:Running spc-worker-20:Failed spc-worker-21:Going\nnobody's:"
        ],
    );
}

#[test]
fn only_pools_that_are_autoscaled_are_groups() {
    check(
        vec![
            pool(9, json!({})),
            pool(1, json!({"autoscaled": false})),
            pool(2, json!({"state": "deleting"})),
            pool(3, json!({"role": "master"})),
            pool(4, json!({"min_count": 7, "role": null, "state": null})),
            pool(5, json!({"min_count": -1, "max_count": 9_000_000_000_i64})),
        ],
        vec![node(11, 1, json!({})), node(12, 9, json!({})), node(13, 2, json!({}))],
        &expect![[r"
            autoscaling-spc-pool-4 5..5 has 0:
            autoscaling-spc-pool-5 0..4294967295 has 0:
            autoscaling-spc-pool-9 1..5 has 1: spc-worker-12:Running
            nobody's: spc-worker-11:Running spc-worker-13:Running"]],
    );
}

#[test]
fn masters_and_hosts_of_etcd_are_nobodys_and_take_a_place() {
    check(
        vec![pool(1, json!({"min_count": 2}))],
        vec![
            node(1, 1, json!({"role": "master"})),
            node(2, 1, json!({"etcd_state": "existing"})),
            node(3, 1, json!({"etcd_state": null})),
            node(4, 1, json!({"pool": null, "role": "master", "group_name": ""})),
        ],
        &expect![[r"
            autoscaling-spc-pool-1 0..3 has 1: spc-worker-3:Running
            nobody's: spc-worker-1:Running spc-worker-2:Running spc-worker-4:Running"]],
    );
}

#[test]
fn a_machine_belongs_to_the_pool_of_its_number_else_to_that_of_its_name() {
    check(
        vec![pool(1, json!({})), pool(2, json!({})), pool(11, json!({}))],
        vec![
            node(1, 1, json!({"group_name": "autoscaling-spc-pool-2"})),
            node(2, 7, json!({"pool": null, "group_name": "autoscaling-spc-pool-2"})),
            node(3, 7, json!({"pool": null, "group_name": "autoscaling-spc-pool-1 "})),
            node(4, 11, json!({"instance_id": ""})),
        ],
        &expect![[r"
            autoscaling-spc-pool-1 1..5 has 1: spc-worker-1:Running
            autoscaling-spc-pool-2 1..5 has 1: spc-worker-2:Running
            autoscaling-spc-pool-11 1..5 has 1: pk-4:Running
            nobody's: spc-worker-3:Running"]],
    );
}

#[test]
fn what_cannot_be_true_is_refused() {
    let refused = |pools, nodes| {
        let error = books(pools, nodes).unwrap_err();
        assert_eq!(error.class(), Class::Bug);
        error.to_string()
    };
    let one = || vec![pool(1, json!({}))];
    let all = [
        refused(vec![pool(1, json!({"node_count": 2}))], vec![]),
        refused(one(), vec![node(1, 1, json!({"cluster": 7}))]),
        refused(
            one(),
            vec![node(1, 1, json!({})), node(2, 1, json!({"instance_id": "spc-worker-1"}))],
        ),
        refused(vec![pool(1, json!({})), pool(2, json!({"instance_id": "spc-pool-1"}))], vec![]),
    ];
    expect![[r"
        the service lists no machine of cluster 345, and its pools have 2
        the service lists machine 1 of cluster 7 in cluster 345
        two machines are called spc-worker-1
        two pools are called autoscaling-spc-pool-1
    "]]
    .assert_eq(&(all.join("\n") + "\n"));
}

/// What is told of lists that need not be readable: a line per group.
fn frozen(pools: Vec<Value>, nodes: Vec<Value>) -> Result<Vec<String>, String> {
    let books = reconcile(CLUSTER, Listing::<Pool>::of(pools), &Listing::<Record>::of(nodes));
    let books = books.map_err(|error| error.to_string())?;
    let line = |shelf: &super::Shelf| {
        let frozen = shelf.frozen.as_deref().unwrap_or("lives");
        format!("{} {}..{} has {}: {frozen}", shelf.id, shelf.min, shelf.max, shelf.target())
    };
    Ok(books.groups.iter().map(line).collect())
}

#[test]
fn one_odd_pool_is_frozen_and_the_others_live() {
    let told = frozen(
        vec![
            pool(1, json!({"min_count": "many"})),
            pool(2, json!({"labels": ["tier=web"], "min_count": "1", "max_count": 5.0, "pk": "2"})),
            pool(3, json!({"max_count": 2.5, "autoscaled": false})),
            json!({"pk": 4}),
        ],
        vec![node(11, 1, json!({})), node(12, 2, json!({"pk": 12.0}))],
    );
    expect![[r#"
        autoscaling-spc-pool-2 1..5 has 1: lives
        autoscaling-spc-pool-1 1..1 has 1: the pool spc-pool-1 cannot be read: "many" is not a whole number
    "#]]
    .assert_eq(&(told.unwrap().join("\n") + "\n"));
    let none = frozen(vec![json!({"pk": 4}), json!(null)], vec![node(11, 1, json!({}))]);
    assert_eq!(none.unwrap_err(), "none of the pools that the service lists can be read");
}

#[test]
fn an_odd_record_freezes_its_group_and_no_other() {
    let pools =
        || vec![pool(1, json!({})), pool(2, json!({})), pool(3, json!({"autoscaled": false}))];
    let told = |odd: Value| frozen(pools(), vec![odd, node(12, 2, json!({}))]);
    let lines = |told: Result<Vec<String>, String>| told.unwrap().join("\n") + "\n";
    expect![[r"
        autoscaling-spc-pool-1 1..5 has 1: the record of the machine spc-worker-11 cannot be read: {} is not a text
        autoscaling-spc-pool-2 1..5 has 1: lives
    "]]
    .assert_eq(&lines(told(node(11, 1, json!({"state": {}})))));
    // Its name is enough where its pool is not told.
    expect![[r"
        autoscaling-spc-pool-1 1..5 has 1: the record of the machine spc-worker-11 cannot be read: [1] is not a key
        autoscaling-spc-pool-2 1..5 has 1: lives
    "]]
    .assert_eq(&lines(told(node(11, 1, json!({"pool": [1]})))));
    let unharmed =
        ["autoscaling-spc-pool-1 1..5 has 0: lives", "autoscaling-spc-pool-2 1..5 has 1: lives"];
    let other = told(node(11, 3, json!({"state": {}})));
    assert_eq!(other.unwrap(), unharmed, "of a pool that is no group");
    let master = json!({"pk": 11, "role": "master", "pool": null, "group_name": "", "state": 5.5, "is_failed": []});
    assert_eq!(told(master).unwrap(), unharmed, "a master");
    for stranger in [json!(null), json!({}), json!({"pk": 11}), json!({"pk": 11, "role": "worker"})]
    {
        let problem = told(stranger).unwrap_err();
        assert!(problem.contains("does not say whose machine it is"), "{problem}");
    }
}

#[test]
fn a_word_for_etcd_that_is_not_known_takes_nothing_from_the_bounds() {
    let books = books(
        vec![pool(1, json!({}))],
        vec![
            node(1, 1, json!({"etcd_state": "kube_etcd_v2"})),
            node(2, 1, json!({"etcd_state": "kube_etcd_v2"})),
            node(3, 1, json!({"etcd_state": "existing"})),
        ],
    )
    .unwrap();
    let shelf = &books.groups[0];
    assert_eq!((shelf.min, shelf.max, shelf.target()), (0, 4, 2), "one is known to host etcd");
    assert!(shelf.machines.iter().all(|machine| machine.consent == Consent::Spoken));
    let told: std::collections::BTreeSet<&String> = books.problems.iter().collect();
    assert_eq!(told.len(), 1, "a word is told once: {told:?}");
}

#[test]
fn machines_that_the_service_put_nowhere_are_told() {
    let books = books(vec![pool(1, json!({}))], vec![node(1, 1, json!({}))]).unwrap();
    let reply = json!([
        node(2, 1, json!({"state": "draft"})),
        node(3, 1, json!({"state": "draft", "pool": null, "group_name": ""})),
        node(4, 7, json!({"state": "draft"})),
        node(5, 1, json!({"role": "master", "pool": null, "group_name": ""})),
    ]);
    let reply: Vec<Record> = serde_json::from_value(reply).unwrap();
    let new = begun(&reply, &books, &books.groups[0]);
    assert_eq!(new, Begun { in_group: 1, elsewhere: vec![3] });
}

#[test]
fn machines_are_found() {
    let books = books(
        vec![pool(1, json!({})), pool(2, json!({"autoscaled": false}))],
        vec![node(1, 1, json!({})), node(2, 2, json!({}))],
    )
    .unwrap();
    assert!(
        matches!(books.place("spc-worker-1"), Place::Group(_, machine) if machine.phase == Phase::Running)
    );
    assert_eq!(books.place("spc-worker-2"), Place::Nobodys);
    assert_eq!(books.place("spc-worker-3"), Place::Nowhere);
}

#[test]
fn new_machines_are_told_from_old_ones() {
    let books = books(vec![pool(1, json!({}))], vec![node(1, 1, json!({}))]).unwrap();
    let reply = [
        node(1, 1, json!({})),
        node(2, 1, json!({"state": "draft"})),
        node(2, 1, json!({"state": "draft"})),
        node(3, 4, json!({"state": "draft"})),
    ];
    let reply: Vec<Record> = serde_json::from_value(Value::from(reply.to_vec())).unwrap();
    let new = begun(&reply, &books, &books.groups[0]);
    assert_eq!(new, Begun { in_group: 1, elsewhere: vec![] });
}

/// Pieces of text that have a meaning somewhere.
const PIECES: [&str; 16] = [
    "",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1e999",
    "\u{0}",
    "é",
    "[]",
    "99999999999999999999",
];

proptest! {
    /// A reply in which something was replaced is read or refused, and nothing panics.
    #[test]
    fn garbled_replies_are_read_or_refused(
        cuts in prop::collection::vec((any::<Index>(), 0..6_usize, prop::sample::select(PIECES.as_slice())), 1..4),
    ) {
        let nodes = Value::from((1..4).map(|pk| node(pk, 1, json!({}))).collect::<Vec<_>>()).to_string();
        let mut letters: Vec<String> = nodes.chars().map(String::from).collect();
        for (place, length, piece) in cuts {
            let start = place.index(letters.len());
            let end = (start + length).min(letters.len());
            letters.splice(start..end, [piece.to_owned()]);
        }
        let pools: Vec<Pool> = serde_json::from_value(json!([pool(1, json!({"node_count": 3}))])).unwrap();
        if let Ok(records) = serde_json::from_str::<Vec<Record>>(&letters.concat())
            && let Ok(books) = reconcile(CLUSTER, pools, &records.into())
        {
            let count = books.groups[0].machines.len() + books.nobodys.len();
            prop_assert!(count > 0, "a reply counts as empty: {}", letters.concat());
        }
    }

    /// A reply that was cut short is never a shorter list.
    #[test]
    fn truncated_replies_are_refused(end in any::<Index>()) {
        let nodes = Value::from((1..4).map(|pk| node(pk, 1, json!({}))).collect::<Vec<_>>()).to_string();
        let end = end.index(nodes.len());
        prop_assert!(serde_json::from_str::<Vec<Record>>(&nodes[..end]).is_err());
        let pools = json!([pool(1, json!({}))]).to_string();
        let end = end.min(pools.len() - 1);
        prop_assert!(serde_json::from_str::<Vec<Pool>>(&pools[..end]).is_err());
    }
}
