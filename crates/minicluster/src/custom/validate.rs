//! Values against structural schemas, in the words of the real server.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::{
    formats,
    structural::{Additional, Checks, Schema},
};
use crate::{
    error::{FieldError, FieldErrorKind},
    schema::whole,
};

/// What is wrong with `value`, which is at `path` (empty for the root).
pub(crate) fn check(schema: &Schema, path: &str, value: &Value) -> Vec<FieldError> {
    let mut found = Vec::new();
    let checks = &schema.checks;
    if value.is_null() {
        if !schema.types.is_empty() && !schema.nullable {
            found.push(wrong_type(path, &schema.types.join(","), "null"));
        }
        options(checks, path, value, &mut found);
        return found;
    }
    type_of(schema, path, value, &mut found);
    alternatives(checks, path, value, &mut found);
    match value {
        Value::String(text) => {
            found.extend(string(checks, path, text));
            if !formats::matches(&checks.format, text) {
                let format = formats::name(&checks.format);
                let message = format!("{path} in body must be of type {format}: {text:?}");
                found.push(FieldError::new(
                    FieldErrorKind::TypeInvalid,
                    place(path),
                    json!(text),
                    message,
                ));
            }
        }
        Value::Number(_) => number(schema, path, value, &mut found),
        Value::Array(items) => list(schema, path, items, &mut found),
        _ => {}
    }
    options(checks, path, value, &mut found);
    if let Value::Object(members) = value {
        object(schema, path, members, &mut found);
    }
    found
}

/// The path as errors show it.
fn place(path: &str) -> String {
    path.trim_start_matches('.').to_owned()
}

fn wrong_type(path: &str, wanted: &str, given: &str) -> FieldError {
    let message = format!("{path} in body must be of type {wanted}: {given:?}");
    FieldError::new(FieldErrorKind::TypeInvalid, place(path), json!(given), message)
}

/// Errors about several schemas at once have no path of their own.
fn without_path(message: String) -> FieldError {
    FieldError::invalid("<nil>", "", message)
}

fn type_of(schema: &Schema, path: &str, value: &Value, found: &mut Vec<FieldError>) {
    let given = match value {
        Value::Null => return,
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
    };
    let allows = |name: &str| schema.types.iter().any(|ty| **ty == *name);
    let numeric = allows("number") || allows("integer");
    // Formats have a say about texts, and are checked on their own.
    let formatted = !schema.checks.format.is_empty()
        && matches!(value, Value::String(_) | Value::Array(_))
        && !numeric;
    let whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let fits = schema.types.is_empty()
        || allows(given)
        || formatted
        || (given == "number" && whole && allows("integer"))
        || (given == "integer" && allows("number"));
    if !fits {
        found.push(wrong_type(path, &schema.types.join(","), given));
    }
}

fn alternatives(checks: &Checks, path: &str, value: &Value, found: &mut Vec<FieldError>) {
    let tried = |schemas: &[Schema]| -> Vec<Vec<FieldError>> {
        schemas.iter().map(|schema| check(schema, path, value)).collect()
    };
    let fewest = |results: Vec<Vec<FieldError>>| -> Vec<FieldError> {
        results.into_iter().min_by_key(Vec::len).unwrap_or_default()
    };
    let any = tried(&checks.any_of);
    if !any.is_empty() && any.iter().all(|errors| !errors.is_empty()) {
        found.push(without_path(format!("{path:?} must validate at least one schema (anyOf)")));
        found.extend(fewest(any));
    }
    let one = tried(&checks.one_of);
    let valid = one.iter().filter(|errors| errors.is_empty()).count();
    if !one.is_empty() && valid != 1 {
        let why = if valid == 0 {
            "Found none valid".to_owned()
        } else {
            format!("Found {valid} valid alternatives")
        };
        let message = format!("{path:?} must validate one and only one schema (oneOf). {why}");
        found.push(without_path(message));
        if valid == 0 {
            found.extend(fewest(one));
        }
    }
    let all = tried(&checks.all_of);
    let failed = all.iter().filter(|errors| !errors.is_empty()).count();
    if failed > 0 {
        let why = if failed == all.len() { ". None validated" } else { "" };
        found.extend(all.into_iter().flatten());
        found.push(without_path(format!("{path:?} must validate all the schemas (allOf){why}")));
    }
    if let Some(not) = &checks.not
        && check(not, path, value).is_empty()
    {
        found.push(without_path(format!("{path:?} must not validate the schema (not)")));
    }
}

/// The first thing wrong with a text.
fn string(checks: &Checks, path: &str, text: &str) -> Option<FieldError> {
    let length = text.chars().count() as u64;
    if let Some(most) = checks.max_length.filter(|most| length > *most) {
        let detail = format!("may not be more than {most} bytes");
        return Some(FieldError::new(FieldErrorKind::TooLong, place(path), Value::Null, detail));
    }
    if let Some(least) = checks.min_length.filter(|least| length < *least) {
        let message = format!("{path} in body should be at least {least} chars long");
        return Some(FieldError::invalid(place(path), text, message));
    }
    match &checks.pattern {
        Some((pattern, Some(regex))) if !regex.is_match(text) => {
            let message = format!("{path} in body should match '{pattern}'");
            Some(FieldError::invalid(place(path), text, message))
        }
        _ => None,
    }
}

