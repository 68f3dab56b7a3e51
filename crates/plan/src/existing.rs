//! Pods that need nothing: a node that is here, or already on its way, takes them.

use plimsoll_fit::NodeId;

use crate::{pending::Demand, scene::Scene};

/// Pods that found a place, with it, in the order they were placed; and those that did not.
#[derive(Debug, Default)]
pub(crate) struct Fitted {
    pub placed: Vec<(Demand, NodeId)>,
    pub rest: Vec<Demand>,
}

/// Places what fits, in the given order. A pod that wants to be near others may fit only after they have their place, so the
/// rest is tried again as long as that helps somebody.
pub(crate) fn place(scene: &mut Scene<'_>, demands: Vec<Demand>) -> Fitted {
    let mut fitted = Fitted { placed: Vec::new(), rest: demands };
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
            return fitted;
        }
    }
}
