//! Label selectors: which objects are meant, said by their labels.

use std::fmt::{self, Write as _};

use crate::{
    Symbol, Text,
    labels::{Labels, check_label_key, check_label_value},
};

pub use error::SelectorError;

mod error;
pub mod parse;

/// Requirements that all have to hold. Without any, everything is selected.
///
/// Selectors that say the same in another order are equal, so they can be shared between pods. A selector that is
/// absent from its object, and selects nothing, is an `Option` of this at the caller's.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LabelSelector {
    /// Sorted, each requirement once.
    requirements: Box<[LabelRequirement]>,
}

/// What one label has to be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelRequirement {
    /// The key of the label.
    pub key: Symbol,
    /// What is asked of its value.
    pub operator: LabelOperator,
}

/// What is asked of a label's value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LabelOperator {
    /// The label is there and has one of these values.
    In(Box<[Text]>),
    /// The label is absent, or has none of these values.
    NotIn(Box<[Text]>),
    /// The label is there.
    Exists,
    /// The label is absent.
    DoesNotExist,
    /// The label is there, and an integer above this one.
    Gt(i64),
    /// The label is there, and an integer below this one.
    Lt(i64),
}

/// An operator once its values are known.
type Build = fn(Box<[Text]>) -> LabelOperator;

// === impl LabelSelector ===

impl LabelSelector {
    /// The selector with these requirements.
    pub fn new(requirements: impl IntoIterator<Item = LabelRequirement>) -> Self {
        let mut requirements: Vec<_> =
            requirements.into_iter().map(LabelRequirement::canonical).collect();
        requirements.sort();
        requirements.dedup();
        Self { requirements: requirements.into_boxed_slice() }
    }

    /// The selector without requirements.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Reads a selector as `kubectl --selector` takes it.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        parse::parse(text).map(Self::from)
    }

    /// Whether an object with these labels is selected.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(labels))
    }

    /// Whether there are no requirements, so that everything is selected.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// The requirements, sorted by key.
    pub fn requirements(&self) -> &[LabelRequirement] {
        &self.requirements
    }

    /// A label that every selected object has. An index by labels can start from it.
    pub fn exact_pair(&self) -> Option<(Symbol, &Text)> {
        self.requirements.iter().find_map(|requirement| match &requirement.operator {
            LabelOperator::In(values) => match values.as_ref() {
                [value] => Some((requirement.key, value)),
                _ => None,
            },
            _ => None,
        })
    }
}

/// As the Kubernetes library prints it, with `=` and `!=` for a single value.
impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_separated(f, &self.requirements)
    }
}

// === impl LabelRequirement ===

impl LabelRequirement {
    /// A requirement as it is written in a `LabelSelector` object, checked by the API server's rules.
    ///
    /// An entry of `matchLabels` is an `In` with one value.
    pub fn new(key: &str, operator: &str, values: &[&str]) -> Result<Self, SelectorError> {
        let (name, takes_values, build): (_, _, Build) = match operator {
            "In" => ("In", true, LabelOperator::In),
            "NotIn" => ("NotIn", true, LabelOperator::NotIn),
            "Exists" => ("Exists", false, |_| LabelOperator::Exists),
            "DoesNotExist" => ("DoesNotExist", false, |_| LabelOperator::DoesNotExist),
            unknown => return Err(SelectorError::Operator(unknown.into())),
        };
        check_label_key(key).map_err(SelectorError::Key)?;
        if values.is_empty() == takes_values {
            let rule = if takes_values { "needs at least one value" } else { "takes no values" };
            return Err(SelectorError::Values { key: key.into(), operator: name, rule });
        }
        values
            .iter()
            .try_for_each(|value| check_label_value(value))
            .map_err(SelectorError::Value)?;
        // Symbols are kept for good, so the key becomes none before all of it is known to be right.
        let values = values.iter().map(|value| Text::new(value)).collect();
        Ok(Self { key: Symbol::new(key), operator: build(values) }.canonical())
    }

    /// Whether an object with these labels meets the requirement.
    pub fn matches(&self, labels: &Labels) -> bool {
        let value = labels.get(self.key);
        let integer = || value.and_then(Text::integer);
        match &self.operator {
            LabelOperator::In(values) => value.is_some_and(|value| values.contains(value)),
            LabelOperator::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            LabelOperator::Exists => value.is_some(),
            LabelOperator::DoesNotExist => value.is_none(),
            LabelOperator::Gt(bound) => integer().is_some_and(|integer| integer > *bound),
            LabelOperator::Lt(bound) => integer().is_some_and(|integer| integer < *bound),
        }
    }

    fn canonical(mut self) -> Self {
        if let LabelOperator::In(values) | LabelOperator::NotIn(values) = &mut self.operator
            && !values.is_sorted_by(|left, right| left < right)
        {
            let mut sorted = std::mem::take(values).into_vec();
            sorted.sort();
            sorted.dedup();
            *values = sorted.into_boxed_slice();
        }
        self
    }
}

impl fmt::Display for LabelRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key;
        match &self.operator {
            LabelOperator::In(values) => match values.as_ref() {
                [value] => write!(f, "{key}={value}"),
                values => write_list(f, key, "in", values),
            },
            LabelOperator::NotIn(values) => match values.as_ref() {
                [value] => write!(f, "{key}!={value}"),
                values => write_list(f, key, "notin", values),
            },
            LabelOperator::Exists => write!(f, "{key}"),
            LabelOperator::DoesNotExist => write!(f, "!{key}"),
            LabelOperator::Gt(bound) => write!(f, "{key}>{bound}"),
            LabelOperator::Lt(bound) => write!(f, "{key}<{bound}"),
        }
    }
}

/// `key in (a,b)`.
fn write_list(
    f: &mut fmt::Formatter<'_>,
    key: impl fmt::Display,
    operator: &str,
    values: &[impl fmt::Display],
) -> fmt::Result {
    write!(f, "{key} {operator} (")?;
    write_separated(f, values)?;
    f.write_char(')')
}

fn write_separated(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            f.write_char(',')?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
