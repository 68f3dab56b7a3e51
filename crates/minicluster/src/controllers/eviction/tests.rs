//! Tests of when pods must leave.

use serde_json::json;

use super::*;

#[test]
fn patience_is_the_shortest_that_is_said() {
    let since: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let taint = |key: &str| {
        let taint = Taint {
            key: key.into(),
            value: "".into(),
            effect: "NoExecute".into(),
            time_added: None,
        };
        (taint, since)
    };
    let tolerates = |key: &str, seconds: Value| json!({ "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds });
    for (taints, tolerations, expected) in [
        (vec!["a"], json!([]), Some(Timestamp::MIN)),
        (vec!["a"], json!([tolerates("a", Value::Null)]), None),
        (
            vec!["a"],
            json!([tolerates("a", json!(60))]),
            Some("2026-01-01T00:01:00Z".parse().unwrap()),
        ),
        (
            vec!["a"],
            json!([tolerates("a", json!(60)), tolerates("a", json!(30))]),
            Some("2026-01-01T00:00:30Z".parse().unwrap()),
        ),
        (vec!["a", "b"], json!([tolerates("a", json!(60))]), Some(Timestamp::MIN)),
        (
            vec!["a", "b"],
            json!([tolerates("a", json!(60)), tolerates("b", json!(-5))]),
            Some(since),
        ),
    ] {
        let taints: Vec<_> = taints.into_iter().map(taint).collect();
        let pod = json!({ "spec": { "tolerations": tolerations } });
        assert_eq!(leaves(&pod, &taints), expected, "{tolerations}");
    }
}
