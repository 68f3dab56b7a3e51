//! Custom resources: columns as their definition has them.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::custom::{Column, CustomKind};

use super::{
    age,
    column::{AGE, NAME},
    json_path, read,
};

/// The `columnDefinitions`.
pub(super) fn columns(kind: &CustomKind) -> Value {
    let mut columns = vec![NAME.definition()];
    if kind.columns.is_empty() {
        let mut age = AGE.definition();
        age["type"] = json!("date");
        columns.push(age);
    }
    columns.extend(kind.columns.iter().map(|column| {
        json!({
            "name": column.name,
            "type": column.kind,
            "format": column.format,
            "description": column.description,
            "priority": column.priority,
        })
    }));
    Value::Array(columns)
}

/// The cells of an object.
pub(super) fn cells(kind: &CustomKind, object: &Value, now: Timestamp) -> Value {
    let mut cells = vec![read::text(object, "/metadata/name").into()];
    if kind.columns.is_empty() {
        let created = object.pointer("/metadata/creationTimestamp");
        cells.push(created.map_or(Value::Null, |created| date(created, now)));
    }
    cells.extend(kind.columns.iter().map(|column| cell(column, object, now)));
    Value::Array(cells)
}

/// A value that the column's type does not fit is not shown.
fn cell(column: &Column, object: &Value, now: Timestamp) -> Value {
    let Some(found) = json_path::first(&column.path, object) else { return Value::Null };
    match &*column.kind {
        "string" => match found {
            Value::String(text) => text.clone().into(),
            Value::Null => "<no value>".into(),
            other => other.to_string().into(),
        },
        "integer" => integer(found),
        "number" => found.as_f64().map_or(Value::Null, number),
        "boolean" => found.as_bool().map_or(Value::Null, Value::from),
        "date" => date(found, now),
        _ => Value::Null,
    }
}

/// A whole number; of another, what is before the point.
fn integer(found: &Value) -> Value {
    match found.as_i64() {
        Some(whole) => whole.into(),
        None => found
            .as_f64()
            .and_then(|number| format!("{:.0}", number.trunc()).parse::<i64>().ok())
            .map_or(Value::Null, Value::from),
    }
}

/// A number as Go writes it: whole ones without a point.
fn number(number: f64) -> Value {
    let whole = format!("{number:.0}").parse::<i64>().ok().filter(|_| number.fract() == 0.0);
    whole.map_or_else(|| number.into(), Value::from)
}

fn date(found: &Value, now: Timestamp) -> Value {
    match found.as_str() {
        Some("" | "null") => age::since("", now).into(),
        Some(time) => {
            age::parse(time).map_or_else(|| "<invalid>".into(), |_| age::since(time, now).into())
        }
        None => Value::Null,
    }
}
