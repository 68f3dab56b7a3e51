//! Lists in a strategic merge patch.

use serde_json::{Map, Value};

use super::{
    super::go, DIRECTIVE, ELEMENT_ORDER, Problem, listed, merge as merge_map, unknown_directive,
    without_directives,
};
use crate::schema::{PatchRule, Type};

/// The list that comes of the live one and the patch's.
pub(super) fn merge(
    rule: PatchRule<'_>,
    item: Option<&Type>,
    live: Vec<Value>,
    patch: Vec<Value>,
) -> Result<Vec<Value>, Problem> {
    match rule {
        PatchRule::Replace => Ok(patch),
        PatchRule::MergeSet => merge_values(&live, &patch),
        PatchRule::MergeByKey(key) => merge_by_key(key, item, live, patch),
    }
}

/// Takes the listed values off the list of this name.
pub(super) fn delete_from(original: &mut Map<String, Value>, name: &str, values: &Value) {
    match (original.get_mut(name), values) {
        (Some(_), Value::Null) => {
            original.remove(name);
        }
        (Some(Value::Array(list)), Value::Array(values)) => {
            list.retain(|value| !values.contains(value));
        }
        _ => {}
    }
}

/// Carries out the `$setElementOrder` directives together with the lists that they are about, and takes both off the patch.
pub(super) fn put_in_order(
    of: Option<&Type>,
    original: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
) -> Result<(), Problem> {
    let directives: Vec<String> =
        patch.keys().filter(|name| name.starts_with(ELEMENT_ORDER)).cloned().collect();
    for directive in directives {
        let order = match patch.remove(&directive) {
            Some(Value::Array(order)) => order,
            other => return Err(not_a_list(&other.unwrap_or_default())),
        };
        let name = listed(&directive, ELEMENT_ORDER)
            .ok_or(Problem::Malformed("invalid patch format of setElementOrder list"))?;
        let live = take_list(original, name)?;
        let changes = take_list(patch, name)?;
        let of = of.and_then(|of| of.field(name));
        let rule = of.as_deref().map_or(PatchRule::Replace, Type::patch_rule);
        let item = of.as_deref().and_then(Type::item);
        let key = match rule {
            PatchRule::MergeByKey(key) => Some(key),
            PatchRule::Replace | PatchRule::MergeSet => None,
        };
        if let Some(changes) = &changes {
            check_order(changes, &order, key)?;
        }
        let before = live.clone().unwrap_or_default();
        let is_empty = before.is_empty() && changes.as_ref().is_none_or(Vec::is_empty);
        let merged = match (live, changes) {
            (None, None) => continue,
            (Some(live), None) => live,
            (None, Some(changes)) => changes.into_iter().filter_map(without_directives).collect(),
            (Some(live), Some(changes)) => merge(rule, item.as_deref(), live, changes)?,
        };
        if is_empty {
            return Err(Problem::Other("no elements in any of the given slices".to_owned()));
        }
        check_keys(&merged, key)?;
        let arranged = arrange(merged, &order, &before, key);
        original.insert(name.to_owned(), Value::Array(arranged));
    }
    Ok(())
}

fn merge_values(live: &[Value], patch: &[Value]) -> Result<Vec<Value>, Problem> {
    let mut merged: Vec<Value> = Vec::with_capacity(live.len() + patch.len());
    for value in live.iter().chain(patch) {
        match value {
            Value::Array(_) => return Err(Problem::ListOfLists),
            Value::Object(_) => {
                return Err(Problem::Other("cannot merge lists without merge key".to_owned()));
            }
            _ if merged.contains(value) => {}
            _ => merged.push(value.clone()),
        }
    }
    Ok(arrange(merged, patch, live, None))
}

