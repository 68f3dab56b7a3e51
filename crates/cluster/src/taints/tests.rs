use jiff::Timestamp;
use k8s_openapi::api::core::v1::Node;
use serde_json::{Value, json};

use super::{Cordon, Mark, Marking, change};

fn node(spec: &Value) -> Node {
    let node = json!({"metadata": {"name": "n", "resourceVersion": "7"}, "spec": spec});
    serde_json::from_value(node).unwrap()
}

fn spec(node: &Node, mark: Mark, marking: Marking, cordon: Cordon) -> Option<Value> {
    let patch = change(node, mark, marking, cordon)?;
    assert_eq!(patch["metadata"], json!({"resourceVersion": "7"}));
    Some(patch["spec"].clone())
}

const AT: Timestamp = Timestamp::constant(1_800_000_000, 0);

#[test]
fn marks_have_the_upstreams_form_and_leave_other_taints_alone() {
    let other = json!({"key": "gpu", "effect": "NoSchedule"});
    let tainted = node(&json!({"taints": [other]}));
    assert_eq!(
        spec(&tainted, Mark::Leaving, Marking::Put(AT), Cordon::Close),
        Some(json!({
            "taints": [
                other,
                {
                    "key": "ToBeDeletedByClusterAutoscaler",
                    "value": "1800000000",
                    "effect": "NoSchedule",
                },
            ],
            "unschedulable": true,
        }))
    );
    let marked = node(&json!({"unschedulable": true, "taints": [
        {"key": "DeletionCandidateOfClusterAutoscaler", "value": "5", "effect": "PreferNoSchedule"},
        other,
    ]}));
    assert_eq!(
        spec(&marked, Mark::Candidate, Marking::Take, Cordon::Keep),
        Some(json!({"taints": [other]}))
    );
    assert_eq!(
        spec(&marked, Mark::Candidate, Marking::Take, Cordon::Open),
        Some(json!({"taints": [other], "unschedulable": null}))
    );
}

#[test]
fn what_is_so_already_is_not_written() {
    let marked = node(&json!({"unschedulable": true, "taints": [
        {"key": "ToBeDeletedByClusterAutoscaler", "value": "5", "effect": "NoSchedule"},
    ]}));
    assert_eq!(spec(&marked, Mark::Leaving, Marking::Put(AT), Cordon::Close), None);
    assert_eq!(spec(&marked, Mark::Candidate, Marking::Take, Cordon::Keep), None);
    assert_eq!(spec(&node(&json!({})), Mark::Leaving, Marking::Take, Cordon::Open), None);
}

#[test]
fn the_value_is_the_moment() {
    let taints = |value: &str| {
        let taint = json!([{"key": "DeletionCandidateOfClusterAutoscaler", "value": value, "effect": "PreferNoSchedule"}]);
        serde_json::from_value::<Vec<_>>(taint).unwrap()
    };
    assert_eq!(Mark::Candidate.since(&taints("1800000000")), Some(AT));
    assert_eq!(Mark::Candidate.since(&taints("soon")), None);
    assert_eq!(Mark::Leaving.since(&taints("1800000000")), None);
}
