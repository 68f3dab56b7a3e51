//! JSON pointers as recordings use them: `#` is the length of a list, `*` is every member.

use serde_json::{Map, Value, json};

/// What a pointer leads to; the empty one to the whole.
pub(crate) fn follow(value: &Value, path: &str) -> Option<Value> {
    let mut at = value;
    let mut parts = path.split('/').skip(1);
    while let Some(part) = parts.next() {
        at = match at {
            Value::Array(items) if part == "#" => {
                return parts.next().is_none().then(|| json!(items.len()));
            }
            Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
            Value::Object(members) => members.get(&unescaped(part))?,
            _ => return None,
        };
    }
    Some(at.clone())
}

/// Takes away every place that the pointer names.
pub(crate) fn remove(value: &mut Value, path: &str) {
    let parts: Vec<String> = path.split('/').skip(1).map(unescaped).collect();
    remove_parts(value, &parts);
}

/// Only what the pointers lead to, as a map from pointer to value.
pub(crate) fn pick(value: &Value, paths: &[String]) -> Value {
    let picked: Map<String, Value> = paths
        .iter()
        .map(|path| (path.clone(), follow(value, path).unwrap_or_else(|| json!("<absent>"))))
        .collect();
    Value::Object(picked)
}

fn remove_parts(value: &mut Value, parts: &[String]) {
    let Some((head, rest)) = parts.split_first() else { return };
    match value {
        Value::Object(members) if rest.is_empty() => {
            if head == "*" {
                members.clear();
            } else {
                members.remove(head);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                if head == "*" || head == key {
                    remove_parts(member, rest);
                }
            }
        }
        Value::Array(items) if !rest.is_empty() => {
            for (index, item) in items.iter_mut().enumerate() {
                if head == "*" || head.parse() == Ok(index) {
                    remove_parts(item, rest);
                }
            }
        }
        _ => {}
    }
}

fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}
