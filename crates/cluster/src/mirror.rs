//! The cluster as the World has it, kept up to date by watch events and never rebuilt.

use std::collections::BTreeMap;

use jiff::Timestamp;
use kube::{ResourceExt as _, api::DynamicObject};
use plimsoll_manifest::Reader;
use plimsoll_model::{Node, Pod, PodName, Settings, Symbol, World};
use plimsoll_provider::NodeIdentity;
use rustc_hash::FxHashMap;
use tracing::warn;

use self::{
    health::Health,
    named::{Name, Named},
};
use crate::source::{Change, Watched};

mod health;
mod named;

pub use self::health::Staleness;

/// How many shapes may have been abandoned before they are looked for.
const SWEEP_AFTER: u32 = 10_000;

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
    /// What only who evicts a pod needs to know of it.
    pod_facts: FxHashMap<Name, PodFacts>,
    /// What a provider knows nodes by.
    identities: FxHashMap<Symbol, NodeIdentity>,
    node_uids: FxHashMap<Symbol, Box<str>>,
    /// Storage objects as text: few and seldom changed, they are read anew when one of them has.
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
    /// Something changed that calls for a decision: a pod waits, a node came or went.
    Urgent,
}

/// What only who evicts a pod needs to know of it.
#[derive(Clone, Debug)]
struct PodFacts {
    /// What tells it from another that had its name.
    uid: Box<str>,
    /// How long it may take to end.
    grace: Option<u32>,
}

/// An object that Kubernetes accepted and we cannot read.
#[derive(Clone, Debug)]
struct Unreadable {
    /// The node that it runs on: it is not empty, whatever else we see there.
    node: Option<Symbol>,
    problem: String,
}

// === impl Mirror ===

impl Mirror {
    /// Nothing is known yet.
    pub fn new(now: Timestamp) -> Self {
        Self {
            world: World::empty(now, Settings::default()),
            nodes: Named::default(),
            pods: Named::default(),
            daemon_sets: Named::default(),
            controllers: Named::default(),
            budgets: Named::default(),
            pod_facts: FxHashMap::default(),
            identities: FxHashMap::default(),
            node_uids: FxHashMap::default(),
            storage: BTreeMap::new(),
            storage_changed: false,
            reader: Reader::new(now),
            unreadable: BTreeMap::new(),
            health: Health::default(),
            puts: 0,
        }
    }

