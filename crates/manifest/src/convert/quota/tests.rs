use expect_test::{Expect, expect};

use super::quota;
use crate::{parse::parse, wire::quota as wire};

fn check(spec: &str, expected: &Expect) {
    let json = format!(r#"{{"metadata":{{"name":"q","generation":3}},"spec":{spec}}}"#);
    match quota(&parse::<wire::Quota<'_>>(&json).unwrap()) {
        Ok(quota) => {
            let limits: Vec<String> =
                quota.limits.iter().map(|(name, limit)| format!("{name}={limit}")).collect();
            expected.assert_eq(&format!("[{}] {}", quota.selector, limits.join(" ")));
        }
        Err(problem) => expected.assert_eq(&format!("{}: {}", problem.path(), problem.text)),
    }
}

#[test]
fn limits_are_counted_in_the_scheduler_s_units() {
    check(
        r#"{"limits":{"resources":{"memory":"2Gi","cpu":8,"nodes":"2k","example.com/gpu":0}}}"#,
        &expect!["[] cpu=8000 example.com/gpu=0 memory=2147483648 nodes=2000"],
    );
    check(
        r#"{"selector":{"matchLabels":{"pool":"a"}},"limits":{"resources":{"nodes":1}}}"#,
        &expect!["[pool=a] nodes=1"],
    );
}

#[test]
fn what_the_api_would_refuse_is_refused_with_its_place() {
    check(
        r#"{"limits":{"resources":{"cpu":"500m"}}}"#,
        &expect!["spec.limits.resources[cpu]: 500m is not a whole number"],
    );
    check(
        r#"{"limits":{"resources":{"nodes":-1}}}"#,
        &expect!["spec.limits.resources[nodes]: -1 is negative"],
    );
    check(
        r#"{"selector":{"matchExpressions":[{"key":"a","operator":"Is"}]},"limits":{"resources":{}}}"#,
        &expect![[
            r#"spec.selector.matchExpressions[0].operator: "Is" is not an operator, known are In, NotIn, Exists and DoesNotExist"#
        ]],
    );
}

#[test]
fn a_status_that_stands_keeps_its_time() {
    let json = r#"{"metadata":{"name":"q"},"spec":{},"status":{"conditions":[
        {"type":"Reconciled","status":"STATUS","lastTransitionTime":"2026-01-01T12:00:00Z"}]}}"#;
    let since = |status: &str| {
        let json = json.replace("STATUS", status);
        quota(&parse::<wire::Quota<'_>>(&json).unwrap()).unwrap().reconciled
    };
    assert_eq!(since("True"), Some("2026-01-01T12:00:00Z".parse().unwrap()));
    assert_eq!(since("False"), None);
}
