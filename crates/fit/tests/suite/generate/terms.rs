//! Random demands of a pod on its node and its neighbours.

use plimsoll_model::{
    Effect, LabelSelector, NameRequirement, NamespaceScope, NodeAffinity, NodeTerm, PodTerm,
    SpreadConstraint, Symbol, Toleration, label,
};
use proptest::{collection, prelude::*, sample};

use super::{
    NODE_NAMES, flag, maybe, node,
    selector::{
        NAMESPACE_WORDS, NODE_WORDS_AND_NAME, POD_WORDS, comparison, labels, optional, selector,
    },
    some,
};

/// Namespaces of pods. The last is one that nobody listed.
pub(super) const NAMESPACES: [&str; 4] = ["shop", "bank", "lab", "limbo"];

/// Label keys by which nodes are grouped.
const TOPOLOGY_KEYS: [&str; 3] = [label::ZONE, label::HOSTNAME, "rack"];

/// Demands on labels and name, in so many of a hundred cases.
pub(super) fn node_affinity(percent: u32) -> impl Strategy<Value = NodeAffinity> {
    // Half of the pods that demand something have terms, a quarter a node selector.
    let selector = maybe(percent / 4, labels(NODE_WORDS_AND_NAME, 30));
    let terms = maybe(percent / 2, collection::vec(node_term(), 0..=2));
    (selector, terms).prop_map(|(selector, terms)| NodeAffinity {
        selector: selector.unwrap_or_default(),
        terms: terms.map(Vec::into_boxed_slice),
    })
}

fn node_term() -> impl Strategy<Value = NodeTerm> {
    let labels = prop_oneof![
        6 => selector(NODE_WORDS_AND_NAME),
        2 => comparison(),
        2 => Just(LabelSelector::everything()),
    ];
    let name = (sample::select(&NODE_NAMES), flag(30))
        .prop_map(|(name, negated)| NameRequirement { name: Symbol::new(name), negated });
    (labels, some(25, 1, name)).prop_map(|(labels, names)| NodeTerm { labels, names })
}

/// A toleration that covers some taint of the vocabulary, a cordon, or everything.
pub(super) fn toleration() -> impl Strategy<Value = Toleration> {
    let cordon = Symbol::new("node.kubernetes.io/unschedulable");
    let of_taint = (node::taint(), flag(50), flag(50), flag(20)).prop_map(
        |(taint, any_value, any_effect, any_key)| Toleration {
            key: (!any_key).then_some(taint.key),
            value: (!any_value && !any_key).then_some(taint.value),
            effect: (!any_effect).then_some(taint.effect),
        },
    );
    let of_cordon = maybe(50, Just(Effect::NoSchedule)).prop_map(move |effect| Toleration {
        key: Some(cordon),
        value: None,
        effect,
    });
    prop_oneof![8 => of_taint, 2 => of_cordon]
}

/// A spread constraint.
pub(super) fn spread() -> impl Strategy<Value = SpreadConstraint> {
    let min_domains = prop_oneof![4 => Just(1), 1 => 2..5_u32];
    (1..4_u32, topology_key(), optional(POD_WORDS), min_domains, flag(75), flag(25)).prop_map(
        |(max_skew, topology_key, selector, min_domains, honor_affinity, honor_taints)| {
            SpreadConstraint {
                max_skew,
                topology_key,
                selector,
                min_domains,
                honor_affinity,
                honor_taints,
            }
        },
    )
}

/// A term of affinity or anti-affinity. Without any namespaces, the caller gives it the pod's own.
pub(super) fn pod_term() -> impl Strategy<Value = PodTerm> {
    let named = maybe(25, sample::subsequence(&NAMESPACES, 1..=2));
    let selected = prop_oneof![
        6 => Just(None),
        2 => selector(NAMESPACE_WORDS).prop_map(Some),
        1 => Just(Some(LabelSelector::everything())),
    ];
    let namespaces = (named, selected).prop_map(|(named, selected)| {
        let mut named: Vec<_> = named.into_iter().flatten().map(Symbol::new).collect();
        named.sort();
        NamespaceScope { named: named.into_boxed_slice(), selected }
    });
    (optional(POD_WORDS), namespaces, topology_key()).prop_map(
        |(selector, namespaces, topology_key)| PodTerm { selector, namespaces, topology_key },
    )
}

fn topology_key() -> impl Strategy<Value = Symbol> {
    sample::select(&TOPOLOGY_KEYS).prop_map(Symbol::new)
}
