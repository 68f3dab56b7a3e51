//! Input that makes no sense: exit 2, and one line that says where and why.

use expect_test::{Expect, expect};

use crate::run;

pub(super) fn check(input: &str, expected: &Expect) {
    check_file("-", input, expected);
}

fn check_file(file: &str, input: &str, expected: &Expect) {
    let output = run(&["--file", file, "--output", "json"], input);
    expected.assert_eq(&String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(2));
}

/// A pod with these fields of `spec`.
pub(super) fn pod(spec: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec: {{{spec}}}\n")
}

#[test]
fn files_that_are_none() {
    check_file(
        "absent.yaml",
        "",
        &expect![[r"
        error: absent.yaml: No such file or directory (os error 2)
    "]],
    );
    check_file(
        ".",
        "",
        &expect![[r"
        error: .: Is a directory (os error 21)
    "]],
    );
    check(
        "",
        &expect![[r"
        error: -: holds no manifests
    "]],
    );
    check(
        "# only a comment\n",
        &expect![[r"
        error: -: holds no manifests
    "]],
    );
}

#[test]
fn text_that_is_neither_json_nor_yaml() {
    check(
        "{\"kind\": \"Pod\",",
        &expect![[r"
        error: -: line 1, column 15: EOF while parsing an object
    "]],
    );
    check(
        "{\"kind\": Pod}",
        &expect![[r"
        error: -: line 1, column 10: expected value
    "]],
    );
    check(
        "kind: Pod\n  metadata: {",
        &expect![[r"
        error: -: line 2, column 11: mapping values are not allowed in this context
    "]],
    );
    check(
        "hello",
        &expect![[r#"
        error: -: invalid type: string "hello", expected an object
    "#]],
    );
    check(
        "- kind: Pod\n",
        &expect![[r"
        error: -: invalid type: sequence, expected an object
    "]],
    );
}

#[test]
fn objects_that_are_not_complete() {
    check(
        "metadata: {name: web}",
        &expect![[r"
        error: -: kind: is missing
    "]],
    );
    check(
        "kind: Node\n---\nkind: Pod\nmetadata: {name: web}",
        &expect![[r"
        error: -: document 1: Node: metadata.name: is missing
    "]],
    );
    check(
        "kind: Node\nmetadata: {name: n}\n---\nkind: Node\nmetadata: {name: n}",
        &expect![[r#"
            error: -: Node n: metadata.name: another Node has the name "n" already
        "#]],
    );
    check(
        &[pod(""), pod("")].join("---\n"),
        &expect![[r#"
        error: -: Pod default/web: metadata.name: another Pod has the name "web" already
    "#]],
    );
}

#[test]
fn values_of_the_wrong_type() {
    check(
        &pod("containers: {}"),
        &expect![[r"
        error: -: Pod default/web: spec.containers: invalid type: map, expected a list
    "]],
    );
    check(
        &pod("nodeName: 7"),
        &expect![[r"
        error: -: Pod default/web: spec.nodeName: invalid type: integer `7`, expected a string
    "]],
    );
    check(
        &pod("hostNetwork: maybe"),
        &expect![[r#"
        error: -: Pod default/web: spec.hostNetwork: invalid type: string "maybe", expected a boolean
    "#]],
    );
    check(
        &pod("priority: high"),
        &expect![[r#"
        error: -: Pod default/web: spec.priority: invalid type: string "high", expected an integer
    "#]],
    );
    check(
        "kind: Pod\nmetadata: {name: web, labels: {app: 7}}",
        &expect![[r"
        error: -: Pod default/web: metadata.labels[app]: invalid type: integer `7`, expected a string
    "]],
    );
    check(
        "kind: Pod\nmetadata: web",
        &expect![[r#"
        error: -: Pod: metadata: invalid type: string "web", expected an object
    "#]],
    );
}

#[test]
fn amounts() {
    let request =
        |amount: &str| pod(&format!("containers: [{{resources: {{requests: {amount}}}}}]"));
    check(
        &request("{cpu: 1x}"),
        &expect![[r#"
        error: -: Pod default/web: spec.containers[0].resources.requests[cpu]: quantity "1x" is not a number with an optional suffix
    "#]],
    );
    check(
        &request("{memory: 4K}"),
        &expect![[r#"
        error: -: Pod default/web: spec.containers[0].resources.requests[memory]: quantity "4K" has an unknown suffix, known are n u m k M G T P E and Ki Mi Gi Ti Pi Ei
    "#]],
    );
    check(
        &request("{cpu: -1}"),
        &expect![[r"
        error: -: Pod default/web: spec.containers[0].resources.requests[cpu]: -1 is negative
    "]],
    );
    check(
        &request("{nvidia.com/gpu: 500m}"),
        &expect![[r"
        error: -: Pod default/web: spec.containers[0].resources.requests[nvidia.com/gpu]: 500m is not a whole number
    "]],
    );
    check(
        &request("{memory: 1e40}"),
        &expect![[r#"
        error: -: Pod default/web: spec.containers[0].resources.requests[memory]: quantity "10e39" is out of range
    "#]],
    );
    check(
        "kind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: lots}}",
        &expect![[r#"
        error: -: Node n: status.allocatable[cpu]: quantity "lots" is not a number with an optional suffix
    "#]],
    );
}

#[test]
fn ports() {
    let port = |fields: &str| pod(&format!("containers: [{{}}, {{ports: [{{{fields}}}]}}]"));
    check(
        &port("containerPort: 80, hostPort: 70000"),
        &expect![[r"
        error: -: Pod default/web: spec.containers[1].ports[0].hostPort: 70000 is not a port, which are 1 to 65535
    "]],
    );
    check(
        &port("hostPort: 80"),
        &expect![[r"
        error: -: Pod default/web: spec.containers[1].ports[0].containerPort: 0 is not a port, which are 1 to 65535
    "]],
    );
    check(
        &port("containerPort: 80, protocol: ICMP"),
        &expect![[r#"
        error: -: Pod default/web: spec.containers[1].ports[0].protocol: "ICMP" is not a protocol, known are TCP, UDP and SCTP
    "#]],
    );
}

#[test]
fn cases() {
    let good = r#"{"id":"x","nodes":[],"pending":[]}"#;
    check(
        &format!("{good}\n\n{{\"id\":\"y\",\"pending\":[}}\n"),
        &expect![[r"
        error: -:3: column 22: pending[0]: expected value
    "]],
    );
    check(
        r#"{"nodes":[],"pending":[]}"#,
        &expect![[r"
        error: -:1: id: is missing
    "]],
    );
    check(
        r#"{"id":"x","nodes":[{}],"pending":[]}"#,
        &expect![[r"
        error: -:1: Node: nodes[0].metadata.name: is missing
    "]],
    );
    check(
        r#"{"id":"x","pending":[{"metadata":{"name":"p"},"spec":{"containers":[{"resources":{"requests":{"cpu":"1x"}}}]}}]}"#,
        &expect![[r#"
            error: -:1: Pod default/p: spec.containers[0].resources.requests[cpu]: quantity "1x" is not a number with an optional suffix
        "#]],
    );
    check(
        r#"{"id":"x","nodes":"all","pending":[]}"#,
        &expect![[r#"
        error: -:1: nodes: invalid type: string "all", expected a list
    "#]],
    );
    check(
        &format!("{good}\nnot JSON\n"),
        &expect![[r"
        error: -:2: column 2: expected ident
    "]],
    );
}
