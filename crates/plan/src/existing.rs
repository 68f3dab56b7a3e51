//! Pods that need nothing: a node that is here, or already on its way, takes them.

use plimsoll_fit::NodeId;

use crate::{pending::Demand, scene::Scene, state::Readiness};

/// Pods that found a place, with it, in the order they were placed; and those that did not.
#[derive(Debug, Default)]
pub(crate) struct Fitted {
    pub placed: Vec<(Demand, NodeId)>,
    pub rest: Vec<Demand>,
}

/// Places what fits, in the given order. Nodes that nobody has needed come last: a soft taint makes the scheduler act so too,
/// and their clocks need not start again.
pub(crate) fn place(scene: &mut Scene<'_>, demands: Vec<Demand>) -> Fitted {
    let mut fitted = Fitted { placed: Vec::new(), rest: demands };
    let unneeded = unneeded(scene);
    for node in &unneeded {
        scene.snapshot.close_node(*node);
    }
    place_all(scene, &mut fitted);
    for node in &unneeded {
        scene.snapshot.open_node(*node);
    }
    if !unneeded.is_empty() {
        place_all(scene, &mut fitted);
    }
    fitted
}

/// Ready nodes that earlier passes found unneeded.
fn unneeded(scene: &Scene<'_>) -> Vec<NodeId> {
    let state = &scene.state;
    let names = state.world.memory.unneeded_since.keys();
    let places = names.filter_map(|name| state.node_places.get(name).copied());
    let ready = places.filter(|place| state.nodes[*place].readiness == Readiness::Ready);
    ready.map(|place| scene.node_ids[place]).collect()
}

/// A pod that wants to be near others may fit only after they have their place, so the rest is tried again as long as that
/// helps somebody.
fn place_all(scene: &mut Scene<'_>, fitted: &mut Fitted) {
    loop {
        let before = fitted.placed.len();
        for demand in std::mem::take(&mut fitted.rest) {
            match scene.snapshot.first_fit(demand.shape) {
                Some(node) => {
                    scene.snapshot.place(demand.shape, node);
                    fitted.placed.push((demand, node));
                }
                None => fitted.rest.push(demand),
            }
        }
        if fitted.placed.len() == before || fitted.rest.is_empty() {
            return;
        }
    }
}