fn number(schema: &Schema, path: &str, value: &Value, found: &mut Vec<FieldError>) {
    let checks = &schema.checks;
    let Some(number) = value.as_f64() else { return };
    let wants_integer = matches!(schema.types.as_slice(), [one] if **one == *"integer");
    if wants_integer {
        let integer = value.as_i64().or_else(|| whole(number));
        let (fits, form) = match &*checks.format {
            "int32" => (
                integer.is_some_and(|integer| i32::try_from(integer).is_ok()),
                "with format int32".to_owned(),
            ),
            "int64" => (integer.is_some(), "with format int64".to_owned()),
            _ => (integer.is_some(), "(default format)".to_owned()),
        };
        if !fits {
            let message = format!("Checked value must be of type integer {form} in {path}");
            found.push(without_path(message));
        }
    }
    let mut refuse = |message: String| {
        found.push(FieldError::invalid(place(path), value.clone(), message));
    };
    if let Some(factor) = checks.multiple_of {
        let times = if factor < 1.0 { 1.0 / factor * number } else { number / factor };
        if times.fract() != 0.0 {
            refuse(format!("{path} in body should be a multiple of {factor}"));
        }
    }
    if let Some(least) = checks.minimum {
        if checks.exclusive_minimum && number <= least {
            refuse(format!("{path} in body should be greater than {least}"));
        } else if number < least {
            refuse(format!("{path} in body should be greater than or equal to {least}"));
        }
    }
    if let Some(most) = checks.maximum {
        if checks.exclusive_maximum && number >= most {
            refuse(format!("{path} in body should be less than {most}"));
        } else if number > most {
            refuse(format!("{path} in body should be less than or equal to {most}"));
        }
    }
}

fn list(schema: &Schema, path: &str, items: &[Value], found: &mut Vec<FieldError>) {
    if let Some(below) = &schema.items {
        for (index, item) in items.iter().enumerate() {
            found.extend(check(below, &format!("{path}[{index}]"), item));
        }
    }
    let checks = &schema.checks;
    let count = items.len() as u64;
    if let Some(least) = checks.min_items.filter(|least| count < *least) {
        let message = format!("{path} in body should have at least {least} items");
        found.push(FieldError::invalid(place(path), count, message));
    }
    if let Some(most) = checks.max_items.filter(|most| count > *most) {
        found.push(too_many(path, count, most));
    }
    let repeats = |(index, item)| items.iter().take(index).any(|earlier: &Value| earlier == item);
    if checks.unique_items && items.iter().enumerate().any(repeats) {
        let message = format!("{path} in body shouldn't contain duplicates");
        found.push(FieldError::invalid(place(path), "", message));
    }
}

fn too_many(path: &str, count: u64, most: u64) -> FieldError {
    let things = if most == 1 { "item" } else { "items" };
    let detail = format!("{count}: must have at most {most} {things}");
    FieldError::new(FieldErrorKind::TooMany, place(path), Value::Null, detail)
}

fn options(checks: &Checks, path: &str, value: &Value, found: &mut Vec<FieldError>) {
    let same = |option: &Value| match (option.as_f64(), value.as_f64()) {
        (Some(option), Some(value)) => option.total_cmp(&value).is_eq(),
        _ => option == value,
    };
    if checks.options.is_empty() || checks.options.iter().any(same) {
        return;
    }
    let mut detail = String::from("supported values: ");
    for (index, option) in checks.options.iter().enumerate() {
        let shown = option.as_str().map_or_else(|| option.to_string(), ToOwned::to_owned);
        let comma = if index == 0 { "" } else { ", " };
        let _ = write!(detail, "{comma}{shown:?}");
    }
    found.push(FieldError::new(FieldErrorKind::NotSupported, place(path), value.clone(), detail));
}

fn object(schema: &Schema, path: &str, members: &Map<String, Value>, found: &mut Vec<FieldError>) {
    let checks = &schema.checks;
    let count = members.len() as u64;
    if let Some(least) = checks.min_properties.filter(|least| count < *least) {
        let message = format!("{path} in body should have at least {least} properties");
        found.push(FieldError::invalid(place(path), count, message));
    }
    if let Some(most) = checks.max_properties.filter(|most| count > *most) {
        found.push(too_many(path, count, most));
    }
    for (name, member) in members {
        if schema.properties.contains_key(name.as_str()) {
            continue;
        }
        match &schema.additional {
            Additional::Of(below) => found.extend(check(below, &format!("{path}.{name}"), member)),
            Additional::Forbidden => {
                let message = format!("{path}.{name} in body is a forbidden property");
                found.push(FieldError::invalid(place(path), name.as_str(), message));
            }
            Additional::Unsaid | Additional::Allowed => {}
        }
    }
    for (name, below) in &schema.properties {
        if let Some(member) = members.get(&**name) {
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            found.extend(check(below, &path, member));
        }
    }
    for name in &checks.required {
        if !members.contains_key(&**name) {
            found.push(FieldError::required(place(&format!("{path}.{name}")), ""));
        }
    }
}
