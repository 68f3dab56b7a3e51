//! What a pod demands of nodes and of other pods. Preferences are not read: they never filter.

use crate::wire::{
    meta::{Expression, LabelSelector},
    value::{List, Text},
    wire,
};

wire! {
    /// `spec.affinity`.
    struct Affinity<'a> {
        "nodeAffinity" => node: NodeAffinity<'a>,
        "podAffinity" => pod: PodAffinity<'a>,
        "podAntiAffinity" => anti: PodAffinity<'a>,
    }

    /// `nodeAffinity` of a pod.
    struct NodeAffinity<'a> {
        "requiredDuringSchedulingIgnoredDuringExecution" => required: Option<NodeSelector<'a>>,
    }

    /// Alternatives, of which one has to match.
    struct NodeSelector<'a> {
        "nodeSelectorTerms" => terms: List<NodeTerm<'a>>,
    }

    /// One alternative.
    struct NodeTerm<'a> {
        "matchExpressions" => expressions: List<Expression<'a>>,
        "matchFields" => fields: List<Expression<'a>>,
    }

    /// `podAffinity` or `podAntiAffinity`.
    struct PodAffinity<'a> {
        "requiredDuringSchedulingIgnoredDuringExecution" => required: List<PodTerm<'a>>,
    }

    /// A term about other pods.
    struct PodTerm<'a> {
        "labelSelector" => selector: Option<LabelSelector<'a>>,
        "topologyKey" => topology_key: Text<'a>,
        "namespaces" => namespaces: List<Text<'a>>,
        "namespaceSelector" => namespace_selector: Option<LabelSelector<'a>>,
        "matchLabelKeys" => match_keys: List<Text<'a>>,
        "mismatchLabelKeys" => mismatch_keys: List<Text<'a>>,
    }

    /// An entry of `spec.topologySpreadConstraints`.
    struct SpreadConstraint<'a> {
        "maxSkew" => max_skew: Option<i64>,
        "topologyKey" => topology_key: Text<'a>,
        "whenUnsatisfiable" => when_unsatisfiable: Text<'a>,
        "labelSelector" => selector: Option<LabelSelector<'a>>,
        "minDomains" => min_domains: Option<i64>,
        "nodeAffinityPolicy" => affinity_policy: Text<'a>,
        "nodeTaintsPolicy" => taints_policy: Text<'a>,
        "matchLabelKeys" => match_keys: List<Text<'a>>,
    }

    /// An entry of `spec.tolerations`.
    struct Toleration<'a> {
        "key" => key: Text<'a>,
        "operator" => operator: Text<'a>,
        "value" => value: Text<'a>,
        "effect" => effect: Text<'a>,
    }
}
