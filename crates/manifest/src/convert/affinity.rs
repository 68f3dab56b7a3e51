//! What a pod demands of its node and its neighbours.

use plimsoll_model::{
    LabelOperator, LabelRequirement, LabelSelector, Labels, NameRequirement, NamespaceScope,
    NodeAffinity, NodeTerm, PodTerm, Symbol, VolumeTerm,
    labels::{LabelError, check_label_key, check_label_value},
};

use crate::{
    convert::{
        meta::{self, required},
        selector,
    },
    problem::{At as _, Checked, Problem, each},
    wire::{affinity as wire, meta::Expression, pod::PodSpec},
};

const OPERATORS: [&str; 6] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

/// The only field that a term can speak of.
const NAME_FIELD: &str = "metadata.name";

/// `spec.nodeSelector` and the required node affinity.
pub(crate) fn node_affinity(spec: &PodSpec<'_>) -> Checked<NodeAffinity> {
    for (key, value) in spec.node_selector.iter() {
        let valid = check_label_key(key).and_then(|()| check_label_value(value));
        valid.map_err(|error| invalid(&error)).at_key(key).at("nodeSelector")?;
    }
    Ok(NodeAffinity {
        selector: meta::labels(&spec.node_selector),
        terms: required_terms(&spec.affinity.node).at("nodeAffinity").at("affinity")?,
    })
}

/// The alternatives of a required node affinity.
pub(crate) fn required_terms(
    affinity: &wire::NodeAffinity<'_>,
) -> Checked<Option<Box<[NodeTerm]>>> {
    let required = affinity.required.as_ref();
    required.map(|required| alternatives(required, node_term)).transpose().at(REQUIRED)
}

/// Alternatives, of which one has to match a node.
pub(crate) fn node_selector(selector: &wire::NodeSelector<'_>) -> Checked<NodeAffinity> {
    let terms = alternatives(selector, node_term)?;
    Ok(NodeAffinity { terms: Some(terms), ..NodeAffinity::default() })
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// Required pod affinity, then required pod anti-affinity.
pub(crate) fn pod_terms(
    spec: &PodSpec<'_>,
    namespace: Symbol,
    own: &Labels,
) -> Checked<[Box<[PodTerm]>; 2]> {
    let terms = |affinity: &wire::PodAffinity<'_>, field| {
        each(&affinity.required, REQUIRED, |term| pod_term(term, namespace, own))
            .at(field)
            .at("affinity")
    };
    Ok([terms(&spec.affinity.pod, "podAffinity")?, terms(&spec.affinity.anti, "podAntiAffinity")?])
}

/// Where a volume can be reached.
pub(crate) fn volume_terms(selector: &wire::NodeSelector<'_>) -> Checked<Box<[VolumeTerm]>> {
    alternatives(selector, |term| {
        let labels = expressions(&term.expressions)?;
        let says_something = !term.expressions.is_empty() || !term.fields.is_empty();
        Ok(match labels {
            Some(labels) if says_something => VolumeTerm::Labels(labels),
            _ => VolumeTerm::Never,
        })
    })
}

fn alternatives<T>(
    selector: &wire::NodeSelector<'_>,
    convert: impl FnMut(&wire::NodeTerm<'_>) -> Checked<T>,
) -> Checked<Box<[T]>> {
    if selector.terms.is_empty() {
        return Err(Problem::missing()).at("nodeSelectorTerms");
    }
    each(&selector.terms, "nodeSelectorTerms", convert)
}

fn node_term(term: &wire::NodeTerm<'_>) -> Checked<NodeTerm> {
    let names = each(&term.fields, "matchFields", name_requirement)?;
    Ok(match expressions(&term.expressions)? {
        Some(labels) => NodeTerm { labels, names },
        None => NodeTerm::default(),
    })
}

/// The requirements of a term; `None` when one of them compares with something that is no integer. The API server takes
/// that, and the scheduler lets the term match nothing.
fn expressions(list: &[Expression<'_>]) -> Checked<Option<LabelSelector>> {
    let requirements: Option<Vec<_>> = each::<_, _, Vec<_>>(list, "matchExpressions", expression)?
        .into_iter()
        .collect::<Option<_>>();
    Ok(requirements.map(LabelSelector::new))
}

fn expression(expression: &Expression<'_>) -> Checked<Option<LabelRequirement>> {
    let operator = match &*expression.operator {
        "Gt" => LabelOperator::Gt,
        "Lt" => LabelOperator::Lt,
        word if OPERATORS.contains(&word) => return selector::requirement(expression).map(Some),
        word => {
            return Err(Problem::unknown(word, "an operator", &OPERATORS)).at("operator");
        }
    };
    check_label_key(&expression.key).map_err(|error| invalid(&error)).at("key")?;
    let [value] = &*expression.values else {
        let text = format!("operator {} takes one value", &*expression.operator);
        return Err(Problem::new(text)).at("values");
    };
    let bound = value.parse().ok();
    Ok(bound.map(|bound| LabelRequirement {
        key: Symbol::new(&expression.key),
        operator: operator(bound),
    }))
}

fn name_requirement(expression: &Expression<'_>) -> Checked<NameRequirement> {
    if &*expression.key != NAME_FIELD {
        return Err(Problem::unknown(&expression.key, "a field", &[NAME_FIELD])).at("key");
    }
    let negated = match &*expression.operator {
        "In" => false,
        "NotIn" => true,
        word => return Err(Problem::unknown(word, "an operator", &["In", "NotIn"])).at("operator"),
    };
    match &*expression.values {
        [name] => Ok(NameRequirement { name: Symbol::new(name), negated }),
        _ => Err(Problem::new(format!("{NAME_FIELD} takes one value"))).at("values"),
    }
}

fn pod_term(term: &wire::PodTerm<'_>, namespace: Symbol, own: &Labels) -> Checked<PodTerm> {
    let selector = selector::optional(term.selector.as_ref(), "labelSelector")?;
    let selected = selector::optional(term.namespace_selector.as_ref(), "namespaceSelector")?;
    let namespaces = if term.namespaces.is_empty() && selected.is_none() {
        NamespaceScope::only(namespace)
    } else {
        let mut named: Vec<Symbol> = term.namespaces.iter().map(|name| Symbol::new(name)).collect();
        named.sort();
        named.dedup();
        NamespaceScope { named: named.into_boxed_slice(), selected }
    };
    Ok(PodTerm {
        selector: selector::with_own_labels(selector, own, &term.match_keys, &term.mismatch_keys)?,
        namespaces,
        topology_key: topology_key(&term.topology_key)?,
    })
}

/// The label whose values are the domains.
pub(crate) fn topology_key(key: &crate::wire::value::Text<'_>) -> Checked<Symbol> {
    required(key, "topologyKey").map(Symbol::new)
}

fn invalid(error: &LabelError) -> Problem {
    Problem::new(error.to_string())
}
