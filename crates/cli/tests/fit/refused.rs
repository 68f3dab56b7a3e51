//! Input that makes no sense: exit 2, and one line that says where and why.

use expect_test::{Expect, expect};

use crate::run;

fn check(input: &str, expected: &Expect) {
    check_file("-", input, expected);
}

fn check_file(file: &str, input: &str, expected: &Expect) {
    let output = run(&["--file", file, "--output", "json"], input);
    expected.assert_eq(&String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(2));
}

/// A pod with these fields of `spec`.
fn pod(spec: &str) -> String {
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
fn words_that_are_not_known() {
    let affinity = |expression: &str| {
        pod(&format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: \
             {{nodeSelectorTerms: [{{matchExpressions: [{expression}]}}]}}}}}}"
        ))
    };
    check(
        &affinity("{key: zone, operator: Near, values: [a]}"),
        &expect![[r#"
        error: -: Pod default/web: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: "Near" is not an operator, known are In, NotIn, Exists, DoesNotExist, Gt and Lt
    "#]],
    );
    check(
        &affinity("{key: zone, operator: In}"),
        &expect![[r#"
        error: -: Pod default/web: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: operator In of label key "zone" needs at least one value
    "#]],
    );
    check(
        &affinity("{key: zone/, operator: Exists}"),
        &expect![[r#"
        error: -: Pod default/web: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: label key "zone/": name part must be non-empty
    "#]],
    );
    check(
        &affinity("{key: zone, operator: In, values: ['a b']}"),
        &expect![[r#"
        error: -: Pod default/web: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: label value "a b" must be empty or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue', or 'my_value', or '12345')
    "#]],
    );
    check(
        &affinity("{key: cores, operator: Gt, values: ['1', '2']}"),
        &expect![[r"
        error: -: Pod default/web: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: operator Gt takes one value
    "]],
    );
    check(
        &pod("tolerations: [{key: a, operator: Like}]"),
        &expect![[r#"
        error: -: Pod default/web: spec.tolerations[0].operator: "Like" is not an operator, known are Equal and Exists
    "#]],
    );
    check(
        &pod("tolerations: [{key: a, effect: Never}]"),
        &expect![[r#"
        error: -: Pod default/web: spec.tolerations[0].effect: "Never" is not an effect, known are NoSchedule, PreferNoSchedule and NoExecute
    "#]],
    );
    check(
        &pod("tolerations: [{value: a}]"),
        &expect![[r"
        error: -: Pod default/web: spec.tolerations[0].operator: has to be Exists when there is no key
    "]],
    );
    check(
        &pod("nodeSelector: {zone: a b}"),
        &expect![[r#"
        error: -: Pod default/web: spec.nodeSelector[zone]: label value "a b" must be empty or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue', or 'my_value', or '12345')
    "#]],
    );
    check(
        "kind: Pod\nmetadata: {name: web}\nstatus: {phase: Sleeping}",
        &expect![[r#"
        error: -: Pod default/web: status.phase: "Sleeping" is not a phase, known are Pending, Running, Succeeded, Failed and Unknown
    "#]],
    );
    check(
        "kind: Node\nmetadata: {name: n}\nspec: {taints: [{key: a}]}",
        &expect![[r"
        error: -: Node n: spec.taints[0].effect: is missing
    "]],
    );
}

#[test]
fn terms_about_other_pods() {
    let spread = |fields: &str| {
        pod(&format!("topologySpreadConstraints: [{{whenUnsatisfiable: DoNotSchedule, {fields}}}]"))
    };
    check(
        &spread("maxSkew: 0, topologyKey: zone"),
        &expect![[r"
        error: -: Pod default/web: spec.topologySpreadConstraints[0].maxSkew: 0 is not a positive number
    "]],
    );
    check(
        &spread("maxSkew: 1"),
        &expect![[r"
        error: -: Pod default/web: spec.topologySpreadConstraints[0].topologyKey: is missing
    "]],
    );
    check(
        &spread("maxSkew: 1, topologyKey: zone, minDomains: 0"),
        &expect![[r"
        error: -: Pod default/web: spec.topologySpreadConstraints[0].minDomains: 0 is not a positive number
    "]],
    );
    check(
        &spread("maxSkew: 1, topologyKey: zone, nodeTaintsPolicy: Obey"),
        &expect![[r#"
        error: -: Pod default/web: spec.topologySpreadConstraints[0].nodeTaintsPolicy: "Obey" is not a policy, known are Honor and Ignore
    "#]],
    );
    let term = |fields: &str| {
        pod(&format!(
            "affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{{fields}}}]}}}}"
        ))
    };
    check(
        &term("labelSelector: {}"),
        &expect![[r"
        error: -: Pod default/web: spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: is missing
    "]],
    );
    check(
        &term("topologyKey: zone, labelSelector: {matchLabels: {app: -web}}"),
        &expect![[r#"
        error: -: Pod default/web: spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels[app]: label value "-web" must be empty or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue', or 'my_value', or '12345')
    "#]],
    );
    check(
        &term(
            "topologyKey: zone, labelSelector: {matchExpressions: [{key: app, operator: Gt, values: ['1']}]}",
        ),
        &expect![[r#"
            error: -: Pod default/web: spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].operator: "Gt" is not an operator, known are In, NotIn, Exists and DoesNotExist
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

#[test]
fn words_of_storage_and_restarts() {
    check(
        &pod("restartPolicy: Sometimes"),
        &expect![[r#"
        error: -: Pod default/web: spec.restartPolicy: "Sometimes" is not a restart policy, known are Always, OnFailure and Never
    "#]],
    );
    check(
        &pod("initContainers: [{restartPolicy: always}]"),
        &expect![[r#"
        error: -: Pod default/web: spec.initContainers[0].restartPolicy: "always" is not a restart policy, known are Always, OnFailure and Never
    "#]],
    );
    let volume =
        |spec: &str| format!("kind: PersistentVolume\nmetadata: {{name: v}}\nspec: {{{spec}}}\n");
    check(
        &volume("accessModes: [ReadWriteOnce, Write]"),
        &expect![[r#"
        error: -: PersistentVolume v: spec.accessModes[1]: "Write" is not an access mode, known are ReadWriteOnce, ReadOnlyMany, ReadWriteMany and ReadWriteOncePod
    "#]],
    );
    check(
        &volume("nodeAffinity: {required: {}}"),
        &expect![[r"
        error: -: PersistentVolume v: spec.nodeAffinity.required.nodeSelectorTerms: is missing
    "]],
    );
    check(
        "kind: StorageClass\nmetadata: {name: s}\nvolumeBindingMode: Later",
        &expect![[r#"
        error: -: StorageClass s: volumeBindingMode: "Later" is not a binding mode, known are Immediate and WaitForFirstConsumer
    "#]],
    );
}