    /// Takes a change.
    pub fn apply(&mut self, change: Change, now: Timestamp) -> Effect {
        match change {
            Change::Restart(watched) => {
                self.health.heard(watched);
                self.begin(watched);
                Effect::None
            }
            Change::Complete(watched) => {
                self.health.complete(watched);
                self.end(watched);
                Effect::Urgent
            }
            Change::Broken(watched, problem) => {
                self.health.broken(watched, problem, now);
                Effect::None
            }
            Change::Put(watched, object) => {
                self.health.heard(watched);
                self.put(watched, &object)
            }
            Change::Gone(watched, object) => {
                self.health.heard(watched);
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

    /// What a provider knows a node by.
    pub fn identity(&self, node: Symbol) -> Option<&NodeIdentity> {
        self.identities.get(&node)
    }

    /// `metadata.uid` of a node.
    pub fn node_uid(&self, node: Symbol) -> Option<&str> {
        self.node_uids.get(&node).map(|uid| &**uid)
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

    /// Nodes on which something runs that cannot be read, so that they must not be taken for empty.
    pub fn opaque_nodes(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.unreadable.values().filter_map(|unreadable| unreadable.node)
    }

    /// What cannot be read, and why: `Pod default/web: spec.…`.
    pub fn unreadable(&self) -> impl Iterator<Item = String> + '_ {
        self.unreadable.values().map(|unreadable| unreadable.problem.clone())
    }

    /// What keeps a decision from being made on this: kinds that were never seen whole, or have not been heard of for longer than
    /// a decision may rely on.
    pub fn staleness(&self, now: Timestamp, limit: jiff::SignedDuration) -> Option<Staleness> {
        self.health.staleness(now, limit)
    }

    fn put(&mut self, watched: Watched, object: &DynamicObject) -> Effect {
        self.puts += 1;
        if self.puts > SWEEP_AFTER {
            self.puts = 0;
            self.reader.sweep();
        }
        let name = Name::of(object);
        self.health.told(watched, &name);
        let key = (watched, name.clone());
        self.unreadable.remove(&key);
        match self.take(watched, name, object) {
            Ok(effect) => effect,
            Err(problem) => {
                let named_node =
                    object.data.pointer("/spec/nodeName").and_then(|node| node.as_str());
                let node = named_node.map(Symbol::new);
                warn!(%problem, "cannot read an object that the API server accepted");
                self.remove(watched, &key.1);
                self.unreadable.insert(key, Unreadable { node, problem });
                Effect::Changed
            }
        }
    }

    fn take(
        &mut self,
        watched: Watched,
        name: Name,
        object: &DynamicObject,
    ) -> Result<Effect, String> {
        let text = text(watched, object)?;
        if is_storage(watched) {
            self.storage.insert((watched, name), text);
            self.storage_changed = true;
            return Ok(Effect::Changed);
        }
        let read = self.reader.add_json(&text);
        let drained = self.reader.drain();
        read.map_err(|error| error.to_string())?;
        let objects = drained.map_err(|error| error.to_string())?;
        let world = &mut self.world;
        let mut effect = Effect::None;
        for node in objects.nodes {
            self.identities.insert(node.name, identity(object));
            self.node_uids.insert(node.name, uid(object));
            let before = self.nodes.put(&mut world.nodes, node.name, node.clone());
            effect = effect.max(match before {
                Some(before) if before == node => Effect::None,
                Some(before) => node_effect(&before, &node),
                None => Effect::Urgent,
            });
        }
        for pod in objects.pods {
            self.pod_facts.insert(name.clone(), PodFacts::of(object));
            let waits = pod.node.is_none() && pod.deletion.is_none();
            let before = self.pods.put(&mut world.pods, name.clone(), pod.clone());
            effect = effect.max(match before {
                Some(before) if is_same(&before, &pod) => Effect::None,
                Some(_) if !waits => Effect::Changed,
                _ if waits => Effect::Urgent,
                _ => Effect::Changed,
            });
        }
        for set in objects.daemon_sets {
            let before = self.daemon_sets.put(&mut world.daemon_sets, name.clone(), set.clone());
            effect = effect.max(changed(before.as_ref() == Some(&set)));
        }
        for controller in objects.controllers {
            let key = (controller.kind, name.clone());
            let before = self.controllers.put(&mut world.controllers, key, controller.clone());
            effect = effect.max(changed(before.as_ref() == Some(&controller)));
        }
        for budget in objects.budgets {
            let before = self.budgets.put(&mut world.budgets, name.clone(), budget.clone());
            effect = effect.max(changed(before.as_ref() == Some(&budget)));
        }
        for (namespace, labels) in objects.namespaces {
            world.namespaces.insert(namespace, labels);
            effect = effect.max(Effect::Changed);
        }
        Ok(effect)
    }

    fn remove(&mut self, watched: Watched, name: &Name) -> Effect {
        self.unreadable.remove(&(watched, name.clone()));
        let world = &mut self.world;
        let known = match watched {
            Watched::Nodes => {
                let node = Symbol::new(&name.name);
                self.identities.remove(&node);
                self.node_uids.remove(&node);
                let gone = self.nodes.remove(&mut world.nodes, &node).is_some();
                return if gone { Effect::Urgent } else { Effect::None };
            }
            Watched::Pods => {
                self.pod_facts.remove(name);
                self.pods.remove(&mut world.pods, name).is_some()
            }
            Watched::DaemonSets => self.daemon_sets.remove(&mut world.daemon_sets, name).is_some(),
            Watched::ReplicaSets
            | Watched::StatefulSets
            | Watched::Jobs
            | Watched::ReplicationControllers => {
                let key = (Symbol::new(watched.kind()), name.clone());
                self.controllers.remove(&mut world.controllers, &key).is_some()
            }
            Watched::Budgets => self.budgets.remove(&mut world.budgets, name).is_some(),
            Watched::Namespaces => world.namespaces.remove(&Symbol::new(&name.name)).is_some(),
            storage => {
                self.storage_changed = true;
                self.storage.remove(&(storage, name.clone())).is_some()
            }
        };
        changed(!known)
    }

    /// A list begins anew: from here on it is noted what is in it.
    fn begin(&mut self, watched: Watched) {
        let unreadable = self.unreadable.keys().filter(|(of, _)| *of == watched);
        let mut names: Vec<Name> = unreadable.map(|(_, name)| name.clone()).collect();
        names.extend(self.names(watched));
        self.health.begin(watched, names);
    }

    /// The list is complete: what was there before and was not told again is gone.
    fn end(&mut self, watched: Watched) {
        for name in self.health.end(watched) {
            self.remove(watched, &name);
        }
    }

    fn names(&self, watched: Watched) -> Vec<Name> {
        match watched {
            Watched::Nodes => self.nodes.keys().map(|node| Name::cluster(node.as_str())).collect(),
            Watched::Pods => self.pods.keys().cloned().collect(),
            Watched::DaemonSets => self.daemon_sets.keys().cloned().collect(),
            Watched::ReplicaSets
            | Watched::StatefulSets
            | Watched::Jobs
            | Watched::ReplicationControllers => {
                let kind = Symbol::new(watched.kind());
                let of_kind = self.controllers.keys().filter(|(of, _)| *of == kind);
                of_kind.map(|(_, name)| name.clone()).collect()
            }
            Watched::Budgets => self.budgets.keys().cloned().collect(),
            Watched::Namespaces => {
                let namespaces = self.world.namespaces.keys();
                namespaces.map(|namespace| Name::cluster(namespace.as_str())).collect()
            }
            storage => {
                let of_kind = self.storage.keys().filter(|(of, _)| *of == storage);
                of_kind.map(|(_, name)| name.clone()).collect()
            }
        }
    }

    fn read_storage(&mut self) {
        let mut reader = Reader::new(self.world.now);
        for ((watched, name), text) in &self.storage {
            if let Err(error) = reader.add_json(text) {
                warn!(%error, "cannot read an object that the API server accepted");
                let problem = error.to_string();
                self.unreadable
                    .insert((*watched, name.clone()), Unreadable { node: None, problem });
            }
        }
        match reader.finish() {
            Ok(objects) => self.world.storage = objects.storage,
            Err(error) => warn!(%error, "kept the storage objects as they were"),
        }
    }
}

// === impl PodFacts ===

impl PodFacts {
    fn of(object: &DynamicObject) -> Self {
        let grace = object.data.pointer("/spec/terminationGracePeriodSeconds");
        let grace = grace.and_then(|grace| u32::try_from(grace.as_u64()?).ok());
        Self { uid: uid(object), grace }
    }
}

/// The object with its kind, which a list leaves out.
fn text(watched: Watched, object: &DynamicObject) -> Result<String, String> {
    let mut value = serde_json::to_value(object).map_err(|error| error.to_string())?;
    let resource = watched.resource();
    value["apiVersion"] = resource.api_version.into();
    value["kind"] = resource.kind.into();
    if let Some(metadata) = value.get_mut("metadata").and_then(|metadata| metadata.as_object_mut())
    {
        metadata.remove("managedFields");
    }
    Ok(value.to_string())
}

fn is_storage(watched: Watched) -> bool {
    matches!(
        watched,
        Watched::Volumes
            | Watched::Claims
            | Watched::StorageClasses
            | Watched::CsiNodes
            | Watched::CsiDrivers
            | Watched::StorageCapacities
            | Watched::VolumeAttachments
    )
}

fn uid(object: &DynamicObject) -> Box<str> {
    object.uid().unwrap_or_default().into()
}

fn identity(object: &DynamicObject) -> NodeIdentity {
    let text = |pointer: &str| {
        object.data.pointer(pointer).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
    };
    let addresses = object.data.pointer("/status/addresses").and_then(|list| list.as_array());
    let addresses = addresses.into_iter().flatten();
    NodeIdentity {
        name: object.name_any(),
        provider_id: text("/spec/providerID"),
        labels: object.labels().clone(),
        annotations: object.annotations().clone(),
        addresses: addresses
            .filter_map(|address| Some(address.get("address")?.as_str()?.to_owned()))
            .collect(),
    }
}

/// A node that came or went, became ready or unready, or opened or closed for pods calls for a decision.
fn node_effect(before: &Node, after: &Node) -> Effect {
    let calls = |node: &Node| {
        (node.conditions.ready, node.unschedulable, node.deleting, node.taints.clone())
    };
    if calls(before) == calls(after) { Effect::Changed } else { Effect::Urgent }
}

/// Kubelets and schedulers write more about a pod than decisions depend on.
fn is_same(before: &Pod, after: &Pod) -> bool {
    before.shape == after.shape
        && before.node == after.node
        && before.phase == after.phase
        && before.priority == after.priority
        && before.deletion == after.deletion
        && before.owner == after.owner
        && before.nominated == after.nominated
        && before.gated == after.gated
        && before.extras == after.extras
        && before.created == after.created
        && before.scheduler == after.scheduler
}

const fn changed(same: bool) -> Effect {
    if same { Effect::None } else { Effect::Changed }
}
