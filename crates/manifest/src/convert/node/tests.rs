use expect_test::{Expect, expect};
use jiff::Timestamp;

use super::node;
use crate::{parse::parse, wire::node as wire};

fn check(json: &str, expected: &Expect) {
    let node = node(&parse::<wire::Node<'_>>(json).unwrap(), Timestamp::UNIX_EPOCH);
    match node {
        Ok(node) => expected.assert_eq(&format!(
            "{} {:?} of {:?}, taints {:?}, {:?}, keep {}",
            node.name, node.allocatable, node.capacity, node.taints, node.conditions, node.keep
        )),
        Err(problem) => expected.assert_eq(&format!("{}: {}", problem.path(), problem.text)),
    }
}

#[test]
fn what_is_allocatable_is_the_capacity_unless_said() {
    check(
        r#"{"metadata":{"name":"n"},"status":{"capacity":{"cpu":"2","pods":110}}}"#,
        &expect![[
            r#"n {"cpu": 2000, "pods": 110} of {"cpu": 2000, "pods": 110}, taints [], Conditions { ready: true, ready_since: None, network_unavailable: false, suspended: false }, keep false"#
        ]],
    );
    check(
        r#"{"metadata":{"name":"n","annotations":{"cluster-autoscaler.kubernetes.io/scale-down-disabled":"true"}},
            "spec":{"taints":[{"key":"a","effect":"NoExecute"}]},
            "status":{"capacity":{"cpu":"2"},"allocatable":{},"conditions":[{"type":"Suspended","status":"True"}]}}"#,
        &expect![[
            r#"n {} of {"cpu": 2000}, taints [Taint { key: "a", value: "", effect: NoExecute }], Conditions { ready: false, ready_since: None, network_unavailable: false, suspended: true }, keep true"#
        ]],
    );
}

#[test]
fn what_kubernetes_would_refuse_is_refused() {
    check(
        r#"{"metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"b"}]}}"#,
        &expect!["spec.taints[1].effect: is missing"],
    );
    check(
        r#"{"metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"Never"}]}}"#,
        &expect![[
            r#"spec.taints[0].effect: "Never" is not an effect, known are NoSchedule, PreferNoSchedule and NoExecute"#
        ]],
    );
    check(
        r#"{"metadata":{"name":"n"},"status":{"capacity":{"memory":"-1Gi"}}}"#,
        &expect!["status.capacity[memory]: -1Gi is negative"],
    );
    check(
        r#"{"metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","lastTransitionTime":"noon"}]}}"#,
        &expect![[r#"status.conditions[0].lastTransitionTime: "noon" is not a time"#]],
    );
    check(r#"{"metadata":{"labels":{}}}"#, &expect!["metadata.name: is missing"]);
}
