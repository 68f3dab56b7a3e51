//! The objects that would make a pod anew, by name.

use plimsoll_model::{Owner, Symbol, World};
use rustc_hash::FxHashMap;

/// Kinds of controllers that the World lists all of, so that one that is missing is gone.
const REPLICATED: [&str; 4] = ["ReplicationController", "ReplicaSet", "Job", "StatefulSet"];
const DAEMON_SET: &str = "DaemonSet";
const JOB: &str = "Job";

/// Controllers by kind, namespace and name.
#[derive(Debug)]
pub(super) struct Controllers<'w> {
    /// With the number of pods they want; `None` where that says nothing about how replaceable a pod is.
    known: FxHashMap<(Symbol, Symbol, &'w str), Option<i32>>,
    replicated: [Symbol; 4],
    daemon_set: Symbol,
}

/// What is known of a pod's controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// It is there, and wants so many pods if that matters.
    Found(Option<i32>),
    /// It should be there and is not.
    Gone,
    /// Nobody watches objects of its kind.
    Unknown,
}

// === impl Controllers ===

impl<'w> Controllers<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        let daemon_set = Symbol::new(DAEMON_SET);
        let job = Symbol::new(JOB);
        let controllers = world.controllers.iter().map(|one| {
            // A Job's pods run to an end, each its own: their number protects none of them.
            let replicas = (one.kind != job).then_some(one.replicas);
            ((one.kind, one.namespace, &*one.name), replicas)
        });
        let daemons =
            world.daemon_sets.iter().map(|set| ((daemon_set, set.namespace, &*set.name), None));
        let known = controllers.chain(daemons).collect();
        Self { known, replicated: REPLICATED.map(Symbol::new), daemon_set }
    }

    pub(super) fn look_up(&self, owner: &Owner, namespace: Symbol) -> Lookup {
        match self.known.get(&(owner.kind, namespace, &*owner.name)) {
            Some(replicas) => Lookup::Found(*replicas),
            None if self.is_replicated(owner.kind) || owner.kind == self.daemon_set => Lookup::Gone,
            None => Lookup::Unknown,
        }
    }

    /// Whether controllers of this kind are known to replace a pod that goes.
    pub(super) fn is_replicated(&self, kind: Symbol) -> bool {
        self.replicated.contains(&kind)
    }
}
