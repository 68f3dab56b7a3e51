//! Tests of taints.

use serde_json::json;

use super::*;

#[test]
fn taints_follow_conditions_and_leave_others_alone() {
    let own = json!({ "key": "own", "effect": "NoSchedule" });
    let condition = |kind: &str, status: &str| json!({ "type": kind, "status": status });
    for (conditions, unschedulable, outlook, expected) in [
        (json!([]), false, Outlook::Local, vec![]),
        (json!([condition("Ready", "True")]), false, Outlook::Local, vec![]),
        (
            json!([condition("Ready", "True")]),
            true,
            Outlook::Local,
            vec!["unschedulable:NoSchedule"],
        ),
        (
            json!([condition("Ready", "False")]),
            false,
            Outlook::Local,
            vec!["not-ready:NoSchedule", "not-ready:NoExecute"],
        ),
        (
            json!([condition("Ready", "False")]),
            false,
            Outlook::Everywhere,
            vec!["not-ready:NoSchedule"],
        ),
        (
            json!([condition("Ready", "Unknown"), condition("MemoryPressure", "True")]),
            false,
            Outlook::Everywhere,
            vec!["unreachable:NoSchedule", "memory-pressure:NoSchedule"],
        ),
        (json!([condition("DiskPressure", "False")]), false, Outlook::Local, vec![]),
    ] {
        let stale = json!({ "key": "node.kubernetes.io/pid-pressure", "effect": "NoSchedule" });
        let node = json!({
            "spec": { "taints": [own, stale], "unschedulable": unschedulable },
            "status": { "conditions": conditions },
        });
        let taints = taints(&node, outlook, Timestamp::UNIX_EPOCH);
        assert_eq!(taints.first(), Some(&own));
        let found: Vec<String> = taints
            .iter()
            .skip(1)
            .map(|taint| {
                let key = text(taint, "/key").trim_start_matches("node.kubernetes.io/");
                format!("{key}:{}", text(taint, "/effect"))
            })
            .collect();
        assert_eq!(found, expected, "{conditions}");
    }
}
