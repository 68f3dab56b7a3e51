//! Label selectors.

use plimsoll_model::{
    LabelOperator, LabelRequirement, LabelSelector, Labels, Symbol, selector::SelectorError,
};

use crate::{
    problem::{At as _, Checked, Problem, Quoted, each},
    wire::{
        meta::{self as wire, Expression},
        value::{Pairs, Text},
    },
};

/// A label selector object.
pub(crate) fn label_selector(selector: &wire::LabelSelector<'_>) -> Checked<LabelSelector> {
    let mut requirements: Vec<LabelRequirement> =
        each(&selector.expressions, "matchExpressions", requirement)?;
    for (key, value) in selector.labels.iter() {
        let requirement = LabelRequirement::new(key, "In", &[value]).map_err(|error| plain(&error));
        requirements.push(requirement.at_key(key).at("matchLabels")?);
    }
    Ok(LabelSelector::new(requirements))
}

/// A label selector that may be absent, which is not the same as an empty one.
pub(crate) fn optional(
    selector: Option<&wire::LabelSelector<'_>>,
    field: &str,
) -> Checked<Option<LabelSelector>> {
    selector.map(label_selector).transpose().at(field)
}

/// A selector that is a map of labels; an empty one is none.
pub(crate) fn of_labels(
    labels: &Pairs<'_, Text<'_>>,
    field: &str,
) -> Checked<Option<LabelSelector>> {
    let requirements = labels.iter().map(|(key, value)| {
        LabelRequirement::new(key, "In", &[value]).map_err(|error| plain(&error)).at_key(key)
    });
    let requirements: Vec<_> = requirements.collect::<Checked<_>>().at(field)?;
    Ok((!requirements.is_empty()).then(|| LabelSelector::new(requirements)))
}

/// A requirement on a label. The path leads to the part of it that is wrong.
pub(crate) fn requirement(expression: &Expression<'_>) -> Checked<LabelRequirement> {
    let values: Vec<&str> = expression.values.iter().map(|value| &**value).collect();
    LabelRequirement::new(&expression.key, &expression.operator, &values).map_err(|error| {
        let field = match &error {
            SelectorError::Key(_) => "key",
            SelectorError::Operator(_) => "operator",
            _ => "values",
        };
        plain(&error).in_field(field)
    })
}

/// A term's selector with the pod's own labels merged in: those under `same` have to be equal, those under `different` must
/// not be. Keys that the pod lacks are passed over. A stored pod has been through this before; again changes nothing.
pub(crate) fn with_own_labels(
    selector: Option<LabelSelector>,
    own: &Labels,
    same: &[Text<'_>],
    different: &[Text<'_>],
) -> Checked<Option<LabelSelector>> {
    let Some((first, field)) = [(same, "matchLabelKeys"), (different, "mismatchLabelKeys")]
        .into_iter()
        .find_map(|(keys, field)| keys.first().map(|key| (key, field)))
    else {
        return Ok(selector);
    };
    let Some(selector) = selector else {
        let text = format!("needs a labelSelector to add {} to", Quoted(first));
        return Err(Problem::new(text)).at(field);
    };
    let values = |keys: &[Text<'_>], operator: fn(Box<[plimsoll_model::Text]>) -> LabelOperator| {
        let keys = keys.iter().map(|key| Symbol::new(key));
        keys.filter_map(|key| own.get(key).map(|value| (key, value.clone())))
            .map(|(key, value)| LabelRequirement { key, operator: operator(Box::new([value])) })
            .collect::<Vec<_>>()
    };
    let merged = selector
        .requirements()
        .iter()
        .cloned()
        .chain(values(same, LabelOperator::In))
        .chain(values(different, LabelOperator::NotIn));
    Ok(Some(LabelSelector::new(merged)))
}

/// The path says already that it is a selector.
fn plain(error: &SelectorError) -> Problem {
    let text = error.to_string();
    Problem::new(text.strip_prefix("selector: ").unwrap_or(&text))
}
