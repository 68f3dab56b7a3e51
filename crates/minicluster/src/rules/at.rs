//! Walking JSON with the way remembered: a value, and how Kubernetes writes where it stands.
//!
//! A member that is missing reads as `null`, so that a check states its rule and nothing about what may be absent on the way.

use serde_json::{Map, Value};

use crate::{FieldError, error::FieldErrorKind};

static NOTHING: Value = Value::Null;

/// A value and its path, such as `spec.containers[0].name`.
#[derive(Clone, Debug)]
pub(crate) struct At<'v> {
    /// The value; `null` where there is none.
    pub(crate) value: &'v Value,
    /// The path in messages.
    pub(crate) path: String,
}

// === impl At ===

impl<'v> At<'v> {
    /// The whole object.
    pub(crate) fn root(value: &'v Value) -> Self {
        Self { value, path: String::new() }
    }

    /// A value that stands somewhere else.
    pub(crate) fn new(value: &'v Value, path: impl Into<String>) -> Self {
        Self { value, path: path.into() }
    }

    /// A member: `path.name`.
    pub(crate) fn field(&self, name: &str) -> Self {
        let path =
            if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        Self { value: self.value.get(name).unwrap_or(&NOTHING), path }
    }

    /// A member of a member, and so on.
    pub(crate) fn at(&self, names: &[&str]) -> Self {
        names.iter().fold(self.clone(), |at, name| at.field(name))
    }

    /// The value of a map: `path[key]`.
    pub(crate) fn key(&self, key: &str) -> Self {
        Self {
            value: self.value.get(key).unwrap_or(&NOTHING),
            path: format!("{}[{key}]", self.path),
        }
    }

    /// The elements of a list: `path[0]`, `path[1]`, …
    pub(crate) fn items(&self) -> impl Iterator<Item = Self> + use<'v, '_> {
        let items = self.value.as_array().map(Vec::as_slice).unwrap_or_default();
        items
            .iter()
            .enumerate()
            .map(|(index, value)| Self { value, path: format!("{}[{index}]", self.path) })
    }

    /// The entries of a map, with the path of the map.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'v String, &'v Value)> + use<'v> {
        self.value.as_object().into_iter().flatten()
    }

    /// How many elements or entries there are.
    pub(crate) fn len(&self) -> usize {
        match self.value {
            Value::Array(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => 0,
        }
    }

    /// The text; empty where there is none.
    pub(crate) fn text(&self) -> &'v str {
        self.value.as_str().unwrap_or_default()
    }

    /// The whole number, where there is one.
    pub(crate) fn number(&self) -> Option<i64> {
        self.value.as_i64()
    }

    /// Whether it says `true`.
    pub(crate) fn is_true(&self) -> bool {
        self.value == &Value::Bool(true)
    }

    /// Whether there is anything.
    pub(crate) fn is_set(&self) -> bool {
        !self.value.is_null()
    }

    /// Whether there is nothing: no value, or an empty text, list or map.
    pub(crate) fn is_empty(&self) -> bool {
        is_empty(self.value)
    }

    /// `Required value`.
    pub(crate) fn required(&self, detail: &str) -> FieldError {
        FieldError::required(self.path.as_str(), detail)
    }

    /// `Invalid value: …: detail`.
    pub(crate) fn invalid(&self, detail: impl Into<String>) -> FieldError {
        FieldError::invalid(self.path.as_str(), self.value.clone(), detail)
    }

    /// `Invalid value`, with a text that is shown even when it is not there.
    pub(crate) fn invalid_text(&self, detail: impl Into<String>) -> FieldError {
        FieldError::invalid(self.path.as_str(), self.text(), detail)
    }

    /// `Forbidden: detail`.
    pub(crate) fn forbidden(&self, detail: impl Into<String>) -> FieldError {
        FieldError::forbidden(self.path.as_str(), detail)
    }

    /// `Duplicate value: …`.
    pub(crate) fn duplicate(&self) -> FieldError {
        FieldError::duplicate(self.path.as_str(), self.value.clone())
    }

    /// `Not found: …`.
    pub(crate) fn not_found(&self) -> FieldError {
        FieldError::new(FieldErrorKind::NotFound, self.path.as_str(), self.value.clone(), "")
    }

    /// `Unsupported value: …: supported values: …`.
    pub(crate) fn not_supported(&self, supported: &[&str]) -> FieldError {
        FieldError::not_supported(self.path.as_str(), self.text(), supported)
    }

    /// One of `supported`, if anything is said; nothing said is nothing wrong.
    pub(crate) fn one_of(&self, supported: &[&str]) -> Option<FieldError> {
        let wrong = !self.is_empty() && !supported.contains(&self.text());
        wrong.then(|| self.not_supported(supported))
    }

    /// `must be greater than or equal to 0`, if there is a number and it is not.
    pub(crate) fn not_negative(&self) -> Option<FieldError> {
        self.number()
            .filter(|number| *number < 0)
            .map(|_| self.invalid("must be greater than or equal to 0"))
    }

    /// Each of these objections to the value, as an error here.
    pub(crate) fn objections(&self, messages: Vec<String>) -> impl Iterator<Item = FieldError> {
        messages.into_iter().map(|message| self.invalid_text(message))
    }

    /// `field is immutable`, unless it is what it was.
    pub(crate) fn unchanged(&self, old: &Self) -> Option<FieldError> {
        (!same(self.value, old.value)).then(|| self.invalid("field is immutable"))
    }
}

