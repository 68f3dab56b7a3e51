//! Random pod shapes.

use std::{fmt, ops::Deref, sync::Arc};

use plimsoll_model::{HostPort, NamespaceScope, PodShape, PodTerm, Resources, Symbol, resource};
use proptest::{prelude::*, sample};

use super::{
    NODE_NAMES, Odds, flag, maybe,
    selector::{POD_WORDS, labels},
    show, some,
    terms::{NAMESPACES, node_affinity, pod_term, spread, toleration},
    volume::volume,
};

/// A pod shape that is printed in a line.
#[derive(Clone)]
pub(crate) struct Shape(Arc<PodShape>);

/// A shape.
pub(super) fn shape(odds: Odds) -> BoxedStrategy<Shape> {
    let identity = (namespace(), labels(POD_WORDS, 60), flag(odds.terminating));
    let node = (
        requests(odds.requests),
        maybe(odds.pinned, sample::select(&NODE_NAMES).prop_map(Symbol::new)),
        node_affinity(odds.node_affinity),
        some(odds.tolerations, 2, toleration()),
        some(odds.ports, 2, port()),
    );
    let company = (
        some(odds.spread, 2, spread()),
        some(odds.affinity, 2, pod_term()),
        some(odds.anti_affinity, 2, pod_term()),
    );
    (identity, node, company, some(odds.volumes, 3, volume()))
        .prop_map(|(identity, node, company, volumes)| {
            let (namespace, labels, terminating) = identity;
            let (requests, pinned_to, node_affinity, tolerations, ports) = node;
            let (spread, affinity, anti_affinity) = company;
            Shape(Arc::new(PodShape {
                namespace,
                labels,
                requests,
                pinned_to,
                node_affinity,
                tolerations,
                ports,
                spread,
                affinity: settled(affinity, namespace),
                anti_affinity: settled(anti_affinity, namespace),
                volumes,
                device_claims: Box::default(),
                terminating,
            }))
        })
        .boxed()
}

/// Mostly the same one, so that pods meet.
fn namespace() -> impl Strategy<Value = Symbol> {
    prop_oneof![3 => Just(NAMESPACES[0]), 2 => sample::select(&NAMESPACES)].prop_map(Symbol::new)
}

fn requests(percent: u32) -> impl Strategy<Value = Resources> {
    let amount = |name, percent, amounts: &'static [i64]| {
        maybe(percent, sample::select(amounts))
            .prop_map(move |amount| (Symbol::new(name), amount.unwrap_or(0)))
    };
    let amounts = (
        amount(resource::CPU, percent, &[500, 1000, 1500, 2000, 5000]),
        amount(resource::MEMORY, percent, &[1, 2, 3]),
        amount(resource::EPHEMERAL_STORAGE, percent / 4, &[1, 2]),
        amount("example.com/gpu", percent / 4, &[1, 2]),
        amount("hugepages-2Mi", percent / 4, &[1, 2]),
    );
    amounts.prop_map(|(cpu, memory, disk, gpus, pages)| {
        Resources::from_amounts([cpu, memory, disk, gpus, pages])
    })
}

fn port() -> impl Strategy<Value = HostPort> {
    let address = sample::select(&["", "", "10.0.0.1", "10.0.0.2", "::"]);
    (address, sample::select(&["TCP", "TCP", "UDP"]), sample::select(&[80, 443]))
        .prop_map(|(address, protocol, port)| HostPort::new(address, protocol, port))
}

/// A term that says nothing about namespaces means the pod's own.
fn settled(mut terms: Box<[PodTerm]>, namespace: Symbol) -> Box<[PodTerm]> {
    for term in &mut terms {
        if term.namespaces.named.is_empty() && term.namespaces.selected.is_none() {
            term.namespaces = NamespaceScope::only(namespace);
        }
    }
    terms
}

// === impl Shape ===

impl Deref for Shape {
    type Target = Arc<PodShape>;

    fn deref(&self) -> &Arc<PodShape> {
        &self.0
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show::shape(f, &self.0)
    }
}
