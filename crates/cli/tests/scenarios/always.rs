//! What holds for every plan.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::matching::Difference;

/// The lists of a plan, with the field that they are sorted by.
const LISTS: [(&str, &str); 7] = [
    ("scaleUp", "group"),
    ("scaleDown", "node"),
    ("repairs", "do"),
    ("unneeded", "node"),
    ("blocked", "node"),
    ("pods", "pod"),
    ("groups", "id"),
];

const OUTCOMES: [&str; 8] = [
    "TriggeredScaleUp",
    "FitsExisting",
    "Nominated",
    "AwaitsNextPass",
    "NoGroupFits",
    "TooYoung",
    "Expendable",
    "Ignored",
];

type Plan = Map<String, Value>;

/// What is wrong with a plan, whatever it was expected to be.
pub(crate) fn always(scenario: &Value, plan: &Plan) -> Vec<Difference> {
    let mut found = Vec::new();
    let keys = LISTS.iter().map(|(key, _)| *key).chain(["cluster", "cost"]);
    for key in keys.filter(|key| !plan.contains_key(*key)) {
        found.push(Difference::new(key, "to be there", "nothing"));
    }
    for (key, field) in LISTS {
        let names: Vec<&str> = entries(plan, key).map(|entry| text(entry, field)).collect();
        if !names.is_sorted() {
            found.push(Difference::new(key, format!("sorted by {field}"), names.join(" ")));
        }
    }
    found.extend(growth(scenario, plan));
    for (key, field) in [("scaleDown", "node"), ("pods", "pod"), ("groups", "id")] {
        let mut seen = BTreeSet::new();
        for name in entries(plan, key).map(|entry| text(entry, field)) {
            if !seen.insert(name) {
                found.push(Difference::new(key, "one entry each", name));
            }
        }
    }
    let removed: BTreeSet<&str> =
        entries(plan, "scaleDown").map(|entry| text(entry, "node")).collect();
    for node in entries(plan, "blocked").map(|entry| text(entry, "node")) {
        if removed.contains(node) {
            found.push(Difference::new("blocked", "no node that is being removed", node));
        }
    }
    found
}

/// Sums that files may speak of.
pub(crate) fn totals(plan: &Plan) -> Value {
    let size = |entry: &Value, field: &str| entry.get(field).and_then(Value::as_i64).unwrap_or(0);
    let added: i64 =
        entries(plan, "scaleUp").map(|entry| size(entry, "to") - size(entry, "from")).sum();
    let mut outcomes: BTreeMap<&str, usize> = OUTCOMES.iter().map(|name| (*name, 0)).collect();
    for pod in entries(plan, "pods") {
        *outcomes.entry(text(pod, "outcome")).or_default() += 1;
    }
    let removed = entries(plan, "scaleDown").count();
    json!({"nodesAdded": added, "nodesRemoved": removed, "outcomes": outcomes})
}

/// Groups grow, within their maximum, for just the pods that are said to have triggered it.
fn growth(scenario: &Value, plan: &Plan) -> Vec<Difference> {
    let mut found = Vec::new();
    let groups = scenario.get("groups").and_then(Value::as_array);
    let maxima: BTreeMap<&str, i64> = groups
        .into_iter()
        .flatten()
        .filter_map(|group| Some((text(group, "id"), group.get("max")?.as_i64()?)))
        .collect();
    let mut listed = BTreeSet::new();
    for (index, entry) in entries(plan, "scaleUp").enumerate() {
        let place = format!("scaleUp[{index}]");
        let sizes = [entry.get("from"), entry.get("to")].map(|size| size.and_then(Value::as_i64));
        match (sizes, maxima.get(text(entry, "group"))) {
            ([Some(from), Some(to)], Some(max)) if from < to && to <= *max => {}
            (_, max) => {
                found.push(Difference::new(&place, format!("from < to <= {max:?}"), entry));
            }
        }
        let pods = entry.get("pods").and_then(Value::as_array).into_iter().flatten();
        listed.extend(pods.filter_map(Value::as_str));
    }
    let triggered = entries(plan, "pods").filter(|pod| text(pod, "outcome") == "TriggeredScaleUp");
    let triggered: BTreeSet<&str> = triggered.map(|pod| text(pod, "pod")).collect();
    for pod in listed.symmetric_difference(&triggered) {
        found.push(Difference::new("scaleUp.pods", "the pods with TriggeredScaleUp", pod));
    }
    found
}

fn entries<'p>(plan: &'p Plan, key: &str) -> impl Iterator<Item = &'p Value> {
    plan.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(entry: &'v Value, field: &str) -> &'v str {
    entry.get(field).and_then(Value::as_str).unwrap_or_default()
}
