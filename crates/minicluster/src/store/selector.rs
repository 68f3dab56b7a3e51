//! Selectors: which objects a list or a watch is about.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    ApiError, Kind,
    object::{Labels, Object},
};

mod parse;

/// Both selectors of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// What the labels must be like.
    pub labels: LabelSelector,
    /// What the fields must be like.
    pub fields: FieldSelector,
}

/// Requirements on labels, all of which must hold. Without any it selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

/// Requirements on fields, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    terms: Vec<Term>,
}

/// One requirement on a label.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: Box<str>,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    /// The label is there with one of these values.
    In(Vec<Box<str>>),
    /// The label has none of these values; it may be missing.
    NotIn(Vec<Box<str>>),
    Exists,
    Missing,
    Above(i64),
    Below(i64),
}

/// One requirement on a field.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    field: Field,
    equal: bool,
    value: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Namespace,
    /// The field at this place of the kind's list.
    Listed(usize),
}

// === impl Filter ===

impl Filter {
    /// Whether it lets everything through.
    pub fn is_empty(&self) -> bool {
        self.labels.requirements.is_empty() && self.fields.terms.is_empty()
    }

    /// Whether it lets this object through.
    pub fn matches(&self, object: &Object) -> bool {
        self.fields.matches(object) && self.labels.matches(&object.labels)
    }
}

// === impl LabelSelector ===

impl LabelSelector {
    /// Reads `labelSelector` of a query, such as `app=web,tier notin (front)`.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        parse::label_selector(text).map_err(ApiError::bad_request)
    }

    /// Reads a selector as objects have it: `matchLabels` and `matchExpressions`. Null selects nothing and gives `None`.
    pub fn from_value(selector: &Value) -> Option<Self> {
        let selector = selector.as_object()?;
        let mut requirements = Vec::new();
        for (key, value) in
            selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten()
        {
            let values = vec![value.as_str().unwrap_or_default().into()];
            requirements.push(Requirement { key: key.as_str().into(), test: Test::In(values) });
        }
        for expression in
            selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten()
        {
            let text = |name| expression.get(name).and_then(Value::as_str).unwrap_or_default();
            let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
            let values = values.filter_map(Value::as_str).map(Into::into).collect();
            let test = match text("operator") {
                "In" => Test::In(values),
                "NotIn" => Test::NotIn(values),
                "Exists" => Test::Exists,
                "DoesNotExist" => Test::Missing,
                _ => return None,
            };
            requirements.push(Requirement { key: text("key").into(), test });
        }
        Some(Self { requirements })
    }

    /// Labels that are equal to these.
    pub fn from_labels(labels: &Value) -> Self {
        let labels = Labels::of(&serde_json::json!({ "metadata": { "labels": labels } }));
        let exact = |(key, value): (&Arc<str>, &Arc<str>)| Requirement {
            key: (**key).into(),
            test: Test::In(vec![(**value).into()]),
        };
        Self { requirements: labels.iter().map(exact).collect() }
    }

    /// Whether labels meet all requirements.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.requirements.iter().all(|requirement| requirement.holds(labels.get(&requirement.key)))
    }

    /// Whether it has no requirements, and so selects everything.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }
}

// === impl Requirement ===

impl Requirement {
    fn holds(&self, label: Option<&str>) -> bool {
        let number = || label.and_then(|text| text.parse::<i64>().ok());
        match &self.test {
            Test::In(values) => {
                label.is_some_and(|label| values.iter().any(|value| **value == *label))
            }
            Test::NotIn(values) => {
                label.is_none_or(|label| values.iter().all(|value| **value != *label))
            }
            Test::Exists => label.is_some(),
            Test::Missing => label.is_none(),
            Test::Above(limit) => number().is_some_and(|number| number > *limit),
            Test::Below(limit) => number().is_some_and(|number| number < *limit),
        }
    }
}

// === impl FieldSelector ===

impl FieldSelector {
    /// Reads `fieldSelector` of a query, such as `spec.nodeName=a,status.phase!=Failed`.
    pub fn parse(kind: &Kind, text: &str) -> Result<Self, ApiError> {
        let terms = parse::field_terms(text).map_err(ApiError::bad_request)?;
        let terms = terms.into_iter().map(|(path, equal, value)| {
            let field = field_of(kind, &path)?;
            Ok(Term { field, equal, value: value.into() })
        });
        Ok(Self { terms: terms.collect::<Result<_, ApiError>>()? })
    }

    /// Objects of this name.
    pub fn name(name: &str) -> Self {
        Self { terms: vec![Term { field: Field::Name, equal: true, value: name.into() }] }
    }

    /// The name that objects must have, if the selector demands one.
    pub fn required_name(&self) -> Option<&str> {
        let term = self.terms.iter().find(|term| term.field == Field::Name && term.equal)?;
        Some(&term.value)
    }

    /// The namespace that objects must be in, if the selector demands one.
    pub fn required_namespace(&self) -> Option<&str> {
        let term = self.terms.iter().find(|term| term.field == Field::Namespace && term.equal)?;
        Some(&term.value)
    }

    /// Whether an object meets all requirements.
    pub fn matches(&self, object: &Object) -> bool {
        self.terms.iter().all(|term| {
            let value = match term.field {
                Field::Name => &*object.key.name,
                Field::Namespace => &*object.key.namespace,
                Field::Listed(at) => object.fields.get(at).map_or("", |value| &**value),
            };
            (value == &*term.value) == term.equal
        })
    }
}

/// Which field a path means. The words of the refusal are those of each family of kinds.
fn field_of(kind: &Kind, path: &str) -> Result<Field, ApiError> {
    match path {
        "metadata.name" => return Ok(Field::Name),
        "metadata.namespace" if kind.is_namespaced() || kind.custom.is_none() => {
            return Ok(Field::Namespace);
        }
        _ => {}
    }
    kind.field_position(path).map(Field::Listed).ok_or_else(|| {
        ApiError::bad_request(if kind.custom.is_none() && kind.rules.fields.is_empty() {
            format!(
                "\"{path}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
            )
        } else {
            format!("field label not supported: {path}")
        })
    })
}

#[cfg(test)]
mod tests;
