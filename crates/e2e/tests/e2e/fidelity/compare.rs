//! Two answers side by side.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use regex_lite::Regex;
use serde_json::Value;

/// One place where answers differ.
#[derive(Debug)]
pub(crate) struct Difference {
    /// `/body/items[web]/spec`: entries of a list go by their names where they have such.
    pub(crate) at: String,
    ours: Option<Value>,
    real: Option<Value>,
}

/// What is different each time, with what stands for it.
static NEW_EACH_TIME: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let table = [
        ("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "TIME"),
        ("kube-api-access-[a-z0-9]{5}", "kube-api-access-RANDOM"),
    ];
    table.map(|(pattern, stand_in)| (Regex::new(pattern).unwrap(), stand_in)).into()
});

/// How old something is, as a cell of a table says it: `2s`, `2m10s`, `5s (x3 over 10m)`, `3 (2d ago)`, or that its time is still to come. It
/// depends on when the test looks. `<unknown>` does not: it says that there is no time.
static AGES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let age = r"(?:<invalid>|(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|y))+)";
    let table = [
        (format!(r"^{age}$"), "AGE"),
        (format!(r"^{age} \(x(\d+) over {age}\)$"), "AGE (x$1 over AGE)"),
        (format!(r"^(\d+) \({age} ago\)$"), "$1 (AGE ago)"),
    ];
    table.map(|(pattern, stand_in)| (Regex::new(&pattern).unwrap(), stand_in)).into()
});

/// All of them, in order.
pub(crate) fn differences(ours: &Value, real: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    walk("", Some(ours), Some(real), &mut found);
    found
}

/// Takes out what is another each time, such as uids and times.
pub(crate) fn forget_what_is_new_each_time(value: &mut Value) {
    match value {
        Value::String(text) => {
            for (pattern, stand_in) in NEW_EACH_TIME.iter() {
                *text = pattern.replace_all(text, *stand_in).into_owned();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(forget_what_is_new_each_time),
        Value::Object(map) => {
            for (key, inner) in map.iter_mut() {
                match (key.as_str(), &*inner) {
                    ("resourceVersion" | "continue", Value::String(text)) if !text.is_empty() => {
                        *inner = "SOME".into();
                    }
                    _ => forget_what_is_new_each_time(inner),
                }
            }
            // Elsewhere than in a table, `10m` is an amount.
            if map.get("kind").is_some_and(|kind| kind == "Table") {
                map.get_mut("rows").into_iter().for_each(forget_ages);
            }
            // A name that was made up ends in letters that are another each time.
            let beginning = map.get("generateName").and_then(Value::as_str).map(str::to_owned);
            if let (Some(beginning), Some(name)) = (beginning, map.get_mut("name")) {
                *name = format!("{beginning}RANDOM").into();
            }
        }
        _ => {}
    }
}

/// Takes out of the rows of a table how old things are.
fn forget_ages(rows: &mut Value) {
    let rows = rows.as_array_mut().into_iter().flatten();
    let cells = rows.filter_map(|row| row.get_mut("cells")?.as_array_mut()).flatten();
    for cell in cells {
        if let Value::String(text) = cell {
            for (pattern, stand_in) in AGES.iter() {
                *text = pattern.replace(text, *stand_in).into_owned();
            }
        }
    }
}

/// Takes out who owns which field.
pub(crate) fn forget_owners(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(forget_owners),
        Value::Object(map) => {
            map.remove("managedFields");
            map.values_mut().for_each(forget_owners);
        }
        _ => {}
    }
}

fn walk(at: &str, ours: Option<&Value>, real: Option<&Value>, found: &mut Vec<Difference>) {
    match (ours, real) {
        (Some(Value::Object(ours)), Some(Value::Object(real))) => {
            let keys = ours.keys().chain(real.keys().filter(|key| !ours.contains_key(*key)));
            for key in keys {
                walk(&format!("{at}/{key}"), ours.get(key), real.get(key), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            let (one, other) = (by_name(one), by_name(other));
            let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
            for key in keys {
                let (ours, real) = (one.get(key).copied(), other.get(key).copied());
                walk(&format!("{at}[{key}]"), ours, real, found);
            }
        }
        (ours, real) if ours == real => {}
        (ours, real) => {
            found.push(Difference { at: at.to_owned(), ours: ours.cloned(), real: real.cloned() });
        }
    }
}

/// Entries by their names, or by their places where names are missing or not unique.
fn by_name(list: &[Value]) -> BTreeMap<String, &Value> {
    let pointers = ["/name", "/metadata/name", "/version", "/resource", "/groupVersion"];
    let name = |entry: &Value| {
        let text = pointers.iter().find_map(|pointer| entry.pointer(pointer)?.as_str());
        text.map(str::to_owned)
    };
    let named: BTreeMap<String, &Value> =
        list.iter().filter_map(|entry| Some((name(entry)?, entry))).collect();
    if named.len() == list.len() {
        return named;
    }
    list.iter().enumerate().map(|(place, entry)| (format!("{place:03}"), entry)).collect()
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Option<Value>| match value {
            Some(value) => value.to_string(),
            None => "nothing".to_owned(),
        };
        write!(formatter, "{}: {} where {} is right", self.at, text(&self.ours), text(&self.real))
    }
}

/// The cells of a row, once what is different each time is taken out.
fn compared(kind: &str, cells: &[impl ToString]) -> Value {
    let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
    let mut table = serde_json::json!({ "kind": kind, "rows": [{ "cells": cells }] });
    forget_what_is_new_each_time(&mut table);
    table["rows"][0]["cells"].take()
}

#[test]
fn ages_are_alike_whatever_they_are() {
    let ages = [
        "0s",
        "2s",
        "119s",
        "2m",
        "2m10s",
        "10m",
        "3h",
        "3h5m",
        "2d",
        "2d5h",
        "3y",
        "2y100d",
        "1.5s",
        "250ms",
        "<invalid>",
    ];
    assert_eq!(compared("Table", &ages), Value::from(vec!["AGE"; 15]));
    for age in ages {
        let cells = [format!("{age} (x3 over {age})"), format!("7 ({age} ago)")];
        let alike = serde_json::json!(["AGE (x3 over AGE)", "7 (AGE ago)"]);
        assert_eq!(compared("Table", &cells), alike, "{age}");
    }
}

#[test]
fn what_is_no_age_is_compared() {
    let cells = ["<unknown>", "<none>", "1/1", "10Gi", "m", "10.0.0.1", "2m old", "web-5s", ""];
    assert_eq!(compared("Table", &cells), serde_json::json!(cells));
    assert_eq!(compared("Amounts", &["10m"]), serde_json::json!(["10m"]));
}
