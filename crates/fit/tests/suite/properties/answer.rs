//! All that can be asked about a shape, and what is where.

use plimsoll_fit::{Plugin, Rejection, Snapshot};
use plimsoll_model::{Symbol, resource};
use proptest::prop_assert_eq;

use crate::{
    generate::Scenario,
    player::{Checked, Mirror},
    reference::{free, rejecting_plugins},
};

/// What is said about a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    shape: usize,
    /// By node, in order.
    nodes: Vec<Verdict>,
    /// The first node that takes it.
    first_fit: Option<Symbol>,
}

/// What is said about a shape and a node.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Verdict {
    node: Symbol,
    rejected_by: Vec<Plugin>,
    fits: bool,
    /// As `fits`, spread and affinity left aside.
    fits_alone: bool,
}

/// Resources that nodes have or lack.
const RESOURCES: [&str; 5] =
    [resource::PODS, resource::CPU, resource::MEMORY, "example.com/gpu", "example.com/none"];

/// What the snapshot says about all shapes.
pub(super) fn answers(
    scenario: &Scenario,
    snapshot: &mut Snapshot,
    mirror: &mut Mirror,
) -> Vec<Answer> {
    let shapes = 0..scenario.shapes.len();
    shapes.map(|shape| Answer::of_snapshot(scenario, snapshot, mirror, shape)).collect()
}

/// The snapshot has the nodes and pods of the list, the nodes in the same order.
pub(super) fn check_contents(snapshot: &mut Snapshot, mirror: &Mirror) -> Checked {
    let nodes: Vec<_> = snapshot.node_ids().collect();
    prop_assert_eq!(&nodes, &mirror.nodes, "{:#?}", mirror.history);
    for (id, node) in nodes.into_iter().zip(&mirror.cluster.nodes) {
        prop_assert_eq!(snapshot.node(id), node);
        for name in RESOURCES.map(Symbol::new) {
            let left = free(&mirror.cluster, node, name);
            prop_assert_eq!(snapshot.free(id, name), left, "{}: {:#?}", name, mirror.history);
        }
        let mut pods: Vec<_> = snapshot.pods_on(id).collect();
        let mut listed = Vec::new();
        for (pod, (shape, on)) in mirror.pods.iter().zip(&mirror.cluster.pods) {
            if *on == node.name {
                listed.push(*pod);
                let shape = snapshot.shape(shape);
                prop_assert_eq!(snapshot.shape_of(*pod), shape, "{:#?}", mirror.history);
                prop_assert_eq!(snapshot.node_of(*pod), id, "{:#?}", mirror.history);
            }
        }
        pods.sort();
        listed.sort();
        prop_assert_eq!(pods, listed, "{:#?}", mirror.history);
    }
    Ok(())
}

/// Whether the plugin weighs pods on other nodes.
fn looks_at_others(plugin: Plugin) -> bool {
    matches!(plugin, Plugin::PodTopologySpread | Plugin::InterPodAffinity)
}

// === impl Answer ===

impl Answer {
    pub(super) fn of_snapshot(
        scenario: &Scenario,
        snapshot: &mut Snapshot,
        mirror: &mut Mirror,
        shape: usize,
    ) -> Self {
        let id = mirror.shape(scenario, snapshot, shape);
        let verdicts = snapshot.node_ids().map(|node| Verdict {
            node: snapshot.node(node).name,
            rejected_by: snapshot.judge(id, node).iter().map(Rejection::plugin).collect(),
            fits: snapshot.fits(id, node),
            fits_alone: snapshot.fits_alone(id, node),
        });
        let nodes = verdicts.collect();
        let first_fit = snapshot.first_fit(id).map(|node| snapshot.node(node).name);
        Self { shape, nodes, first_fit }
    }

    pub(super) fn of_reference(scenario: &Scenario, mirror: &Mirror, shape: usize) -> Self {
        let mut nodes = Vec::new();
        for node in &mirror.cluster.nodes {
            let rejected_by = rejecting_plugins(&mirror.cluster, &scenario.shapes[shape], node);
            let open = !mirror.closed.contains(&node.name);
            nodes.push(Verdict {
                node: node.name,
                fits: open && rejected_by.is_empty(),
                fits_alone: open && rejected_by.iter().all(|plugin| looks_at_others(*plugin)),
                rejected_by,
            });
        }
        let first_fit = nodes.iter().find(|verdict| verdict.fits).map(|verdict| verdict.node);
        Self { shape, nodes, first_fit }
    }
}
