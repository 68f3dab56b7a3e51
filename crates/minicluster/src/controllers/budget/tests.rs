//! Tests of budgets.

use serde_json::json;

use super::*;
use crate::controllers::facts::tests::pod;

fn now() -> Timestamp {
    "2026-01-01T00:10:00Z".parse().unwrap()
}

fn ready(name: &str) -> Arc<Pod> {
    pod(name, &json!({ "status": { "conditions": [{ "type": "Ready", "status": "True" }] } }))
}

fn count(budget: &Value, pods: &[Arc<Pod>], scale: &Scale) -> [i64; 4] {
    let (status, _) = status(budget, pods, || scale.clone(), now());
    ["expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed"]
        .map(|name| number(&status, &format!("/{name}")))
}

#[test]
fn bounds_are_numbers_or_shares_of_what_workloads_want() {
    let pods = [ready("a"), ready("b"), ready("c"), pod("d", &json!({}))];
    for (spec, expected) in [
        (json!({ "minAvailable": 2 }), [4, 2, 3, 1]),
        (json!({ "minAvailable": 9 }), [4, 9, 3, 0]),
        (json!({ "minAvailable": "30%" }), [5, 2, 3, 1]),
        (json!({ "maxUnavailable": 3 }), [5, 2, 3, 1]),
        (json!({ "maxUnavailable": "50%" }), [5, 2, 3, 1]),
        (json!({ "maxUnavailable": 0 }), [5, 5, 3, 0]),
        (json!({}), [0, 0, 3, 0]),
    ] {
        let budget = json!({ "metadata": { "generation": 1 }, "spec": spec });
        assert_eq!(count(&budget, &pods, &Scale::Known(5)), expected, "{spec}");
    }
}

#[test]
fn evictions_under_way_do_not_count_as_healthy_until_they_are_given_up() {
    let budget = |since: &str| {
        json!({
            "metadata": { "generation": 1 },
            "spec": { "minAvailable": 1 },
            "status": { "disruptedPods": { "a": since, "gone": since } },
        })
    };
    let pods = [ready("a"), ready("b")];
    let scale = Scale::Known(2);
    assert_eq!(count(&budget("2026-01-01T00:09:00Z"), &pods, &scale), [2, 1, 1, 0]);
    assert_eq!(count(&budget("2026-01-01T00:08:00Z"), &pods, &scale), [2, 1, 2, 1]);
    let (kept, again) = still_disrupted(&budget("2026-01-01T00:09:00Z"), &pods, now());
    assert_eq!(kept.keys().collect::<Vec<_>>(), ["a"]);
    assert_eq!(again, Some("2026-01-01T00:11:00Z".parse().unwrap()));
}

#[test]
fn a_budget_that_cannot_be_worked_out_allows_nothing() {
    let budget = json!({
        "metadata": { "generation": 2 },
        "spec": { "maxUnavailable": 1 },
        "status": { "disruptionsAllowed": 3, "observedGeneration": 1, "currentHealthy": 4 },
    });
    let scale = || Scale::Unknown("jobs.batch does not implement the scale subresource".to_owned());
    let (status, _) = status(&budget, &[ready("a")], scale, now());
    assert_eq!(number(&status, "/disruptionsAllowed"), 0);
    assert_eq!(text(&status, "/conditions/0/reason"), "SyncFailed");
    // What was seen before stays.
    assert_eq!(
        (number(&status, "/observedGeneration"), number(&status, "/currentHealthy")),
        (1, 4)
    );
}
