//! What cannot be read is not absent.
//!
//! Kubernetes goes on: one day an object has a word or an amount that this version does not know. It must not vanish from the
//! World, for what is not there is not protected: the machine of a Node that vanished looks as if it had never registered. An
//! object that cannot be read means what does the least harm, and [`Mirror::unreadable`] lists it until it can be read or is gone.
//!
//! | kind | what one that cannot be read means |
//! |------|-------------------------------------|
//! | Node | A [stand-in](super::stand_in) with its name, labels and id stays. It is never removed and takes no pods. |
//! | Pod  | Its node is not removed: the one that it names, else the one that it was on. One that ran counts as last read. |
//! | PodDisruptionBudget | No node is removed on which a pod of its namespace runs that a budget could speak of. |
//! | CapacityQuota | As last read. If it never was, nothing at all is scaled up. |
//! | CSINode | As last read. If it never was, the node of that name is not removed. |
//! | controllers of pods | As last read. If it never was, it is not found, as if somebody had deleted it. |
//! | CapacityBuffer, ProvisioningRequest | As last read. If it never was, it is not served. |
//! | DaemonSet, PodTemplate, Namespace, ResourceQuota | As last read. If it never was, there is none: a node may carry more than expected. |
//! | storage and devices that pods refer to | As last read. If it never was, pods that refer to it fit nowhere: they stay, or wait. |
//! | CSIDriver, VolumeAttachment | As last read. If it never was, there is none: fewer limits hold for the volumes of pods that move. |
//!
//! An object without a name that can be read is another matter: then the list that it is in cannot be read, the whole kind is stale,
//! and nothing is done at all.

use plimsoll_model::{LabelSelector, Quota, Symbol};
use rustc_hash::FxHashSet;
use tracing::warn;

use super::{Effect, Mirror, facts::PodFacts, named::Name, stand_in::stand_in};
use crate::source::{Object, Watched};

/// An object that Kubernetes accepted and we cannot read.
#[derive(Clone, Debug)]
pub(super) struct Unreadable {
    pub blocks: Blocks,
    pub problem: String,
}

/// Which nodes must not be removed while an object cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    /// None.
    Nothing,
    /// This one.
    Node(Symbol),
    /// Those on which pods of this namespace run.
    Namespace(Symbol),
}

// === impl Blocks ===

impl Blocks {
    fn node(node: Option<Symbol>) -> Self {
        node.map_or(Self::Nothing, Self::Node)
    }
}

// === impl Mirror ===

impl Mirror {
    /// Takes an object that cannot be read. `before` is what was said about an earlier version of it that could not be read either.
    pub(super) fn take_unreadable(
        &mut self,
        watched: Watched,
        name: Name,
        object: &Object,
        problem: String,
        before: Option<Unreadable>,
    ) -> Effect {
        if before.as_ref().is_none_or(|before| before.problem != problem) {
            warn!(%problem, "object cannot be read; what depends on it is not touched");
        }
        let mut effect = Effect::Changed;
        let blocks = match watched {
            Watched::Nodes => {
                effect = self.put_stand_in(object);
                Blocks::Node(Symbol::new(&name.name))
            }
            Watched::Pods => Blocks::node(self.last_seen_on(&name, object, before)),
            Watched::Budgets => Blocks::Namespace(Symbol::new(&name.namespace)),
            Watched::CapacityQuotas => {
                self.put_strictest_quota(&name);
                Blocks::Nothing
            }
            Watched::CsiNodes if !self.storage.contains_key(&(watched, name.clone())) => {
                Blocks::Node(Symbol::new(&name.name))
            }
            _ => Blocks::Nothing,
        };
        self.unreadable.insert((watched, name), Unreadable { blocks, problem });
        effect
    }

    /// Nodes that must not be removed because of something that cannot be read: one of them may come more than once.
    pub fn opaque_nodes(&self) -> impl Iterator<Item = Symbol> + '_ {
        let blocks = || self.unreadable.values().map(|unreadable| unreadable.blocks);
        let named = blocks().filter_map(|blocks| match blocks {
            Blocks::Node(node) => Some(node),
            Blocks::Nothing | Blocks::Namespace(_) => None,
        });
        let namespaces: FxHashSet<Symbol> = blocks()
            .filter_map(|blocks| match blocks {
                Blocks::Namespace(namespace) => Some(namespace),
                Blocks::Nothing | Blocks::Node(_) => None,
            })
            .collect();
        // There are many pods, and hardly ever such a namespace.
        let pods = if namespaces.is_empty() { &[] } else { &*self.world.pods };
        let guarded = pods.iter().filter(move |pod| {
            namespaces.contains(&pod.shape.namespace) && !pod.is_daemon() && !pod.is_mirror()
        });
        named.chain(guarded.filter_map(|pod| pod.node))
    }

    /// What cannot be read, and why: `Pod default/web: spec.…`.
    pub fn unreadable(&self) -> impl Iterator<Item = String> + '_ {
        self.unreadable.values().map(|unreadable| unreadable.problem.clone())
    }

    fn put_stand_in(&mut self, object: &Object) -> Effect {
        let name = Symbol::new(object.name());
        let is_same = self.node_uids.get(&name).is_some_and(|known| **known == *object.uid());
        let before = self.nodes.get(&self.world.nodes, &name).filter(|_| is_same);
        let tree = object.tree();
        let node = stand_in(&tree, before.map(|node| &**node), self.world.now);
        self.put_node(object, &tree, &node.into())
    }

    /// The node that a pod is on, as far as anybody knows. A pod stays where it is once it is there, so what was known of it before
    /// still holds; of one that waited it is not known any more whether it still does.
    fn last_seen_on(
        &mut self,
        name: &Name,
        object: &Object,
        before: Option<Unreadable>,
    ) -> Option<Symbol> {
        let tree = object.tree();
        let named = tree.pointer("/spec/nodeName").and_then(|node| node.as_str());
        let named = named.filter(|node| !node.is_empty()).map(Symbol::new);
        let facts = PodFacts::of(object);
        let is_same = self.pod_facts.get(name).is_none_or(|known| known.uid == facts.uid);
        let known = self.pods.get(&self.world.pods, name).filter(|_| is_same);
        let was_on = known.and_then(|pod| pod.node);
        if was_on.is_none() {
            self.pods.remove(&mut self.world.pods, name);
        }
        self.pod_facts.insert(name.clone(), facts);
        let blocked = match before.filter(|_| is_same).map(|before| before.blocks) {
            Some(Blocks::Node(node)) => Some(node),
            _ => None,
        };
        named.or(was_on).or(blocked)
    }

    /// A limit that nobody can read may be any limit: none at all is the only one that is surely kept.
    fn put_strictest_quota(&mut self, name: &Name) {
        if self.quotas.get(&self.world.quotas, name).is_some() {
            return;
        }
        let quota = Quota {
            name: Symbol::new(&name.name),
            selector: LabelSelector::everything(),
            limits: [(Symbol::new(Quota::NODES), 0)].into(),
            generation: 0,
            reconciled: None,
        };
        self.quotas.put(&mut self.world.quotas, name.clone(), quota);
    }
}
