//! What controllers must find quickly: pods by owner, by node and by labels, and the dependents of any object.
//!
//! Everything else is read from the store when it is needed. Pods of a workload share their labels, so that a selector is tried
//! once for each set of labels in a namespace and not once for each pod.

use std::{cell::Cell, collections::BTreeMap, sync::Arc};

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{Meta, Node, Owner, Pod};
use crate::{
    Object,
    object::{Key, Labels},
    store::{LabelSelector, Resource},
};

/// An object of any kind, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ref {
    /// What it is.
    pub(crate) resource: Resource,
    /// Which.
    pub(crate) key: Key,
}

/// What is known of all objects.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pods: FxHashMap<Key, Arc<Pod>>,
    nodes: BTreeMap<Arc<str>, Arc<Node>>,
    /// By namespace, then by labels.
    by_labels: FxHashMap<Arc<str>, FxHashMap<Labels, FxHashSet<Key>>>,
    by_node: FxHashMap<Arc<str>, FxHashSet<Key>>,
    /// Objects that have owners, by the owner's uid.
    dependents: FxHashMap<Box<str>, FxHashSet<Ref>>,
    /// The owners of objects that are not pods; pods carry theirs.
    owners: FxHashMap<Ref, Box<[Owner]>>,
    /// How many pods and nodes have been shown to controllers, which is about what their decisions have cost.
    shown: Cell<usize>,
}

/// What happened to an object.
#[derive(Debug)]
pub(crate) struct Change {
    /// Which object.
    pub(crate) target: Ref,
    /// Its newest state, or its last.
    pub(crate) object: Arc<Object>,
    /// Whether it is gone.
    pub(crate) gone: bool,
    /// Owners, finalizers, deletion, in that state.
    pub(crate) meta: Meta,
    /// Whom it belonged to before.
    pub(crate) owners_before: Box<[Owner]>,
    /// For pods: what it was before.
    pub(crate) pod_before: Option<Arc<Pod>>,
    /// For pods: what it is now.
    pub(crate) pod: Option<Arc<Pod>>,
    /// For nodes: what it was before.
    pub(crate) node_before: Option<Arc<Node>>,
    /// For nodes: what it is now.
    pub(crate) node: Option<Arc<Node>>,
}

// === impl Change ===

impl Change {
    /// Whether it is about this built-in resource.
    pub(crate) fn is(&self, group: &str, plural: &str) -> bool {
        *self.target.resource.plural == *plural && *self.target.resource.group == *group
    }

    /// Whether it is about a pod.
    pub(crate) fn is_pod(&self) -> bool {
        self.is("", "pods")
    }

    /// The pod before and after, as far as there was one and is one.
    pub(crate) fn pods(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.pod_before.iter().chain(&self.pod)
    }

    /// The controlling owner of a kind, before and after.
    pub(crate) fn controllers<'c>(&'c self, kind: &'c str) -> impl Iterator<Item = &'c Owner> {
        let owners = self.owners_before.iter().chain(&self.meta.owners);
        owners.filter(move |owner| owner.controller && *owner.kind == *kind)
    }
}

// === impl Index ===

impl Index {
    /// Takes in the newest state of an object, or its last.
    pub(crate) fn update(
        &mut self,
        resource: &Resource,
        object: Arc<Object>,
        gone: bool,
    ) -> Change {
        let target = Ref { resource: resource.clone(), key: object.key.clone() };
        let is_pod = resource.group.is_empty() && &*resource.plural == "pods";
        let pod = if is_pod { Pod::of(&object).map(Arc::new) } else { None };
        let meta = match &pod {
            Some(pod) => pod.meta.clone(),
            None => Meta::of(&object),
        };
        let mut change = Change {
            target,
            object,
            gone,
            meta,
            owners_before: Box::default(),
            pod_before: None,
            pod: if gone { None } else { pod },
            node_before: None,
            node: None,
        };
        if change.is("", "nodes") {
            let name = &change.target.key.name;
            let node = if gone { None } else { Some(Arc::new(Node::of(&change.object))) };
            change.node_before = match &node {
                Some(node) => self.nodes.insert(Arc::clone(name), Arc::clone(node)),
                None => self.nodes.remove(name),
            };
            change.node = node;
        }
        if is_pod {
            self.exchange_pod(&mut change);
        } else {
            change.owners_before = self.owners.remove(&change.target).unwrap_or_default();
            if !gone && !change.meta.owners.is_empty() {
                self.owners.insert(change.target.clone(), change.meta.owners.clone());
            }
        }
        let now = if gone { &[][..] } else { &*change.meta.owners };
        for owner in &change.owners_before {
            if !now.iter().any(|other| other.uid == owner.uid) {
                remove(&mut self.dependents, &owner.uid, &change.target);
            }
        }
        for owner in now {
            self.dependents.entry(owner.uid.clone()).or_default().insert(change.target.clone());
        }
        change
    }

