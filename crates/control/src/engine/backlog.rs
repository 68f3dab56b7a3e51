//! What came in while the observation was lent to the planner.

use std::collections::BTreeSet;

use jiff::Timestamp;
use plimsoll_cluster::{
    mirror::{Effect, Mirror},
    source::{Change, Watched},
};
use plimsoll_model::{PodName, Symbol};

use super::{decide::Observation, leader::Event};

/// What came in while the observation was lent, in its order.
#[derive(Default)]
pub(super) struct Backlog {
    /// Changes of the cluster, each with the moment at which it came.
    changes: Vec<(Change, Timestamp)>,
    /// Answers that change the observation.
    events: Vec<Event>,
    inventory_changed: bool,
}

/// What the changes of a backlog mean.
#[derive(Debug)]
pub(super) struct CaughtUp {
    pub effect: Effect,
    pub meanwhile: Meanwhile,
    pub events: Vec<Event>,
}

/// The pods and nodes that changed while a plan was made, so that of all others it is known that the plan still holds.
#[derive(Debug, Default)]
pub(super) struct Meanwhile {
    pods: BTreeSet<PodName>,
    nodes: BTreeSet<Symbol>,
    /// Whether all nodes or all pods were listed again: then it is not known which of them are gone.
    pub relisted: bool,
    /// Whether a provider's inventory is another one by now.
    pub inventory_changed: bool,
}

// === impl Backlog ===

impl Backlog {
    pub(super) fn push_change(&mut self, change: Change, now: Timestamp) {
        self.changes.push((change, now));
    }

    pub(super) fn push_event(&mut self, event: Event) {
        self.events.push(event);
    }

    pub(super) fn push_inventory(&mut self) {
        self.inventory_changed = true;
    }

    /// Brings the observation up to date. The events are left to be handled once the pass is finished.
    pub(super) fn catch_up(self, observation: &mut Observation) -> CaughtUp {
        let Self { changes, events, inventory_changed } = self;
        let mut meanwhile = Meanwhile { inventory_changed, ..Meanwhile::default() };
        let mut effect = Effect::None;
        for (change, at) in changes {
            meanwhile.note(&change);
            effect = effect.max(observation.mirror.apply(change, at));
        }
        if inventory_changed {
            observation.owners.inventory_changed();
        }
        CaughtUp { effect, meanwhile, events }
    }
}

// === impl Meanwhile ===

impl Meanwhile {
    fn note(&mut self, change: &Change) {
        if let Change::Complete(Watched::Nodes | Watched::Pods) = change {
            self.relisted = true;
        }
        let (Change::Put(watched, object) | Change::Gone(watched, object)) = change else { return };
        let (namespace, name) = (object.namespace(), object.name());
        match watched {
            Watched::Nodes => {
                self.nodes.insert(Symbol::new(name));
            }
            Watched::Pods => {
                let namespace = Symbol::new(namespace);
                self.pods.insert(PodName { namespace, name: name.into() });
            }
            _ => {}
        }
    }

    /// Whether a pod that was pending when the plan was made still is.
    pub(super) fn is_still_pending(&self, pod: &PodName, mirror: &Mirror) -> bool {
        if !self.pods.contains(pod) {
            return true;
        }
        let known = mirror.pod(pod);
        known.is_some_and(|pod| pod.node.is_none() && pod.deletion.is_none() && !pod.has_ended())
    }

    /// A pod that came to a node while the plan was made and that would have to be evicted from it.
    pub(super) fn newcomer(&self, node: Symbol, mirror: &Mirror) -> Option<&PodName> {
        self.pods.iter().find(|name| {
            mirror.pod(name).is_some_and(|pod| {
                pod.node == Some(node)
                    && !pod.has_ended()
                    && pod.deletion.is_none()
                    && !pod.is_daemon()
                    && !pod.is_mirror()
            })
        })
    }

    /// Whether a node changed while the plan was made.
    pub(super) fn has_changed(&self, node: Symbol) -> bool {
        self.nodes.contains(&node)
    }
}
