//! The functions that rules use most.

use regex_lite::Regex;
use serde_json::Value;

use super::evaluate::{Failure, no_overload, order, same};

/// The value of `on.name(arguments)`, or of `name(arguments)`.
pub(crate) fn call(on: Option<Value>, name: &str, arguments: &[Value]) -> Result<Value, Failure> {
    match (on, arguments) {
        (None, [argument]) => of_one(name, argument),
        (Some(on), _) if name == "size" && arguments.is_empty() => of_one(name, &on),
        (Some(Value::String(text)), _) => of_text(name, &text, arguments),
        (Some(Value::Array(items)), _) => of_list(name, &items, arguments),
        // `matches` is also a plain function.
        (None, [Value::String(text), pattern]) if name == "matches" => {
            of_text(name, text, std::slice::from_ref(pattern))
        }
        _ => Err(Failure::Unsupported),
    }
}

fn of_one(name: &str, argument: &Value) -> Result<Value, Failure> {
    let length = match argument {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(members) => Some(members.len()),
        _ => None,
    };
    match name {
        "size" => length.map(Value::from).ok_or_else(no_overload),
        "dyn" => Ok(argument.clone()),
        "string" => match argument {
            Value::String(_) => Ok(argument.clone()),
            Value::Number(_) | Value::Bool(_) => Ok(Value::String(argument.to_string())),
            _ => Err(no_overload()),
        },
        "int" | "uint" => match argument {
            Value::Number(number) => number
                .as_i64()
                .or_else(|| {
                    number.as_f64().and_then(|float| format!("{:.0}", float.trunc()).parse().ok())
                })
                .map(Value::from)
                .ok_or_else(|| Failure::error("integer overflow")),
            Value::String(text) => text.parse::<i64>().map(Value::from).map_err(|_| {
                Failure::error(format!("type conversion error from 'string' to '{name}'"))
            }),
            _ => Err(no_overload()),
        },
        "double" => match argument {
            Value::Number(number) => number.as_f64().map(Value::from).ok_or_else(no_overload),
            Value::String(text) => text
                .parse::<f64>()
                .map(Value::from)
                .map_err(|_| Failure::error("type conversion error from 'string' to 'double'")),
            _ => Err(no_overload()),
        },
        _ => Err(Failure::Unsupported),
    }
}

fn of_text(name: &str, text: &str, arguments: &[Value]) -> Result<Value, Failure> {
    let strings: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
    let numbers: Vec<usize> = arguments
        .iter()
        .filter_map(Value::as_u64)
        .filter_map(|number| usize::try_from(number).ok())
        .collect();
    Ok(match (name, strings.as_slice(), numbers.as_slice()) {
        ("startsWith", [part], []) => text.starts_with(part).into(),
        ("endsWith", [part], []) => text.ends_with(part).into(),
        ("contains", [part], []) => text.contains(part).into(),
        ("matches", [pattern], []) => {
            Regex::new(pattern).map_err(|_| Failure::Unsupported)?.is_match(text).into()
        }
        ("lowerAscii", [], []) => text.to_ascii_lowercase().into(),
        ("upperAscii", [], []) => text.to_ascii_uppercase().into(),
        ("trim", [], []) => text.trim().into(),
        ("replace", [from, to], []) => text.replace(from, to).into(),
        ("split", [separator], []) => text.split(separator).map(Value::from).collect(),
        ("indexOf", [part], []) => position(text, text.find(part)),
        ("lastIndexOf", [part], []) => position(text, text.rfind(part)),
        ("substring", [], [from]) => text.chars().skip(*from).collect::<String>().into(),
        ("substring", [], [from, to]) => {
            text.chars().take(*to).skip(*from).collect::<String>().into()
        }
        ("charAt", [], [at]) => text.chars().nth(*at).map(String::from).unwrap_or_default().into(),
        _ => return Err(Failure::Unsupported),
    })
}

/// A position in characters rather than bytes; -1 where there is none.
fn position(text: &str, at: Option<usize>) -> Value {
    match at {
        Some(at) => text.get(..at).map_or(0, |before| before.chars().count()).into(),
        None => (-1).into(),
    }
}

fn of_list(name: &str, items: &[Value], arguments: &[Value]) -> Result<Value, Failure> {
    let sorted = || -> Result<bool, Failure> {
        for (left, right) in items.iter().zip(items.iter().skip(1)) {
            if order(left, right)?.is_gt() {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let extreme = |wanted: std::cmp::Ordering| -> Result<Value, Failure> {
        let mut best: Option<&Value> = None;
        for item in items {
            if best.map_or(Ok(true), |best| order(item, best).map(|found| found == wanted))? {
                best = Some(item);
            }
        }
        best.cloned().ok_or_else(|| Failure::error(format!("{name} called on empty list")))
    };
    match (name, arguments) {
        ("join", []) => join(items, ""),
        ("join", [Value::String(separator)]) => join(items, separator),
        ("isSorted", []) => sorted().map(Value::from),
        ("min", []) => extreme(std::cmp::Ordering::Less),
        ("max", []) => extreme(std::cmp::Ordering::Greater),
        ("sum", []) => items
            .iter()
            .map(Value::as_i64)
            .try_fold(0_i64, |sum, item| item.and_then(|item| sum.checked_add(item)))
            .map(Value::from)
            .ok_or(Failure::Unsupported),
        ("indexOf", [wanted]) => Ok(items
            .iter()
            .position(|item| same(item, wanted))
            .map_or_else(|| Value::from(-1), Value::from)),
        _ => Err(Failure::Unsupported),
    }
}

fn join(items: &[Value], separator: &str) -> Result<Value, Failure> {
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    texts.map(|texts| Value::from(texts.join(separator))).ok_or_else(no_overload)
}
