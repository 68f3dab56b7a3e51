//! InterPodAffinity: near the pods it wants, away from those it avoids and from those that avoid it.

use plimsoll_model::{NamespaceScope, Node, PodShape, PodTerm, Symbol};

use super::Cluster;

pub(super) fn rejects(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    lacks_company(cluster, pod, node)
        || avoids_a_neighbour(cluster, pod, node)
        || a_neighbour_avoids_it(cluster, pod, node)
}

fn lacks_company(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    if pod.affinity.is_empty() {
        return false;
    }
    if !pod.affinity.iter().all(|term| node.labels.contains_key(term.topology_key)) {
        return true;
    }
    // Only a pod that matches all terms is company, be it for a single one.
    let company: Vec<_> = cluster
        .pods_with_nodes()
        .filter(|(other, _)| pod.affinity.iter().all(|term| wants(cluster, term, other)))
        .map(|(_, on)| on)
        .collect();
    let has_company = pod
        .affinity
        .iter()
        .all(|term| company.iter().any(|other| same_domain(term.topology_key, node, other)));
    // The first of a series that wants its own kind may go anywhere. Company on nodes without any of the keys is in no
    // domain and does not count.
    let is_first = !company
        .iter()
        .any(|other| pod.affinity.iter().any(|term| other.labels.contains_key(term.topology_key)));
    let wants_itself = pod.affinity.iter().all(|term| wants(cluster, term, pod));
    !(has_company || (is_first && wants_itself))
}

fn avoids_a_neighbour(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    cluster.pods_with_nodes().any(|(other, on)| {
        pod.anti_affinity
            .iter()
            .any(|term| wants(cluster, term, other) && same_domain(term.topology_key, node, on))
    })
}

fn a_neighbour_avoids_it(cluster: &Cluster, pod: &PodShape, node: &Node) -> bool {
    cluster.pods_with_nodes().any(|(other, on)| {
        other.anti_affinity.iter().any(|term| {
            selects(term, pod)
                && reaches_incoming(cluster, &term.namespaces, pod.namespace)
                && same_domain(term.topology_key, node, on)
        })
    })
}

/// Whether a term of the incoming pod means the other pod.
fn wants(cluster: &Cluster, term: &PodTerm, other: &PodShape) -> bool {
    selects(term, other) && reaches(cluster, &term.namespaces, other.namespace)
}

/// Without a selector a term means nobody.
fn selects(term: &PodTerm, other: &PodShape) -> bool {
    term.selector.as_ref().is_some_and(|selector| selector.matches(&other.labels))
}

/// Whether a term of the incoming pod looks at a namespace. Its selector was unrolled into the namespaces that are
/// listed, except for the empty one, which means all.
fn reaches(cluster: &Cluster, scope: &NamespaceScope, namespace: Symbol) -> bool {
    let selected = match (&scope.selected, cluster.namespaces.get(&namespace)) {
        (Some(selector), Some(labels)) => selector.matches(labels),
        (Some(selector), None) => selector.is_empty(),
        (None, _) => false,
    };
    selected || scope.named.contains(&namespace)
}

/// Whether a term of a running pod looks at the incoming pod's namespace; one that is not listed has no labels.
fn reaches_incoming(cluster: &Cluster, scope: &NamespaceScope, namespace: Symbol) -> bool {
    let labels = cluster.namespaces.get(&namespace).cloned().unwrap_or_default();
    let selected = scope.selected.as_ref().is_some_and(|selector| selector.matches(&labels));
    selected || scope.named.contains(&namespace)
}

/// Nodes without the key are in no domain.
fn same_domain(key: Symbol, left: &Node, right: &Node) -> bool {
    left.labels.get(key).is_some_and(|value| right.labels.get(key) == Some(value))
}
