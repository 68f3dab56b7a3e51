//! The paths of printer columns: the part of kubectl's `JSONPath` that definitions use.
//!
//! `.a.b`, `['a']`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `.*` and `[?(@.type=="Ready")]`; a backslash takes the meaning from a dot in a
//! name. Only the first value that a path leads to is ever shown. Whatever else is in a path leads nowhere.

use std::cmp::Ordering;

use serde_json::Value;

/// The first value that a path leads to.
pub(super) fn first<'v>(path: &str, object: &'v Value) -> Option<&'v Value> {
    follow(path, vec![object])?.first().copied()
}

/// All values that a path leads to; none where the path or a value on the way is not as it must be.
fn follow<'v>(mut path: &str, mut values: Vec<&'v Value>) -> Option<Vec<&'v Value>> {
    while !path.is_empty() {
        if let Some(rest) = path.strip_prefix('[') {
            let end = closing(rest)?;
            let (inside, after) = (rest.get(..end)?, rest.get(end + 1..)?);
            values = bracket(inside.trim(), values)?;
            path = after;
        } else {
            let (name, after) = member_name(path.strip_prefix('.').unwrap_or(path))?;
            path = after;
            values = match &*name {
                // A dot alone, and one before a bracket.
                "" => values,
                "*" => values.into_iter().flat_map(children).collect(),
                name => values.into_iter().filter_map(|value| value.get(name)).collect(),
            };
        }
    }
    Some(values)
}

/// The name at the beginning of a path, and what follows. Two dots, which would search the whole object, are none.
fn member_name(path: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut letters = path.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => name.push(letters.next()?.1),
            '.' if name.is_empty() => return None,
            '.' | '[' => return Some((name, path.get(at..)?)),
            letter => name.push(letter),
        }
    }
    Some((name, ""))
}

/// Where the bracket ends that begins before `path`; brackets inside quotes and other brackets do not count.
fn closing(path: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, letter) in path.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '[') => depth += 1,
            (None, ']') if depth == 0 => return Some(at),
            (None, ']') => depth -= 1,
            _ => {}
        }
    }
    None
}

fn bracket<'v>(inside: &str, values: Vec<&'v Value>) -> Option<Vec<&'v Value>> {
    if inside == "*" {
        return Some(values.into_iter().flat_map(children).collect());
    }
    if let Some(name) = quoted(inside) {
        return Some(values.into_iter().filter_map(|value| value.get(name)).collect());
    }
    let filter = inside.strip_prefix("?(").and_then(|rest| rest.strip_suffix(')'));
    let mut found = Vec::new();
    for value in values {
        let items = match value {
            Value::Null => continue,
            Value::Array(items) => items,
            _ => return None,
        };
        match filter {
            Some(filter) => found.extend(items.iter().filter(|item| passes(filter, item))),
            None => found.extend(slice(inside, items)?),
        }
    }
    Some(found)
}

/// The items from an index, or between two.
fn slice<'v>(inside: &str, items: &'v [Value]) -> Option<&'v [Value]> {
    let position = |text: &str, absent: usize| match text.trim() {
        "" => Some(absent),
        text => match text.strip_prefix('-') {
            Some(from_end) => items.len().checked_sub(from_end.parse().ok()?),
            None => text.parse().ok(),
        },
    };
    if let Some((from, to)) = inside.split_once(':') {
        return items.get(position(from, 0)?..position(to, items.len())?);
    }
    let at = position(inside, items.len())?;
    items.get(at..=at)
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

/// Whether an item passes a filter: a comparison of one of its members with a literal, or that there is such a member.
fn passes(filter: &str, item: &Value) -> bool {
    let filter = filter.trim();
    let operator = ["==", "!=", "<=", ">=", "<", ">"]
        .into_iter()
        .filter_map(|operator| Some((filter.find(operator)?, operator)))
        .min_by_key(|(at, operator)| (*at, std::cmp::Reverse(operator.len())));
    let member = |path: &str| first(path.trim().strip_prefix('@')?, item).cloned();
    let Some((at, operator)) = operator else { return member(filter).is_some() };
    let (left, right) = (filter.get(..at), filter.get(at + operator.len()..));
    let (Some(left), Some(right)) = (left.and_then(member), right) else { return false };
    let right = right.trim();
    let right = match quoted(right) {
        Some(text) => Value::from(text),
        None => member(right).or_else(|| serde_json::from_str(right).ok()).unwrap_or_default(),
    };
    let order = match (&left, &right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (left, right) if left == right => Some(Ordering::Equal),
        (left, right) => {
            left.as_f64().zip(right.as_f64()).and_then(|(left, right)| left.partial_cmp(&right))
        }
    };
    match operator {
        "==" => order == Some(Ordering::Equal),
        "!=" => order.is_none_or(Ordering::is_ne),
        "<" => order.is_some_and(Ordering::is_lt),
        "<=" => order.is_some_and(Ordering::is_le),
        ">" => order.is_some_and(Ordering::is_gt),
        _ => order.is_some_and(Ordering::is_ge),
    }
}

/// What is between quotes.
fn quoted(text: &str) -> Option<&str> {
    ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}
