//! A YAML document in which every value knows its line. JSON is read the same way, being YAML.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_saphyr::Spanned;

use super::{
    error::{Checked, ConfigError},
    field::Field,
};

/// A value and the line it begins in.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) line: Option<u64>,
    pub(crate) value: Value,
}

/// What stands in a document.
#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Switch(bool),
    Integer(i128),
    Decimal(f64),
    Text(String),
    List(Vec<Tree>),
    /// Keys with the line that they stand in, each once.
    Map(Vec<(Key, Tree)>),
}

/// A key of a map.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) line: Option<u64>,
    pub(crate) name: String,
}

/// Deep enough for a configuration, and not so deep that the stack could end.
const DEEPEST: usize = 32;

/// The only document of a text.
pub(crate) fn parse(text: &str) -> Checked<Tree> {
    let options = serde_saphyr::options! {
        with_snippet: false,
        // A group may be called `n`, and a label may say `yes`.
        strict_booleans: true,
        emit_comments: false,
        budget: serde_saphyr::budget! { max_depth: DEEPEST },
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let documents: Vec<Tree> =
        serde_saphyr::from_multiple_with_options(text, options).map_err(|error| broken(&error))?;
    let mut documents = documents.into_iter().filter(|tree| !matches!(tree.value, Value::Null));
    let Some(first) = documents.next() else {
        return Err(ConfigError::at(None, "", "the file is empty"));
    };
    match documents.next() {
        None => Ok(first),
        Some(second) => {
            let problem = "a second document begins here, and there may be only one";
            Err(ConfigError::at(second.line, "", problem))
        }
    }
}

/// What the YAML reader says, without what only a programmer could do about it.
fn broken(error: &serde_saphyr::Error) -> ConfigError {
    let text = error.without_snippet().to_string();
    let text = text.lines().next().unwrap_or_default();
    let location = error.location();
    let suffix = location
        .map(|place| format!(" at line {}, column {}", place.line(), place.column()))
        .unwrap_or_default();
    let text = text.strip_suffix(&suffix).unwrap_or(text);
    let (text, _) = text.split_once(", set DuplicateKeyPolicy").unwrap_or((text, ""));
    ConfigError::at(location.map(|place| place.line()).filter(|line| *line > 0), "", text)
}

// === impl Tree ===

impl Tree {
    /// The document as the field that all others are in.
    pub(crate) fn root(&self) -> Field<'_> {
        Field { line: self.line, value: &self.value, path: String::new() }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Value>::deserialize(from)?;
        Ok(Self { line: line_of(&spanned), value: spanned.value })
    }
}

/// Where a reader would look for the value: at an alias, not at what it stands for.
fn line_of<T>(spanned: &Spanned<T>) -> Option<u64> {
    Some(spanned.referenced.line()).filter(|line| *line > 0)
}

// === impl Value ===

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        Value::deserialize(from)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Switch(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Integer(value))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Value, E> {
        i128::try_from(value).map(Value::Integer).map_err(|_| E::custom("is too large"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Decimal(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element()? {
            list.push(entry);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map: Vec<(Key, Tree)> = Vec::new();
        while let Some(key) = entries.next_key::<Spanned<String>>()? {
            let key = Key { line: line_of(&key), name: key.value };
            if map.iter().any(|(known, _)| known.name == key.name) {
                return Err(A::Error::custom(format_args!("{} stands twice", key.name)));
            }
            map.push((key, entries.next_value()?));
        }
        Ok(Value::Map(map))
    }
}
