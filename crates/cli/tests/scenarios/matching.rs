//! The words in which a file says what it expects.
//!
//! | written | means |
//! |---|---|
//! | `{a: 1, b: x}` | an object with at least these fields |
//! | `[e1, e2]` | the same as `{includes: [e1, e2]}`: each of these matches some entry |
//! | `{exactly: [e1, e2]}` | these entries, one for one, in any order, and no others |
//! | `{absent: [e1]}` | no entry matches any of these |
//! | `{every: e}` | each entry matches |
//! | `{count: 3}` | so many entries |
//! | `{min: 2, max: 5}` | a number within these bounds |
//! | `{anyOf: [x, y]}` | at least one of these matches; it may stand beside other fields |
//! | `null` | null, or not there |
//! | anything else | this value; numbers compare as numbers, times as points in time |

use std::fmt::{self, Display};

use plimsoll_model::Timestamp;
use serde_json::{Map, Value, json};

const LIST_WORDS: [&str; 5] = ["exactly", "includes", "absent", "every", "count"];

/// Where a plan is not as expected.
#[derive(Debug)]
pub(crate) struct Difference {
    place: String,
    wanted: String,
    got: String,
}

/// How `got` differs from what is wanted; `None` stands for nothing at all.
pub(crate) fn differences(wanted: &Value, got: Option<&Value>, place: &str) -> Vec<Difference> {
    match wanted {
        Value::Object(words) => object(words, got, place),
        Value::Array(_) => list(&Map::from_iter([("includes".into(), wanted.clone())]), got, place),
        Value::Null if got.is_none_or(Value::is_null) => Vec::new(),
        wanted if got.is_some_and(|got| is_same(wanted, got)) => Vec::new(),
        wanted => vec![Difference::new(place, wanted, shown(got))],
    }
}

fn object(wanted: &Map<String, Value>, got: Option<&Value>, place: &str) -> Vec<Difference> {
    if !wanted.is_empty() && wanted.keys().all(|key| key == "min" || key == "max") {
        return bounds(wanted, got, place);
    }
    let mut found = Vec::new();
    if let Some(Value::Array(choices)) = wanted.get("anyOf") {
        let tried = choices.iter().map(|choice| differences(choice, got, place));
        let tried: Vec<Vec<Difference>> = tried.collect();
        if tried.iter().all(|found| !found.is_empty()) {
            let nearest = tried.iter().min_by_key(|found| found.len()).into_iter().flatten();
            let nearest: Vec<String> = nearest.map(ToString::to_string).collect();
            found.push(Difference::new(
                place,
                format!("one of {}", json!(choices)),
                nearest.join("; "),
            ));
        }
    }
    let is_list_word = |key: &str| LIST_WORDS.contains(&key);
    if wanted.keys().any(|key| is_list_word(key)) {
        found.extend(list(wanted, got, place));
    }
    let fields = wanted.iter().filter(|(key, _)| !is_list_word(key) && *key != "anyOf");
    for (key, value) in fields {
        let inner = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        found.extend(differences(value, got.and_then(|got| got.get(key)), &inner));
    }
    found
}

fn bounds(wanted: &Map<String, Value>, got: Option<&Value>, place: &str) -> Vec<Difference> {
    let bound =
        |name: &str, other: f64| wanted.get(name).map_or(other, |one| one.as_f64().unwrap());
    let range = bound("min", f64::NEG_INFINITY)..=bound("max", f64::INFINITY);
    match got.and_then(Value::as_f64) {
        Some(number) if range.contains(&number) => Vec::new(),
        _ => vec![Difference::new(place, json!(wanted), shown(got))],
    }
}

fn list(words: &Map<String, Value>, got: Option<&Value>, place: &str) -> Vec<Difference> {
    let Some(Value::Array(entries)) = got else {
        return vec![Difference::new(place, "a list", shown(got))];
    };
    let wants = |word: &str| words.get(word).and_then(Value::as_array).into_iter().flatten();
    let at = |index: usize| format!("{place}[{index}]");
    let mut found = Vec::new();
    if let Some(Value::Array(wanted)) = words.get("exactly") {
        let owners = one_to_one(wanted, entries);
        let missing = wanted.iter().enumerate().filter(|(want, _)| !owners.contains(&Some(*want)));
        found.extend(missing.map(|(_, want)| missing_entry(want, entries, place)));
        if entries.len() > wanted.len() {
            let further = entries.iter().enumerate().filter(|(index, _)| owners[*index].is_none());
            found.extend(
                further.map(|(index, one)| Difference::new(&at(index), "no further entry", one)),
            );
        }
    }
    for want in wants("includes") {
        if !entries.iter().any(|entry| is_match(want, entry)) {
            found.push(missing_entry(want, entries, place));
        }
    }
    for want in wants("absent") {
        for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| is_match(want, entry))
        {
            found.push(Difference::new(&at(index), format!("no entry {want}"), entry));
        }
    }
    if let Some(want) = words.get("every") {
        for (index, entry) in entries.iter().enumerate() {
            found.extend(differences(want, Some(entry), &at(index)));
        }
    }
    if let Some(want) = words.get("count") {
        found.extend(differences(want, Some(&json!(entries.len())), &format!("{place}.count")));
    }
    found
}

/// For each entry the place of the want it serves, by augmenting paths: no want is left out that could be served.
fn one_to_one(wanted: &[Value], entries: &[Value]) -> Vec<Option<usize>> {
    fn serve(
        want: usize,
        fits: &[Vec<usize>],
        owners: &mut [Option<usize>],
        seen: &mut [bool],
    ) -> bool {
        for &entry in &fits[want] {
            if std::mem::replace(&mut seen[entry], true) {
                continue;
            }
            if owners[entry].is_none_or(|other| serve(other, fits, owners, seen)) {
                owners[entry] = Some(want);
                return true;
            }
        }
        false
    }
    let fits: Vec<Vec<usize>> = wanted
        .iter()
        .map(|want| (0..entries.len()).filter(|entry| is_match(want, &entries[*entry])).collect())
        .collect();
    let mut owners = vec![None; entries.len()];
    for want in 0..wanted.len() {
        serve(want, &fits, &mut owners, &mut vec![false; entries.len()]);
    }
    owners
}

fn missing_entry(want: &Value, entries: &[Value], place: &str) -> Difference {
    Difference::new(place, format!("an entry {want}"), json!(entries))
}

fn is_match(want: &Value, entry: &Value) -> bool {
    differences(want, Some(entry), "").is_empty()
}

fn is_same(wanted: &Value, got: &Value) -> bool {
    if let (Some(wanted), Some(got)) = (wanted.as_f64(), got.as_f64()) {
        return (wanted - got).abs() <= 1e-6 * wanted.abs().max(1.0);
    }
    match (moment(wanted), moment(got)) {
        (Some(wanted), Some(got)) => wanted == got,
        _ => wanted == got,
    }
}

fn moment(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
}

// === impl Difference ===

impl Difference {
    pub(crate) fn new(place: &str, wanted: impl Display, got: impl Display) -> Self {
        Self { place: place.to_owned(), wanted: wanted.to_string(), got: got.to_string() }
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place.is_empty() { "the plan" } else { &self.place };
        write!(f, "{place}: expected {:.300}, got {:.300}", self.wanted, self.got)
    }
}

mod tests;