/// No value, or an empty text, list or map.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether two values mean the same: what is missing is the same as what is empty.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => a
            .keys()
            .chain(b.keys())
            .all(|key| same(a.get(key).unwrap_or(&NOTHING), b.get(key).unwrap_or(&NOTHING))),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => one == other || (is_empty(one) && is_empty(other)),
    }
}

/// The member, made an object if there is none. `None` if something else is in its place.
pub(crate) fn object<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    member(value.as_object_mut()?, name)
}

/// The member, made an object if there is none. `None` if something else is in its place.
pub(crate) fn member<'v>(map: &'v mut Map<String, Value>, name: &str) -> Option<&'v mut Value> {
    let entry = map.entry(name).or_insert(Value::Null);
    if entry.is_null() {
        *entry = Value::Object(Map::new());
    }
    entry.is_object().then_some(entry)
}

/// Puts `default` where nothing is said: no member, `null`, or an empty text.
pub(crate) fn fill(value: &mut Value, name: &str, default: impl Into<Value>) {
    let Some(map) = value.as_object_mut() else { return };
    let entry = map.entry(name).or_insert(Value::Null);
    let unsaid = match entry {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    if unsaid {
        *entry = default.into();
    }
}

/// Puts `default` where nothing or zero is said: the members whose zero means "not said".
pub(crate) fn fill_zero(value: &mut Value, name: &str, default: i64) {
    if value.get(name).and_then(Value::as_i64) == Some(0) {
        set(value, name, default);
    } else {
        fill(value, name, default);
    }
}

/// Puts a value, whatever was there.
pub(crate) fn set(value: &mut Value, name: &str, new: impl Into<Value>) {
    if let Some(map) = value.as_object_mut() {
        map.insert(name.to_owned(), new.into());
    }
}

/// Takes a member away.
pub(crate) fn remove(value: &mut Value, name: &str) {
    if let Some(map) = value.as_object_mut() {
        map.remove(name);
    }
}

/// Makes the member what it is in `old`, or takes it away.
pub(crate) fn keep(value: &mut Value, old: &Value, name: &str) {
    match old.get(name) {
        Some(before) => set(value, name, before.clone()),
        None => remove(value, name),
    }
}

/// Each element of a list member.
pub(crate) fn each<'v>(
    value: &'v mut Value,
    name: &str,
) -> impl Iterator<Item = &'v mut Value> + use<'v> {
    value.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}
