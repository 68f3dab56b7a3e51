//! NodeAffinity: the node selector has to match, and one of the required terms if there are any.

use plimsoll_model::{Node, NodeTerm, PodShape};

use super::Cluster;

pub(super) fn rejects(_cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    !admits(pod, node)
}

/// Whether the node is one that the pod asks for.
pub(super) fn admits(pod: &PodShape, node: &Node) -> bool {
    let selector = &pod.node_affinity.selector;
    let selected = selector.iter().all(|(key, value)| node.labels.get(key) == Some(value));
    let affine = match &pod.node_affinity.terms {
        Some(terms) => terms.iter().any(|term| matches(term, node)),
        None => true,
    };
    selected && affine
}

/// A term that says nothing matches nothing.
fn matches(term: &NodeTerm, node: &Node) -> bool {
    if term.labels.is_empty() && term.names.is_empty() {
        return false;
    }
    let names = term.names.iter().all(|requirement| {
        if requirement.negated {
            node.name != requirement.name
        } else {
            node.name == requirement.name
        }
    });
    names && term.labels.matches(&node.labels)
}
