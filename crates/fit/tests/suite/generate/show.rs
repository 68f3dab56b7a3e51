//! Pods, nodes and terms in a line each, leaving out what they do not have.

use std::fmt::{self, Display, Formatter, Write as _};

use plimsoll_model::{LabelSelector, Labels, NodeTerm, PodShape, PodTerm, SpreadConstraint};

/// `key=value` pairs.
pub(super) fn pairs(labels: &Labels) -> String {
    let pairs: Vec<_> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    format!("{{{}}}", pairs.join(" "))
}

/// A word, if it holds.
pub(super) fn when(f: &mut Formatter<'_>, holds: bool, word: &str) -> fmt::Result {
    if holds { write!(f, " {word}") } else { Ok(()) }
}

/// A list with its name, unless it is empty.
pub(super) fn list<T: Display>(
    f: &mut Formatter<'_>,
    name: &str,
    items: impl Iterator<Item = T>,
) -> fmt::Result {
    let items: Vec<_> = items.map(|item| item.to_string()).collect();
    if items.is_empty() { Ok(()) } else { write!(f, " {name} [{}]", items.join("; ")) }
}

/// A pod shape.
pub(super) fn shape(f: &mut Formatter<'_>, pod: &PodShape) -> fmt::Result {
    write!(f, "{}{}", pod.namespace, pairs(&pod.labels))?;
    when(f, pod.terminating, "terminating")?;
    if !pod.requests.is_empty() {
        write!(f, " asks {:?}", pod.requests)?;
    }
    if let Some(node) = pod.pinned_to {
        write!(f, " pinned to {node}")?;
    }
    if !pod.node_affinity.selector.is_empty() {
        write!(f, " on {}", pairs(&pod.node_affinity.selector))?;
    }
    if let Some(terms) = &pod.node_affinity.terms {
        let terms: Vec<_> = terms.iter().map(node_term).collect();
        write!(f, " on any of [{}]", terms.join("; "))?;
    }
    list(f, "tolerates", pod.tolerations.iter().map(|toleration| format!("{toleration:?}")))?;
    list(f, "ports", pod.ports.iter())?;
    list(f, "spread", pod.spread.iter().map(spread))?;
    list(f, "near", pod.affinity.iter().map(pod_term))?;
    list(f, "apart from", pod.anti_affinity.iter().map(pod_term))?;
    list(f, "volumes", pod.volumes.iter().map(|volume| format!("{volume:?}")))
}

fn node_term(term: &NodeTerm) -> String {
    let names = term.names.iter().map(|requirement| {
        format!("name{}={}", if requirement.negated { "!" } else { "" }, requirement.name)
    });
    let labels = (!term.labels.is_empty()).then(|| term.labels.to_string());
    labels.into_iter().chain(names).collect::<Vec<_>>().join(" and ")
}

fn spread(constraint: &SpreadConstraint) -> String {
    let SpreadConstraint {
        max_skew,
        topology_key,
        selector: of,
        min_domains,
        honor_affinity,
        honor_taints,
    } = constraint;
    let mut text = format!("{} by {topology_key} skew {max_skew}", selector(of.as_ref()));
    if *min_domains > 1 {
        let _ = write!(text, " min {min_domains}");
    }
    if !honor_affinity {
        text += " ignoring affinity";
    }
    if *honor_taints {
        text += " honoring taints";
    }
    text
}

fn pod_term(term: &PodTerm) -> String {
    let named: Vec<_> = term.namespaces.named.iter().map(ToString::to_string).collect();
    let mut text = format!("{} in {}", selector(term.selector.as_ref()), named.join(","));
    if let Some(namespaces) = &term.namespaces.selected {
        let _ = write!(text, " and namespaces {}", selector(Some(namespaces)));
    }
    text + &format!(" by {}", term.topology_key)
}

fn selector(selector: Option<&LabelSelector>) -> String {
    match selector {
        Some(selector) if selector.is_empty() => "all".to_owned(),
        Some(selector) => selector.to_string(),
        None => "none".to_owned(),
    }
}
