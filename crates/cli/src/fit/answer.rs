//! Asks the scheduling model.

use plimsoll_fit::{NodeId, Rejection, Snapshot};
use plimsoll_manifest::case::Case;
use plimsoll_model::{PodName, Symbol};
use rustc_hash::FxHashMap;

/// What was found out about a case.
#[derive(Debug)]
pub(super) struct Answer {
    /// The case's name.
    pub(super) id: String,
    /// In the order they were asked about.
    pub(super) pods: Vec<PodAnswer>,
}

/// Where a pod can go.
#[derive(Debug)]
pub(super) struct PodAnswer {
    /// The pod.
    pub(super) pod: PodName,
    /// Every node in the order they were given, with what speaks against it.
    pub(super) nodes: Vec<(Symbol, Vec<Rejection>)>,
}

/// Judges each pending pod alone against the running state.
pub(super) fn answer(case: Case) -> Answer {
    let Case { id, objects, pending } = case;
    let mut snapshot =
        Snapshot::new(objects.namespaces, objects.storage).with_devices(&objects.devices);
    let nodes: FxHashMap<Symbol, NodeId> =
        objects.nodes.into_iter().map(|node| (node.name, snapshot.add_node(node))).collect();
    // A pod that has ended, or is on a node that is not there, does not exist for the scheduler.
    for pod in objects.pods.iter().filter(|pod| !pod.has_ended()) {
        if let Some(node) = pod.node.and_then(|name| nodes.get(&name)) {
            let shape = snapshot.shape(&pod.shape);
            snapshot.place(shape, *node);
        }
    }
    let judge = |pod: &plimsoll_model::Pod| {
        let shape = snapshot.shape(&pod.shape);
        let ids: Vec<NodeId> = snapshot.node_ids().collect();
        let verdict = |id| (snapshot.node(id).name, snapshot.judge(shape, id));
        PodAnswer { pod: pod.id(), nodes: ids.into_iter().map(verdict).collect() }
    };
    Answer { id, pods: pending.iter().map(judge).collect() }
}
