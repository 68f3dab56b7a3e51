//! The cluster as the World has it, kept up to date by watch events and never rebuilt.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use plimsoll_manifest::Reader;
use plimsoll_model::{Pod, PodName, Refusal, Settings, Symbol, World};
use plimsoll_provider::NodeIdentity;
use rustc_hash::FxHashMap;

use self::{
    facts::PodFacts,
    health::Health,
    named::{Name, Named},
    unreadable::Unreadable,
};
use crate::source::{Change, Kinds, Watched};

mod facts;
mod health;
mod intake;
mod named;
mod stand_in;
mod unreadable;

pub use self::health::Staleness;

/// What is known of the cluster.
#[derive(Debug)]
pub struct Mirror {
    /// Kept in place: `nodes`, `pods` and the other lists of the cluster's objects. The rest is filled in by who plans.
    world: World,
    nodes: Named<Symbol>,
    pods: Named<Name>,
    daemon_sets: Named<Name>,
    controllers: Named<(Symbol, Name)>,
    budgets: Named<Name>,
    pod_templates: Named<Name>,
    buffers: Named<Name>,
    namespace_quotas: Named<Name>,
    /// What the API server has against units of buffers.
    refusals: FxHashMap<Name, Refusal>,
    requests: Named<Name>,
    quotas: Named<Name>,
    /// What only who evicts a pod needs to know of it.
    pod_facts: FxHashMap<Name, PodFacts>,
    /// What a provider knows nodes by.
    identities: FxHashMap<Symbol, NodeIdentity>,
    node_uids: FxHashMap<Symbol, Box<str>>,
    /// Names of the conditions of nodes that are True.
    node_conditions: FxHashMap<Symbol, Box<[Box<str>]>>,
    /// Objects of storage and devices as text, each as it could last be read: few and seldom changed, they are read anew when one of
    /// them has.
    storage: BTreeMap<(Watched, Name), String>,
    storage_changed: bool,
    reader: Reader,
    /// What cannot be read, with the reason.
    unreadable: BTreeMap<(Watched, Name), Unreadable>,
    health: Health,
    puts: u32,
}

/// What a change means to who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing that a decision depends on.
    None,
    /// Something changed that a decision may take into account when it is made.
    Changed,
    /// Something changed that calls for a decision: the scheduler found no place for a pod, a node came or went.
    Urgent,
}

// === impl Mirror ===

impl Mirror {
    /// Nothing is known yet. These kinds have to be seen before anything is decided.
    pub fn new(now: Timestamp, kinds: Kinds) -> Self {
        Self {
            world: World::empty(now, Settings::default()),
            nodes: Named::default(),
            pods: Named::default(),
            daemon_sets: Named::default(),
            controllers: Named::default(),
            budgets: Named::default(),
            pod_templates: Named::default(),
            buffers: Named::default(),
            namespace_quotas: Named::default(),
            refusals: FxHashMap::default(),
            requests: Named::default(),
            quotas: Named::default(),
            pod_facts: FxHashMap::default(),
            identities: FxHashMap::default(),
            node_uids: FxHashMap::default(),
            node_conditions: FxHashMap::default(),
            storage: BTreeMap::new(),
            storage_changed: false,
            reader: Reader::new(now),
            unreadable: BTreeMap::new(),
            health: Health::new(kinds),
            puts: 0,
        }
    }

    /// Takes a change.
    pub fn apply(&mut self, change: Change, now: Timestamp) -> Effect {
        match change {
            Change::Restart(watched) => {
                self.begin(watched);
                Effect::None
            }
            Change::Complete(watched) => {
                self.health.complete(watched, now);
                self.end(watched);
                Effect::Urgent
            }
            Change::Absent(watched) => {
                let first = self.health.complete(watched, now);
                self.begin(watched);
                self.end(watched);
                if first { Effect::Urgent } else { Effect::None }
            }
            Change::Alive(watched) => {
                // What was held back in the meantime need not wait for its turn.
                let is_back = self.health.heard(watched, now);
                if is_back { Effect::Urgent } else { Effect::None }
            }
            Change::Broken(watched, problem) => {
                self.health.broken(watched, problem, now);
                Effect::None
            }
            Change::Put(watched, object) => {
                self.health.heard(watched, now);
                self.put(watched, &object)
            }
            Change::Gone(watched, object) => {
                self.health.heard(watched, now);
                self.remove(watched, &Name::of(&object))
            }
        }
    }

    /// The World, with everything of the cluster in it.
    pub fn world(&mut self) -> &mut World {
        if self.storage_changed {
            self.storage_changed = false;
            self.read_storage();
        }
        &mut self.world
    }

    /// Takes what the API server has against the units of a CapacityBuffer; `None` when it takes them.
    pub fn refuse(&mut self, namespace: Symbol, buffer: &str, refusal: Option<Refusal>) {
        let name = Name { namespace: namespace.as_str().into(), name: buffer.into() };
        let mut buffers = self.world.buffers.iter_mut();
        let known = buffers.find(|known| known.namespace == namespace && &*known.name == buffer);
        let Some(known) = known else { return };
        known.refusal.clone_from(&refusal);
        match refusal {
            Some(refusal) => self.refusals.insert(name, refusal),
            None => self.refusals.remove(&name),
        };
    }

    /// What a provider knows a node by.
    pub fn identity(&self, node: Symbol) -> Option<&NodeIdentity> {
        self.identities.get(&node)
    }

    /// `metadata.uid` of a node.
    pub fn node_uid(&self, node: Symbol) -> Option<&str> {
        self.node_uids.get(&node).map(|uid| &**uid)
    }

    /// Whether a node has this condition, and it is True.
    pub fn has_condition(&self, node: Symbol, condition: &str) -> bool {
        let known = self.node_conditions.get(&node);
        known.is_some_and(|known| known.iter().any(|name| **name == *condition))
    }

    /// A pod, as the World has it.
    pub fn pod(&self, pod: &PodName) -> Option<&Pod> {
        let name = Name { namespace: pod.namespace.as_str().into(), name: pod.name.clone() };
        self.pods.get(&self.world.pods, &name)
    }

    /// Whether a pod is Ready.
    pub fn is_ready(&self, pod: &PodName) -> bool {
        self.facts(pod).is_some_and(|facts| facts.is_ready)
    }

    /// `metadata.uid` of a pod.
    pub fn pod_uid(&self, pod: &PodName) -> Option<&str> {
        self.facts(pod).map(|facts| &*facts.uid)
    }

    /// `spec.terminationGracePeriodSeconds` of a pod.
    pub fn pod_grace(&self, pod: &PodName) -> Option<u32> {
        self.facts(pod)?.grace
    }

    fn facts(&self, pod: &PodName) -> Option<&PodFacts> {
        let name = Name { namespace: pod.namespace.as_str().into(), name: pod.name.clone() };
        self.pod_facts.get(&name)
    }

    /// What keeps a decision from being made on this: kinds that were never seen whole, or have not been heard of for longer than
    /// a decision may rely on. A kind of which nothing changes is heard of about every 20 seconds, see [`Change::Alive`].
    pub fn staleness(&self, now: Timestamp, limit: SignedDuration) -> Option<Staleness> {
        self.health.staleness(now, limit)
    }

    /// When [`Mirror::staleness`] begins if nothing is heard from now on; `None` if something has not been seen yet.
    pub fn fresh_until(&self, limit: SignedDuration) -> Option<Timestamp> {
        self.health.fresh_until(limit)
    }
}

#[cfg(test)]
mod tests;
