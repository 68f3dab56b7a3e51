//! Reading objects for people: what is missing or of another type is empty, zero or false, and never a failure.

use serde_json::Value;

/// What is shown where there is nothing.
pub(super) const NONE: &str = "<none>";

/// The text at a path.
pub(super) fn text<'v>(value: &'v Value, path: &str) -> &'v str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// The text at a path, or another where there is none.
pub(super) fn text_or<'v>(value: &'v Value, path: &str, absent: &'v str) -> &'v str {
    or(text(value, path), absent)
}

/// A text, or another where it is empty.
pub(super) fn or<'t>(text: &'t str, absent: &'t str) -> &'t str {
    if text.is_empty() { absent } else { text }
}

/// The number at a path.
pub(super) fn number(value: &Value, path: &str) -> i64 {
    value.pointer(path).and_then(Value::as_i64).unwrap_or_default()
}

/// Whether there is a true at a path.
pub(super) fn flag(value: &Value, path: &str) -> bool {
    value.pointer(path).and_then(Value::as_bool).unwrap_or_default()
}

/// What is at a path, unless it is null.
pub(super) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    value.pointer(path).filter(|found| !found.is_null())
}

/// The items of the list at a path.
pub(super) fn list<'v>(value: &'v Value, path: &str) -> &'v [Value] {
    value.pointer(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// How many items or members are at a path.
pub(super) fn count(value: &Value, path: &str) -> usize {
    match value.pointer(path) {
        Some(Value::Array(items)) => items.len(),
        Some(Value::Object(members)) => members.len(),
        _ => 0,
    }
}

/// The texts that each item of a list has at a path, with commas between.
pub(super) fn joined(items: &[Value], path: &str) -> String {
    items.iter().map(|item| text(item, path)).collect::<Vec<_>>().join(",")
}

/// The first condition of a type in the list of an object's status.
pub(super) fn condition<'v>(object: &'v Value, kind: &str) -> Option<&'v Value> {
    list(object, "/status/conditions").iter().find(|condition| condition["type"] == kind)
}

/// Whether the first condition of a type is true.
pub(super) fn holds(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|condition| condition["status"] == "True")
}

/// Labels as `a=b,c=d`.
pub(super) fn labels(value: &Value, path: &str) -> String {
    let mut pairs: Vec<String> = value
        .pointer(path)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    pairs.sort();
    or(&pairs.join(","), NONE).to_owned()
}

/// The label selector at a path as selectors are written, empty for one that says nothing.
pub(super) fn selector(object: &Value, path: &str) -> String {
    let selector = object.pointer(path).unwrap_or(&Value::Null);
    let mut requirements: Vec<(&str, String)> = Vec::new();
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        requirements.push((key, format!("{key}={}", value.as_str().unwrap_or_default())));
    }
    for requirement in list(selector, "/matchExpressions") {
        let key = text(requirement, "/key");
        let mut values: Vec<&str> =
            list(requirement, "/values").iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        requirements.push((
            key,
            match text(requirement, "/operator") {
                "In" => format!("{key} in ({values})"),
                "NotIn" => format!("{key} notin ({values})"),
                "DoesNotExist" => format!("!{key}"),
                _ => key.to_owned(),
            },
        ));
    }
    requirements.sort_by_key(|(key, _)| *key);
    requirements.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",")
}
