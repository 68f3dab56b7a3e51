//! Values of the service as its versions write them: numbers in quotes, floats, lists where a text was.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

use super::Key;

/// The largest whole number up to which a float is exact; no count comes near it.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// A text; numbers are taken as they are written, null is empty.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(D::Error::custom(format_args!("{other} is not a text"))),
    }
}

/// A text that no decision depends on: whatever else it is counts as nothing.
pub(super) fn hint<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    })
}

/// A whole number; null is zero, digits may stand in quotes, and a float is one if it has no fraction.
pub(super) fn number<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    let value = Value::deserialize(from)?;
    let number = match &value {
        Value::Null => Some(0),
        Value::String(text) if text.trim().is_empty() => Some(0),
        other => whole(other),
    };
    number.ok_or_else(|| D::Error::custom(format_args!("{value} is not a whole number")))
}

/// The number of a thing, which has to be there.
pub(super) fn key<'de, D: Deserializer<'de>>(from: D) -> Result<Key, D::Error> {
    let value = Value::deserialize(from)?;
    whole(&value).ok_or_else(|| D::Error::custom(format_args!("{value} is not a key")))
}

/// The number of a thing that is there.
pub(super) fn some_key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Key>, D::Error> {
    key(from).map(Some)
}

/// The number of a thing, if there is one.
pub(super) fn optional_key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Key>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        value => match whole(&value) {
            Some(key) => Ok(Some(key)),
            None => Err(D::Error::custom(format_args!("{value} is not a key"))),
        },
    }
}

/// A whole number, however it is written.
pub(in crate::stackpoint) fn whole(value: &Value) -> Option<i64> {
    let amount = match value {
        Value::Number(number) => match number.as_i64() {
            Some(number) => return Some(number),
            None => number.as_f64()?,
        },
        Value::String(text) => match text.trim().parse::<i64>() {
            Ok(number) => return Some(number),
            Err(_) => text.trim().parse().ok()?,
        },
        _ => return None,
    };
    let is_whole = amount.fract() == 0.0 && amount.abs() <= LARGEST;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the range of i64")]
    is_whole.then_some(amount as i64)
}

/// Null is no; words and digits for yes and no are understood.
pub(super) fn truth<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(from)?;
    let truth = match &value {
        Value::Null => Some(false),
        Value::Bool(truth) => Some(*truth),
        Value::String(text) => match &*text.trim().to_lowercase() {
            "" | "false" | "0" => Some(false),
            "true" | "1" => Some(true),
            _ => None,
        },
        other => match whole(other) {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
    };
    truth.ok_or_else(|| D::Error::custom(format_args!("{value} is neither true nor false")))
}

/// A moment that cannot be read is one that is not known: no machine is lost for it.
pub(super) fn moment<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let value = Value::deserialize(from)?;
    Ok(value.as_str().and_then(|text| text.parse().ok()))
}

/// Labels: `a=b,c=d`, a list of `a=b`, an object, the text of an object, or a list of objects with `key` and `value`.
pub(super) fn pairs<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, String)>, D::Error> {
    let value = Value::deserialize(from)?;
    labels(&value).ok_or_else(|| D::Error::custom(format_args!("{value} are no labels")))
}

fn labels(value: &Value) -> Option<Vec<(String, String)>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::String(text) => Some(match serde_json::from_str(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => labels(&inner)?,
            _ => text.split([',', ';']).filter_map(split).collect(),
        }),
        Value::Array(entries) => {
            let lists: Option<Vec<_>> = entries.iter().map(label).collect();
            Some(lists?.into_iter().flatten().collect())
        }
        Value::Object(object) => {
            let pair = |(key, value): (&String, &Value)| Some((key.clone(), scalar(value)?));
            object.iter().map(pair).collect()
        }
        _ => None,
    }
}

/// What one entry of a list of labels says.
fn label(entry: &Value) -> Option<Vec<(String, String)>> {
    match entry {
        Value::Object(object) if object.contains_key("key") => {
            let key = scalar(object.get("key")?)?;
            let value = object.get("value").map_or(Some(String::new()), scalar)?;
            Some(vec![(key, value)])
        }
        Value::String(_) | Value::Object(_) => labels(entry),
        _ => None,
    }
}

fn split(entry: &str) -> Option<(String, String)> {
    let (key, value) = entry.split_once('=')?;
    Some((key.trim().to_owned(), value.trim().to_owned()))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests;
