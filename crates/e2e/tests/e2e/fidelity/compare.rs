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
        (r"^\d+(\.\d+)?m?s$", "AGE"),
    ];
    table.map(|(pattern, stand_in)| (Regex::new(pattern).unwrap(), stand_in)).into()
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
            // A name that was made up ends in letters that are another each time.
            let beginning = map.get("generateName").and_then(Value::as_str).map(str::to_owned);
            if let (Some(beginning), Some(name)) = (beginning, map.get_mut("name")) {
                *name = format!("{beginning}RANDOM").into();
            }
        }
        _ => {}
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