    fn exchange_pod(&mut self, change: &mut Change) {
        let key = &change.target.key;
        let before = match &change.pod {
            Some(pod) => self.pods.insert(key.clone(), Arc::clone(pod)),
            None => self.pods.remove(key),
        };
        let labels = |pod: &Option<Arc<Pod>>| pod.as_ref().map(|pod| pod.object.labels.clone());
        let node = |pod: &Option<Arc<Pod>>| {
            pod.as_ref().map(|pod| Arc::clone(&pod.node)).filter(|node| !node.is_empty())
        };
        let (old, new) = (labels(&before), labels(&change.pod));
        if old != new {
            let here = self.by_labels.entry(Arc::clone(&key.namespace)).or_default();
            if let Some(old) = old {
                remove(here, &old, key);
            }
            if let Some(new) = new {
                here.entry(new).or_default().insert(key.clone());
            }
            if here.is_empty() {
                self.by_labels.remove(&key.namespace);
            }
        }
        let (old, new) = (node(&before), node(&change.pod));
        if old != new {
            if let Some(old) = old {
                remove(&mut self.by_node, &old, key);
            }
            if let Some(new) = new {
                self.by_node.entry(new).or_default().insert(key.clone());
            }
        }
        if let Some(before) = &before {
            change.owners_before.clone_from(&before.meta.owners);
        }
        change.pod_before = before;
    }

    /// How many pods and nodes have been shown since the last call.
    pub(crate) fn take_shown(&self) -> usize {
        self.shown.take()
    }

    fn show(&self) {
        self.shown.set(self.shown.get() + 1);
    }

    /// The pod of this name.
    pub(crate) fn pod(&self, key: &Key) -> Option<&Arc<Pod>> {
        self.pods.get(key)
    }

    /// The objects of a resource that the index knows: all pods and nodes. Of other kinds it knows names and owners only, and
    /// those of objects that have vanished do no harm: their owners are asked for them in vain.
    pub(crate) fn known<'i>(
        &'i self,
        resource: &Resource,
    ) -> Box<dyn Iterator<Item = Arc<Object>> + 'i> {
        match (&*resource.group, &*resource.plural) {
            ("", "pods") => Box::new(self.pods.values().map(|pod| Arc::clone(&pod.object))),
            ("", "nodes") => Box::new(self.nodes.values().map(|node| Arc::clone(&node.object))),
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The node of this name.
    pub(crate) fn node(&self, name: &str) -> Option<&Arc<Node>> {
        self.nodes.get(name)
    }

    /// All nodes, by name.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.values().inspect(|_| self.show())
    }

    /// The pods in a namespace that a selector selects.
    pub(crate) fn selected<'i>(
        &'i self,
        namespace: &str,
        selector: &'i LabelSelector,
    ) -> impl Iterator<Item = &'i Arc<Pod>> {
        let sets = self.by_labels.get(namespace).into_iter().flatten();
        let matching = sets.filter(|(labels, _)| selector.matches(labels));
        let pods = matching.flat_map(|(_, keys)| keys).filter_map(|key| self.pods.get(key));
        pods.inspect(|_| self.show())
    }

    /// The pods on a node.
    pub(crate) fn on_node(&self, node: &str) -> impl Iterator<Item = &Arc<Pod>> {
        let keys = self.by_node.get(node).into_iter().flatten();
        keys.filter_map(|key| self.pods.get(key))
    }

    /// What belongs to an object.
    pub(crate) fn dependents(&self, uid: &str) -> impl Iterator<Item = &Ref> {
        self.dependents.get(uid).into_iter().flatten()
    }

    /// The pods that belong to an object.
    pub(crate) fn pods_of(&self, uid: &str) -> impl Iterator<Item = &Arc<Pod>> {
        let pods = self.dependents(uid).filter(|target| {
            &*target.resource.plural == "pods" && target.resource.group.is_empty()
        });
        pods.filter_map(|target| self.pods.get(&target.key)).inspect(|_| self.show())
    }

    /// The owners of an object.
    pub(crate) fn owners(&self, target: &Ref) -> &[Owner] {
        if let Some(owners) = self.owners.get(target) {
            return owners;
        }
        let is_pod = target.resource.group.is_empty() && &*target.resource.plural == "pods";
        let pod = if is_pod { self.pods.get(&target.key) } else { None };
        pod.map_or(&[], |pod| &pod.meta.owners)
    }
}

/// Takes an element out of one of several sets, and the set with it if that was all.
fn remove<K, Q, T>(sets: &mut FxHashMap<K, FxHashSet<T>>, key: &Q, element: &T)
where
    K: std::borrow::Borrow<Q> + std::hash::Hash + Eq,
    Q: std::hash::Hash + Eq + ?Sized,
    T: std::hash::Hash + Eq,
{
    if let Some(set) = sets.get_mut(key) {
        set.remove(element);
        if set.is_empty() {
            sets.remove(key);
        }
    }
}
