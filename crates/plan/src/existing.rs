//! Pods that need nothing: a node that is here, or already on its way, takes them.

use plimsoll_fit::{NodeId, PodId};

use crate::{pending::Demand, scale_down, scene::Scene};

/// What it counts for to look for a place for a pod, where time is limited: a microsecond, as first fit takes for pods that are each of
/// a shape of its own. Those that share one take a fifth of it (`cargo bench -p plimsoll-fit`).
pub(crate) const STEPS_A_POD: u64 = 200;

/// A pod and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub demand: Demand,
    pub node: NodeId,
    pub pod: PodId,
}

/// Pods that found a place, in the order they were placed; and those that did not.
#[derive(Debug, Default)]
pub(crate) struct Fitted {
    pub placed: Vec<Placed>,
    pub rest: Vec<Demand>,
}

/// Places what fits, in the given order. Nodes that cheaper ones replace are the last resort: whoever goes there would have to
/// move soon, and would keep the node from leaving.
pub(crate) fn place(scene: &mut Scene<'_>, demands: Vec<Demand>) -> Fitted {
    let mut fitted = Fitted { placed: Vec::new(), rest: demands };
    let replaced = scale_down::replaced(scene);
    for node in &replaced {
        scene.snapshot.close_node(*node);
    }
    fill(scene, &mut fitted);
    if !replaced.is_empty() {
        for node in &replaced {
            scene.snapshot.open_node(*node);
        }
        fill(scene, &mut fitted);
    }
    fitted
}

/// Places what fits. A pod that wants to be near others may fit only after they have their place, so the rest is tried again as
/// long as that helps somebody.
fn fill(scene: &mut Scene<'_>, fitted: &mut Fitted) {
    loop {
        let before = fitted.placed.len();
        for demand in std::mem::take(&mut fitted.rest) {
            match scene.snapshot.first_fit(demand.shape) {
                Some(node) => {
                    let pod = scene.snapshot.place(demand.shape, node);
                    fitted.placed.push(Placed { demand, node, pod });
                }
                None => fitted.rest.push(demand),
            }
        }
        if fitted.placed.len() == before || fitted.rest.is_empty() {
            return;
        }
    }
}
