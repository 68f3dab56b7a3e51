//! Lists that are sets or maps: nothing may be in them twice.

use serde_json::{Map, Value};

use super::structural::{Additional, Schema};
use crate::{FieldError, schema::Listing};

/// What is there twice in `value`, which is at `path`.
pub(crate) fn check(schema: &Schema, path: &str, value: &Value) -> Vec<FieldError> {
    match value {
        Value::Array(items) => list(schema, path, items),
        Value::Object(members) => object(schema, path, members),
        _ => Vec::new(),
    }
}

fn object(schema: &Schema, path: &str, members: &Map<String, Value>) -> Vec<FieldError> {
    let mut found = Vec::new();
    for (name, member) in members {
        match (schema.properties.get(name.as_str()), &schema.additional) {
            (Some(below), _) => {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                found.extend(check(below, &path, member));
            }
            (None, Additional::Of(below)) => {
                found.extend(check(below, &format!("{path}[{name}]"), member));
            }
            _ => {}
        }
    }
    found
}

fn list(schema: &Schema, path: &str, items: &[Value]) -> Vec<FieldError> {
    let mut found = match &schema.list {
        Listing::Atomic => Vec::new(),
        Listing::Set => repeated(path, items),
        Listing::Map(names) => map(path, names, items),
    };
    if let Some(below) = &schema.items {
        for (index, item) in items.iter().enumerate() {
            found.extend(check(below, &format!("{path}[{index}]"), item));
        }
    }
    found
}

fn map(path: &str, names: &[Box<str>], items: &[Value]) -> Vec<FieldError> {
    if let Some(index) = items.iter().position(|item| !item.is_object() && !item.is_null()) {
        let item = items.get(index).cloned().unwrap_or_default();
        let why = "must be an object for an array of list-type map";
        return vec![FieldError::invalid(format!("{path}[{index}]"), item, why)];
    }
    let key = |item: &Value| -> Value {
        let parts = names
            .iter()
            .filter_map(|name| item.get(&**name).map(|part| (name.to_string(), part.clone())));
        Value::Object(parts.collect())
    };
    let keys: Vec<Value> = items.iter().map(key).collect();
    repeated(path, &keys)
}

/// The second of each that occurs more than once.
fn repeated(path: &str, items: &[Value]) -> Vec<FieldError> {
    let mut seen: rustc_hash::FxHashMap<String, u32> = rustc_hash::FxHashMap::default();
    let mut found = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let times = seen.entry(item.to_string()).or_default();
        *times += 1;
        if *times == 2 {
            found.push(FieldError::duplicate(format!("{path}[{index}]"), item.clone()));
        }
    }
    found
}
