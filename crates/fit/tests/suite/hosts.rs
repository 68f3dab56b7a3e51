//! More hosts than generated clusters have. Each is a domain of its own, so counts by host are many.

use std::sync::Arc;

use plimsoll_fit::{NodeId, Plugin, Rejection, ShapeId, Snapshot};
use plimsoll_model::{
    Conditions, LabelSelector, Labels, NamespaceScope, Namespaces, Node, PodShape, PodTerm,
    Resources, SpreadConstraint, Storage, Symbol, Timestamp, label, resource,
};

const HOSTS: usize = 5000;

fn cluster() -> (Snapshot, Vec<NodeId>) {
    let mut snapshot = Snapshot::new(Namespaces::default(), Storage::default());
    let nodes = (0..HOSTS).map(|number| snapshot.add_node(host(number))).collect();
    (snapshot, nodes)
}

fn host(number: usize) -> Arc<Node> {
    let name = Symbol::new(&format!("host-{number}"));
    let room = Resources::from_amounts([(Symbol::new(resource::PODS), 3)]);
    Arc::new(Node {
        name,
        labels: Labels::from_pairs([(Symbol::new(label::HOSTNAME), name)]),
        taints: Box::default(),
        unschedulable: false,
        allocatable: room.clone(),
        capacity: room,
        provider_id: Box::default(),
        created: Timestamp::UNIX_EPOCH,
        conditions: Conditions::default(),
        keep: false,
        deleting: false,
    })
}

/// A pod of the app `web`.
fn pod(spread: bool, apart: bool) -> Arc<PodShape> {
    let namespace = Symbol::new("default");
    let selector = LabelSelector::parse("app=web").ok();
    let topology_key = Symbol::new(label::HOSTNAME);
    let constraint = SpreadConstraint {
        max_skew: 1,
        topology_key,
        selector: selector.clone(),
        min_domains: 1,
        honor_affinity: true,
        honor_taints: false,
    };
    let namespaces = NamespaceScope::only(namespace);
    let term = PodTerm { selector, namespaces, topology_key };
    Arc::new(PodShape {
        labels: Labels::from_pairs([(Symbol::new("app"), Symbol::new("web"))]),
        spread: spread.then_some(constraint).into_iter().collect(),
        anti_affinity: apart.then_some(term).into_iter().collect(),
        ..PodShape::plain(namespace, Resources::default())
    })
}

fn rejected_by(snapshot: &Snapshot, shape: ShapeId, node: NodeId) -> Vec<Plugin> {
    snapshot.judge(shape, node).iter().map(Rejection::plugin).collect()
}

#[test]
fn pods_that_avoid_each_other_take_one_host_each() {
    let (mut snapshot, nodes) = cluster();
    let shape = snapshot.shape(&pod(false, true));
    let mut pods = Vec::new();
    for node in &nodes {
        assert_eq!(snapshot.first_fit(shape), Some(*node));
        pods.push(snapshot.place(shape, *node));
    }
    assert_eq!(snapshot.first_fit(shape), None);
    assert_eq!(rejected_by(&snapshot, shape, nodes[4999]), [Plugin::InterPodAffinity]);
    snapshot.evict(pods[4700]);
    assert_eq!(snapshot.first_fit(shape), Some(nodes[4700]));
}

#[test]
fn spread_over_hosts_goes_round_by_round() {
    let (mut snapshot, nodes) = cluster();
    let shape = snapshot.shape(&pod(true, false));
    let mut pods = Vec::new();
    for node in &nodes {
        assert_eq!(snapshot.first_fit(shape), Some(*node));
        pods.push(snapshot.place(shape, *node));
    }
    assert_eq!(snapshot.first_fit(shape), Some(nodes[0]));
    // One host falls behind, and all others have to wait for it.
    snapshot.evict(pods[4700]);
    assert_eq!(snapshot.first_fit(shape), Some(nodes[4700]));
    assert_eq!(rejected_by(&snapshot, shape, nodes[4701]), [Plugin::PodTopologySpread]);
    // A host that is gone is waited for no longer.
    snapshot.remove_node(nodes[4700]);
    assert_eq!(snapshot.first_fit(shape), Some(nodes[0]));
    assert!(snapshot.fits(shape, nodes[4701]));
}

#[test]
fn a_shape_met_late_finds_what_is_there() {
    let (mut snapshot, nodes) = cluster();
    let plain = snapshot.shape(&pod(false, false));
    for node in nodes.iter().filter(|node| **node != nodes[4500]) {
        snapshot.place(plain, *node);
    }
    for late in [pod(true, false), pod(false, true), pod(true, true)] {
        let shape = snapshot.shape(&late);
        assert_eq!(snapshot.first_fit(shape), Some(nodes[4500]));
    }
}
