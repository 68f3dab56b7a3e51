//! Files that are no scenarios: exit 2, and one line that names the place.

use expect_test::{Expect, expect};

use crate::run;

fn check(arguments: &[&str], input: &str, expected: &Expect) {
    let output = run(arguments, input);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    expected.assert_eq(&String::from_utf8(output.stderr).unwrap());
}

#[test]
fn a_wrong_value() {
    check(
        &[],
        "{now: 2026-01-01T12:00:00Z, groups: [{id: a, max: 1}, {id: b, max: plenty}]}",
        &expect![[r#"
            error: -: groups[1].max: "plenty" is not a whole number
        "#]],
    );
}

#[test]
fn expectations_behind_the_scenario() {
    check(
        &[],
        "now: 2026-01-01T12:00:00Z\n---\nexpect: {}\n",
        &expect![[r"
        error: -: document 2: follows the scenario, and a file holds only one document
    "]],
    );
}

#[test]
fn a_broken_text() {
    check(
        &[],
        "{\"now\": ",
        &expect![[r"
        error: -: line 1, column 8: EOF while parsing a value
    "]],
    );
}

#[test]
fn an_object_that_kubernetes_would_refuse() {
    check(
        &[],
        "
now: 2026-01-01T12:00:00Z
objects:
- {kind: Pod, metadata: {name: x}, spec: {containers: [{name: c, resources: {requests: {memory: -1Gi}}}]}}
",
        &expect![[r"
            error: -: objects[0]: Pod default/x: spec.containers[0].resources.requests[memory]: -1Gi is negative
        "]],
    );
}

#[test]
fn a_name_that_nobody_has() {
    check(
        &["--why", "nobody"],
        crate::SMALL,
        &expect![[r"
        error: --why nobody: there is no pod, node or group of this name; pods are named namespace/name
    "]],
    );
}