fn merge_by_key(
    key: &str,
    item: Option<&Type>,
    mut live: Vec<Value>,
    patch: Vec<Value>,
) -> Result<Vec<Value>, Problem> {
    let mut changes = Vec::with_capacity(patch.len());
    let mut replaces = false;
    for change in patch {
        let Value::Object(fields) = change else { return Err(not_a_map(&change)) };
        match fields.get(DIRECTIVE).map(Value::as_str) {
            None => changes.push(Value::Object(fields)),
            Some(Some("replace")) => replaces = true,
            Some(Some("delete")) => {
                let Some(gone) = fields.get(key) else { return Err(no_key(fields, key)) };
                live.retain(|item| item.get(key) != Some(gone));
            }
            Some(Some("merge")) => {
                return Err(Problem::Other(
                    "merging lists cannot yet be specified in the patch".to_owned(),
                ));
            }
            Some(_) => return Err(unknown_directive(fields)),
        }
    }
    if replaces {
        return Ok(changes);
    }
    let mut merged = live.clone();
    for change in &changes {
        let Value::Object(fields) = change else { continue };
        let Some(value) = fields.get(key) else { return Err(no_key(fields.clone(), key)) };
        match merged.iter_mut().find(|item| item.get(key) == Some(value)) {
            Some(Value::Object(old)) => merge_map(item, old, fields.clone())?,
            _ => merged.push(without_nulls(change)),
        }
    }
    check_keys(&merged, Some(key))?;
    Ok(arrange(merged, &changes, &live, Some(key)))
}

/// Puts elements that `order` names into its order, keeps the rest in the live order, and weaves the two so that an element
/// of the rest comes before the first named one that it was before.
fn arrange(merged: Vec<Value>, order: &[Value], live: &[Value], key: Option<&str>) -> Vec<Value> {
    let place = |list: &[Value], item: &Value| {
        list.iter().position(|other| identity(other, key) == identity(item, key))
    };
    let (mut named, mut rest): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|item| place(order, item).is_some());
    named.sort_by_cached_key(|item| place(order, item));
    rest.sort_by_cached_key(|item| place(live, item));

    let mut arranged = Vec::with_capacity(named.len() + rest.len());
    let mut rest = rest.into_iter().peekable();
    for item in named {
        let here = place(live, &item);
        while let Some(other) = rest.peek() {
            let there = place(live, other);
            if here.is_none() || there.is_none() || there > here {
                break;
            }
            arranged.extend(rest.next());
        }
        arranged.push(item);
    }
    arranged.extend(rest);
    arranged
}

/// What tells an element from others.
fn identity<'v>(item: &'v Value, key: Option<&str>) -> Option<&'v Value> {
    match key {
        Some(key) => item.get(key),
        None => Some(item),
    }
}

/// The elements that the patch sets must be named by the order, and come in that order.
fn check_order(changes: &[Value], order: &[Value], key: Option<&str>) -> Result<(), Problem> {
    if order.is_empty() || changes.is_empty() {
        return Ok(());
    }
    let mut ahead = order.iter();
    for change in changes {
        if key.is_some() && change.get(DIRECTIVE).is_some() {
            continue;
        }
        check_keys(std::slice::from_ref(change), key)?;
        if !ahead.any(|named| identity(named, key) == identity(change, key)) {
            return Err(Problem::Other(format!(
                "The order in patch list:\n{}\n doesn't match {ELEMENT_ORDER} list:\n{}",
                go::ShownList(changes),
                go::ShownList(order)
            )));
        }
    }
    Ok(())
}

fn check_keys(items: &[Value], key: Option<&str>) -> Result<(), Problem> {
    let Some(key) = key else { return Ok(()) };
    for item in items {
        match item {
            Value::Object(fields) if fields.contains_key(key) => {}
            Value::Object(fields) => return Err(no_key(fields.clone(), key)),
            other => return Err(not_a_map(other)),
        }
    }
    Ok(())
}

fn take_list(from: &mut Map<String, Value>, name: &str) -> Result<Option<Vec<Value>>, Problem> {
    match from.remove(name) {
        Some(Value::Array(list)) => Ok(Some(list)),
        Some(other) => Err(not_a_list(&other)),
        None => Ok(None),
    }
}

/// Nulls of a new element stand for nothing.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        other => other.clone(),
    }
}

fn no_key(fields: Map<String, Value>, key: &str) -> Problem {
    let shown = Value::Object(fields);
    Problem::Other(format!("map: {} does not contain declared merge key: {key}", go::Shown(&shown)))
}

fn not_a_list(found: &Value) -> Problem {
    Problem::Other(format!("expected a []interface {{}}, but received a {}", go::type_name(found)))
}

fn not_a_map(found: &Value) -> Problem {
    Problem::Other(format!(
        "expected a map[string]interface {{}}, but received a {}",
        go::type_name(found)
    ))
}
