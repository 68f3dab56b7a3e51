//! Reading JSON trees without ceremony: what is not there is empty, zero or false.

use jiff::Timestamp;
use serde_json::{Map, Value};

/// The text at a pointer; empty if there is none.
pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The number at a pointer; 0 if there is none.
pub(crate) fn number(value: &Value, pointer: &str) -> i64 {
    value.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

/// Whether there is `true` at a pointer.
pub(crate) fn is_true(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer) == Some(&Value::Bool(true))
}

/// The elements of the list at a pointer.
pub(crate) fn items<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// The time at a pointer.
pub(crate) fn moment(value: &Value, pointer: &str) -> Option<Timestamp> {
    text(value, pointer).parse().ok()
}

/// A time as Kubernetes writes it: whole seconds, and never one that has not come yet.
pub(crate) fn time(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The object at the end of a path of members, each made if it is missing or is no object.
pub(crate) fn make<'v>(value: &'v mut Value, path: &[&str]) -> &'v mut Map<String, Value> {
    let mut place = value;
    for name in path {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        // Indexing an object by name makes the member.
        place = &mut place[*name];
    }
    if !place.is_object() {
        *place = Value::Object(Map::new());
    }
    match place {
        Value::Object(members) => members,
        _ => unreachable!("was just made an object"),
    }
}

/// The condition of a type.
pub(crate) fn condition<'v>(object: &'v Value, kind: &str) -> Option<&'v Value> {
    items(object, "/status/conditions").find(|condition| text(condition, "/type") == kind)
}

/// Puts a condition into a list of conditions: in the place of the one of its type, else at the end. Where its status is what it
/// was, the time of the transition stays what it was.
pub(crate) fn put_condition(conditions: &mut Vec<Value>, mut condition: Value) {
    let kind = text(&condition, "/type").to_owned();
    let Some(old) = conditions.iter_mut().find(|old| text(old, "/type") == kind) else {
        conditions.push(condition);
        return;
    };
    if text(old, "/status") == text(&condition, "/status")
        && let Some(since) = old.get("lastTransitionTime")
    {
        condition["lastTransitionTime"] = since.clone();
    }
    *old = condition;
}
