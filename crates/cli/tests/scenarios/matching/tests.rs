//! The matching language, word by word.

use serde_json::{Value, json};

use super::differences;

fn matches(wanted: &Value, got: &Value) -> bool {
    differences(wanted, Some(got), "").is_empty()
}

#[test]
fn an_object_has_at_least_these_fields() {
    let got = json!({"a": 1, "b": null, "t": "2026-01-01T12:00:00Z"});
    assert!(matches(
        &json!({"a": 1.0, "b": null, "c": null, "t": "2026-01-01T13:00:00+01:00"}),
        &got
    ));
    assert!(!matches(&json!({"a": 2}), &got));
    assert!(!matches(&json!({"a": "1"}), &got));
    assert!(!matches(&json!({"a": null}), &got));
    assert!(!matches(&json!({"a": true}), &got));
    assert!(!matches(&json!({"a": {"x": 1}}), &got));
}

#[test]
fn entries_are_matched_one_for_one() {
    // The first want could take either entry and must leave the second one its only match.
    let wanted = json!({"exactly": [{"g": "a"}, {"g": "a", "n": 1}]});
    assert!(matches(&wanted, &json!([{"g": "a", "n": 1}, {"g": "a", "n": 2}])));
    assert!(!matches(&wanted, &json!([{"g": "a", "n": 2}, {"g": "a", "n": 2}])));
    assert!(!matches(&wanted, &json!([{"g": "a", "n": 1}])));
    assert!(!matches(&wanted, &json!([{"g": "a", "n": 1}, {"g": "a"}, {"g": "b"}])));
    assert!(matches(&json!({"exactly": []}), &json!([])));
    assert!(!matches(&json!({"exactly": []}), &json!({})));
}

#[test]
fn words_for_lists_combine() {
    let got = json!([{"n": 1}, {"n": 2}]);
    assert!(matches(&json!([{"n": 1}]), &got));
    assert!(matches(&json!({"count": 2, "absent": [{"n": 3}], "every": {"n": {"max": 2}}}), &got));
    assert!(!matches(&json!({"count": 3}), &got));
    assert!(!matches(&json!({"absent": [{"n": 2}]}), &got));
    assert!(!matches(&json!({"every": {"n": {"min": 2}}}), &got));
    assert!(matches(&json!({"count": {"min": 1, "max": 2}}), &got));
}

#[test]
fn any_of_may_stand_beside_other_fields() {
    let wanted = json!({"g": "a", "anyOf": [{"n": 1}, {"n": 2}]});
    assert!(matches(&wanted, &json!({"g": "a", "n": 2})));
    assert!(!matches(&wanted, &json!({"g": "b", "n": 2})));
    assert!(!matches(&wanted, &json!({"g": "a", "n": 3})));
    assert!(matches(&json!({"n": {"anyOf": [null, 3]}}), &json!({})));
}
