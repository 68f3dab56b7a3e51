//! Tests of placement.

use serde_json::json;

use super::*;
use crate::controllers::facts::tests::node;

#[test]
fn nodes_are_chosen_by_labels_and_names() {
    let node = node("a", &json!({ "zone": "x", "cpus": "8" }), &json!([]));
    let term = |key: &str, operator: &str, values: Value| json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": values }] });
    for (terms, expected) in [
        (json!([term("zone", "In", json!(["x", "y"]))]), true),
        (json!([term("zone", "NotIn", json!(["x"]))]), false),
        (json!([term("none", "NotIn", json!(["x"]))]), true),
        (json!([term("zone", "Exists", json!([]))]), true),
        (json!([term("zone", "DoesNotExist", json!([]))]), false),
        (json!([term("cpus", "Gt", json!(["4"]))]), true),
        (json!([term("cpus", "Lt", json!(["4"]))]), false),
        // Any term will do; one without requirements never does.
        (json!([term("zone", "In", json!(["y"])), term("zone", "In", json!(["x"]))]), true),
        (json!([{}]), false),
        (
            json!([{ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": ["a"] }] }]),
            true,
        ),
        (
            json!([{ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": ["b"] }] }]),
            false,
        ),
    ] {
        let required = json!({ "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": terms } });
        let spec = json!({ "affinity": { "nodeAffinity": required } });
        assert_eq!(is_drawn_to(&spec, &node), expected, "{terms}");
    }
    assert!(is_drawn_to(&json!({ "nodeSelector": { "zone": "x" } }), &node));
    assert!(!is_drawn_to(&json!({ "nodeSelector": { "zone": "y" } }), &node));
}

#[test]
fn taints_repel_whoever_does_not_tolerate_them() {
    let node =
        node("a", &json!({}), &json!([{ "key": "k", "value": "v", "effect": "NoSchedule" }]));
    for (toleration, tolerated) in [
        (json!({ "key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule" }), true),
        (json!({ "key": "k", "value": "v" }), true),
        (json!({ "key": "k", "value": "w" }), false),
        (json!({ "key": "k", "operator": "Exists" }), true),
        (json!({ "key": "k", "operator": "Exists", "effect": "NoExecute" }), false),
        (json!({ "operator": "Exists" }), true),
        (json!({ "key": "other", "operator": "Exists" }), false),
    ] {
        let spec = json!({ "tolerations": [toleration] });
        assert_eq!(repelled_by(&spec, &node, &["NoSchedule"]).is_none(), tolerated, "{toleration}");
        assert!(repelled_by(&spec, &node, &["NoExecute"]).is_none());
    }
}
