//! What a pod demands of its node and of its neighbours.

use crate::{LabelSelector, Labels, Symbol};

/// What a pod demands of a node's labels and name: all of it has to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeAffinity {
    /// `spec.nodeSelector`: every pair has to be among the node's labels.
    pub selector: Labels,
    /// Required terms, of which one has to match; `None` when there is no requirement.
    pub terms: Option<Box<[NodeTerm]>>,
}

/// One alternative of a required node affinity.
///
/// A term with neither part matches no node, as in the scheduler. So does a term with a Gt or Lt whose value is not an
/// integer: whoever reads the manifest turns it into an empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NodeTerm {
    /// `matchExpressions`.
    pub labels: LabelSelector,
    /// `matchFields`: the API server allows `metadata.name` only.
    pub names: Box<[NameRequirement]>,
}

/// `metadata.name` In or NotIn one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameRequirement {
    /// The node's name.
    pub name: Symbol,
    /// NotIn.
    pub negated: bool,
}

/// A required term of pod affinity or anti-affinity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PodTerm {
    /// Which pods; `None` matches none. `matchLabelKeys` and `mismatchLabelKeys` are already part of it.
    pub selector: Option<LabelSelector>,
    /// In which namespaces.
    pub namespaces: NamespaceScope,
    /// Nodes with the same value of this label are one domain.
    pub topology_key: Symbol,
}

/// The namespaces a term looks at: those named and those selected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamespaceScope {
    /// Sorted. A term that says nothing has the pod's own namespace here.
    pub named: Box<[Symbol]>,
    /// By labels; the empty selector means all, also ones that nobody listed.
    pub selected: Option<LabelSelector>,
}

/// A required topology spread constraint (`whenUnsatisfiable: DoNotSchedule`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpreadConstraint {
    /// How far a domain may be above the emptiest one.
    pub max_skew: u32,
    /// Nodes with the same value of this label are one domain.
    pub topology_key: Symbol,
    /// Which pods of the namespace count, `matchLabelKeys` merged in; `None` matches none.
    pub selector: Option<LabelSelector>,
    /// With fewer domains than this, the emptiest counts as having none; at least 1.
    pub min_domains: u32,
    /// `nodeAffinityPolicy`: nodes that the pod's node affinity excludes do not count.
    pub honor_affinity: bool,
    /// `nodeTaintsPolicy`: nodes whose taints the pod does not tolerate do not count.
    pub honor_taints: bool,
}

// === impl NodeAffinity ===

impl NodeAffinity {
    /// Whether a node of this name with these labels will do.
    pub fn matches(&self, name: Symbol, labels: &Labels) -> bool {
        self.selector.iter().all(|(key, value)| labels.get(key) == Some(value))
            && self
                .terms
                .as_ref()
                .is_none_or(|terms| terms.iter().any(|term| term.matches(name, labels)))
    }

    /// Whether nothing is demanded.
    pub fn is_empty(&self) -> bool {
        self.selector.is_empty() && self.terms.is_none()
    }

    /// The same, and one of `terms` has to match as well.
    #[must_use]
    pub fn with_terms(&self, terms: &[NodeTerm]) -> Self {
        let both = match &self.terms {
            Some(own) => {
                own.iter().flat_map(|one| terms.iter().filter_map(|other| one.and(other))).collect()
            }
            None => terms.into(),
        };
        Self { selector: self.selector.clone(), terms: Some(both) }
    }

    /// No more than the names of nodes that are asked for: nothing, unless every alternative names one.
    #[must_use]
    pub fn names_only(&self) -> Self {
        let named = |term: &NodeTerm| {
            let names: Box<[_]> = term.names.iter().filter(|one| !one.negated).copied().collect();
            (!names.is_empty()).then(|| NodeTerm { labels: LabelSelector::default(), names })
        };
        let terms = self.terms.iter().flatten().map(named).collect::<Option<Box<[_]>>>();
        Self { selector: Labels::default(), terms: terms.filter(|terms| !terms.is_empty()) }
    }

    /// The label keys that the answer depends on.
    pub fn label_keys(&self) -> impl Iterator<Item = Symbol> + '_ {
        let terms = self.terms.iter().flat_map(|terms| terms.iter());
        let expressions = terms.flat_map(|term| term.labels.requirements().iter());
        self.selector.iter().map(|(key, _)| key).chain(expressions.map(|one| one.key))
    }

    /// Whether the answer depends on the node's name.
    pub fn looks_at_names(&self) -> bool {
        self.terms.iter().flatten().any(|term| !term.names.is_empty())
    }
}

// === impl NodeTerm ===

impl NodeTerm {
    /// Whether a node of this name with these labels matches.
    pub fn matches(&self, name: Symbol, labels: &Labels) -> bool {
        self.says_something()
            && self.labels.matches(labels)
            && self.names.iter().all(|one| (one.name == name) != one.negated)
    }

    /// What both terms ask for.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let labels = self.labels.requirements().iter().chain(other.labels.requirements());
        Self {
            labels: LabelSelector::new(labels.cloned()),
            names: self.names.iter().chain(&other.names).copied().collect(),
        }
    }

    /// Both terms in one; `None` when that can match nothing.
    fn and(&self, other: &Self) -> Option<Self> {
        (self.says_something() && other.says_something()).then(|| self.with(other))
    }

    fn says_something(&self) -> bool {
        !self.labels.is_empty() || !self.names.is_empty()
    }
}

// === impl NamespaceScope ===

impl NamespaceScope {
    /// Only this namespace.
    pub fn only(namespace: Symbol) -> Self {
        Self { named: Box::new([namespace]), selected: None }
    }

    /// Whether a term of an *incoming* pod looks at `namespace`. One that nobody listed (`labels` is `None`) is never
    /// selected, unless the selector takes everything.
    pub fn sees(&self, namespace: Symbol, labels: Option<&Labels>) -> bool {
        self.named.contains(&namespace)
            || self.selected.as_ref().is_some_and(|selector| {
                selector.is_empty() || labels.is_some_and(|labels| selector.matches(labels))
            })
    }

    /// Whether a term of a *running* pod looks at the incoming pod's `namespace`. Here the scheduler takes an unlisted
    /// namespace for one without labels.
    pub fn sees_incoming(&self, namespace: Symbol, labels: Option<&Labels>) -> bool {
        let none = Labels::default();
        self.named.contains(&namespace)
            || self
                .selected
                .as_ref()
                .is_some_and(|selector| selector.matches(labels.unwrap_or(&none)))
    }
}

// === impl PodTerm ===

impl PodTerm {
    /// Whether the selector takes a pod with these labels; the namespace is another question.
    pub fn selects(&self, labels: &Labels) -> bool {
        self.selector.as_ref().is_some_and(|selector| selector.matches(labels))
    }
}
