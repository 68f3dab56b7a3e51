//! Which nodes a pod may enter by labels, taints and cordon alone, decided once per kind of pod and kind of node.
//!
//! Nodes that look the same to everything that was ever demanded share a class: same taints, same cordon, and the same
//! values of those labels that some pod asks about. A label nobody asks about, such as an instance id, splits nothing.
//! The hostname and the node's name would make every node a class of its own, so demands on them are judged node by node.

use indexmap::IndexSet;
use plimsoll_model::{
    Effect, Labels, Node, NodeAffinity, Plugin, Profile, Symbol, Taint, Toleration,
    first_untolerated, label,
};
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::ids::{AffinityId, ClassId, GateId, NodeId, TolerationsId};

/// Classes of nodes, distinct demands, and the verdict for each pair.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    /// Label keys that some demand looks at, the hostname left out.
    relevant: FxHashSet<Symbol>,
    classes: IndexSet<Class, FxBuildHasher>,
    of_node: Vec<ClassId>,
    affinities: IndexSet<NodeAffinity, FxBuildHasher>,
    /// By affinity: whether it has to be judged node by node.
    per_node: Vec<bool>,
    tolerations: IndexSet<Box<[Toleration]>, FxBuildHasher>,
    pairs: IndexSet<(AffinityId, TolerationsId), FxBuildHasher>,
    /// By gate, by class: whether such nodes are open. Affinities judged node by node are left out of it.
    open: Vec<Vec<bool>>,
    /// The profile does without TaintToleration.
    ignores_taints: bool,
    /// The profile does without NodeUnschedulable.
    ignores_cordon: bool,
}

/// What a node looks like to all demands known so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Class {
    labels: Labels,
    taints: Box<[Taint]>,
    unschedulable: bool,
}

// === impl Gates ===

impl Gates {
    /// No nodes and no demands yet.
    pub(crate) fn new(profile: &Profile) -> Self {
        Self {
            ignores_taints: !profile.filters(Plugin::TaintToleration),
            ignores_cordon: !profile.filters(Plugin::NodeUnschedulable),
            ..Self::default()
        }
    }

    /// The gate of pods that demand and tolerate this. `nodes` are all rows of the snapshot: a demand on a new label may split classes.
    pub(crate) fn gate<'a>(
        &mut self,
        affinity: &NodeAffinity,
        tolerations: &[Toleration],
        nodes: impl Iterator<Item = &'a Node>,
    ) -> GateId {
        let pair = (self.affinity(affinity), self.tolerations(tolerations));
        let (place, new) = self.pairs.insert_full(pair);
        let gate = GateId::new(place);
        if new {
            self.open.push(Vec::new());
            let hostname = Symbol::new(label::HOSTNAME);
            let before = self.relevant.len();
            let keys = affinity.label_keys().filter(|key| *key != hostname);
            self.relevant.extend(keys);
            if self.relevant.len() > before {
                self.classify_all(nodes);
            } else {
                self.judge_gate(gate);
            }
        }
        gate
    }

    pub(crate) fn affinity(&mut self, affinity: &NodeAffinity) -> AffinityId {
        if let Some(place) = self.affinities.get_index_of(affinity) {
            return AffinityId::new(place);
        }
        let hostname = Symbol::new(label::HOSTNAME);
        let names = affinity.looks_at_names() || affinity.label_keys().any(|key| key == hostname);
        self.per_node.push(names);
        AffinityId::new(self.affinities.insert_full(affinity.clone()).0)
    }

    pub(crate) fn tolerations(&mut self, tolerations: &[Toleration]) -> TolerationsId {
        let place = match self.tolerations.get_index_of(tolerations) {
            Some(place) => place,
            None => self.tolerations.insert_full(tolerations.into()).0,
        };
        TolerationsId::new(place)
    }

    /// Appends a node.
    pub(crate) fn push(&mut self, node: &Node) {
        let class = self.classify(node);
        self.of_node.push(class);
    }

    /// Removes the last node. Its class stays: another such node is likely.
    pub(crate) fn pop(&mut self) {
        self.of_node.pop();
    }

    /// Whether labels, taints and cordon let pods of this gate onto the node.
    pub(crate) fn is_open(&self, gate: GateId, id: NodeId, node: &Node) -> bool {
        self.open[gate.index()][self.of_node[id.index()].index()] && {
            let affinity = self.pairs[gate.index()].0;
            !self.per_node[affinity.index()] || self.admits(affinity, node)
        }
    }

    /// Whether the node's labels and name are as demanded.
    pub(crate) fn admits(&self, affinity: AffinityId, node: &Node) -> bool {
        self.affinities[affinity.index()].matches(node.name, &node.labels)
    }

    /// Whether all taints that filter are tolerated.
    pub(crate) fn tolerates(&self, tolerations: TolerationsId, node: &Node) -> bool {
        first_untolerated(&node.taints, &self.tolerations[tolerations.index()]).is_none()
    }

    fn classify_all<'a>(&mut self, nodes: impl Iterator<Item = &'a Node>) {
        self.classes.clear();
        self.open.iter_mut().for_each(Vec::clear);
        self.of_node = Vec::new();
        for node in nodes {
            self.push(node);
        }
        for gate in 0..self.pairs.len() {
            self.judge_gate(GateId::new(gate));
        }
    }

    fn classify(&mut self, node: &Node) -> ClassId {
        let labels = node.labels.iter().filter(|(key, _)| self.relevant.contains(key));
        let class = Class {
            labels: Labels::from_pairs(labels),
            taints: node.taints.clone(),
            unschedulable: node.unschedulable,
        };
        let (place, new) = self.classes.insert_full(class);
        if new {
            for gate in 0..self.pairs.len() {
                self.judge_gate(GateId::new(gate));
            }
        }
        ClassId::new(place)
    }

    /// Fills in the verdicts of a gate for the classes that came since it was last asked.
    fn judge_gate(&mut self, gate: GateId) {
        let (affinity, tolerations) = self.pairs[gate.index()];
        let verdicts = &mut self.open[gate.index()];
        let affinity =
            (!self.per_node[affinity.index()]).then(|| &self.affinities[affinity.index()]);
        let tolerations = &self.tolerations[tolerations.index()];
        let (ignores_cordon, ignores_taints) = (self.ignores_cordon, self.ignores_taints);
        for class in self.classes.iter().skip(verdicts.len()) {
            verdicts.push(
                (!class.unschedulable || ignores_cordon || tolerates_cordon(tolerations))
                    && (ignores_taints || first_untolerated(&class.taints, tolerations).is_none())
                    && affinity.is_none_or(|affinity| {
                        // Names play no part here: an affinity that looks at them is judged node by node.
                        affinity.matches(Symbol::new(""), &class.labels)
                    }),
            );
        }
    }
}

/// A cordoned node takes pods that would tolerate the taint which the node controller puts on it.
pub(crate) fn tolerates_cordon(tolerations: &[Toleration]) -> bool {
    let cordon = Taint {
        key: Symbol::new("node.kubernetes.io/unschedulable"),
        value: Symbol::new(""),
        effect: Effect::NoSchedule,
    };
    tolerations.iter().any(|toleration| toleration.tolerates(&cordon))
}
