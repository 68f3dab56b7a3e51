//! Tests of which nodes have daemon pods.

use serde_json::json;

use super::*;
use crate::controllers::facts::tests::node;

#[test]
fn a_node_runs_keeps_or_refuses() {
    let taint = |effect: &str| json!([{ "key": "k", "effect": effect }]);
    for (labels, taints, expected) in [
        (json!({ "pool": "own" }), json!([]), Fit::Runs),
        (json!({ "pool": "other" }), json!([]), Fit::Refuses),
        (json!({ "pool": "own" }), taint("PreferNoSchedule"), Fit::Runs),
        (json!({ "pool": "own" }), taint("NoSchedule"), Fit::Keeps),
        (json!({ "pool": "own" }), taint("NoExecute"), Fit::Refuses),
    ] {
        let spec = json!({ "nodeSelector": { "pool": "own" } });
        assert_eq!(fit(&spec, &node("a", &labels, &taints)), expected, "{labels} {taints}");
    }
    let named = json!({ "nodeName": "b" });
    assert_eq!(fit(&named, &node("a", &json!({}), &json!([]))), Fit::Refuses);
}
