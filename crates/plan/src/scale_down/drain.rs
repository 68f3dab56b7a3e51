//! What a node's pods say to its leaving: some do not matter, some have to be moved, some hold it.

mod controllers;
mod rules;

use plimsoll_model::{Pod, SignedDuration, Timestamp, World};

use self::{
    controllers::Controllers,
    rules::{RULES, Verdict},
};
use super::{budgets::Budgets, fates::Hold};
use crate::scene::{Scene, is_expendable};

/// A pod that should have been gone for so long is not waited for.
const PATIENCE: SignedDuration = SignedDuration::from_secs(30);

/// What has to happen to a node's pods before it can go. Places in the World's list, in its order.
#[derive(Clone, Debug, Default)]
pub(super) struct Load {
    /// They are evicted, and need another place.
    pub moving: Vec<usize>,
    /// Their DaemonSets follow the nodes, so they need no place.
    daemons: Vec<usize>,
}

/// Judges pods by the rules.
#[derive(Debug)]
pub(super) struct Drain<'a, 'w> {
    scene: &'a Scene<'w>,
    budgets: &'a Budgets<'w>,
    controllers: Controllers<'w>,
}

// === impl Load ===

impl Load {
    /// Whether nothing has to be moved.
    pub(super) fn is_empty(&self) -> bool {
        self.moving.is_empty()
    }
}

// === impl Drain ===

impl<'a, 'w> Drain<'a, 'w> {
    pub(super) fn new(scene: &'a Scene<'w>, budgets: &'a Budgets<'w>) -> Self {
        Self { scene, budgets, controllers: Controllers::new(scene.state.world) }
    }

    /// What has to be moved off a node, or the pod that holds it.
    pub(super) fn load(&self, node: usize) -> Result<Load, Hold> {
        let world = self.scene.state.world;
        let mut load = Load::default();
        for place in self.scene.residents.of(node) {
            let pod = &world.pods[*place];
            if is_expendable(&self.scene.state, pod) {
                continue;
            }
            let verdict = RULES.iter().find_map(|rule| rule(self, pod)).unwrap_or(Verdict::Moves);
            match verdict {
                Verdict::Skipped => {}
                Verdict::Follows => load.daemons.push(*place),
                Verdict::Moves => load.moving.push(*place),
                Verdict::Finishes => return Err(Hold::by_completion(0, *place)),
                Verdict::Holds(reason) => return Err(Hold::by_pod(0, *place, reason)),
            }
        }
        Ok(load)
    }
}

/// Whether a pod should have been gone long ago. Its deadline includes the grace it was given.
pub(super) fn is_long_gone(pod: &Pod, now: Timestamp) -> bool {
    pod.deletion.is_some_and(|deletion| now.duration_since(deletion.at) > PATIENCE)
}

/// The pods of DaemonSets that are evicted before their node goes, so that they can end in peace. It is a courtesy: where a
/// disruption budget does not allow it they go with the node.
pub(super) fn evicted_daemons(world: &World, budgets: &mut Budgets<'_>, load: &Load) -> Vec<usize> {
    let settings = &world.settings.scale_down;
    let usual = if load.is_empty() {
        settings.evict_daemons_empty
    } else {
        settings.evict_daemons_occupied
    };
    let wanted = |pod: &usize| {
        let own = world.pods[*pod].extras.as_ref().and_then(|extras| extras.daemon_eviction);
        own.unwrap_or(usual)
    };
    let mut evicted = Vec::new();
    for pod in load.daemons.iter().copied().filter(wanted) {
        if budgets.shortage(world, [pod]).is_none() {
            budgets.take(world, [pod]);
            evicted.push(pod);
        }
    }
    evicted
}
