//! JSON text to a tree, with an eye on keys that are given twice.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use thiserror::Error;

/// The server reports no more duplicates than this.
const MOST_DUPLICATES: usize = 100;

/// A body that is no JSON.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ParseError(#[from] serde_json::Error);

/// Reads a JSON document. The second part are the paths of keys that occur more than once, such as `data.a`, each once.
///
/// Of keys given twice the later wins; objects are merged, because that is what the real server's decoder makes of them.
pub fn parse(text: &[u8]) -> Result<(Value, Vec<String>), ParseError> {
    let mut duplicates = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value =
        Tree { path: String::new(), duplicates: &mut duplicates }.deserialize(&mut reader)?;
    reader.end()?;
    Ok((value, duplicates))
}

/// Builds one value, knowing where it is.
struct Tree<'d> {
    path: String,
    duplicates: &'d mut Vec<String>,
}

// === impl Tree ===

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let path = format!("{}[{}]", self.path, items.len());
            match access.next_element_seed(Tree { path, duplicates: &mut *self.duplicates })? {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut fields: Map<String, Value> = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let path =
                if self.path.is_empty() { key.clone() } else { format!("{}.{key}", self.path) };
            if fields.contains_key(&key)
                && self.duplicates.len() < MOST_DUPLICATES
                && !self.duplicates.contains(&path)
            {
                self.duplicates.push(path.clone());
            }
            let value = access.next_value_seed(Tree { path, duplicates: &mut *self.duplicates })?;
            match fields.get_mut(&key) {
                Some(earlier) => merge(earlier, value),
                None => {
                    fields.insert(key, value);
                }
            }
        }
        Ok(Value::Object(fields))
    }
}

fn merge(earlier: &mut Value, later: Value) {
    match (earlier, later) {
        (Value::Object(earlier), Value::Object(later)) => {
            for (key, value) in later {
                match earlier.get_mut(&key) {
                    Some(inner) => merge(inner, value),
                    None => {
                        earlier.insert(key, value);
                    }
                }
            }
        }
        (earlier, later) => *earlier = later,
    }
}
