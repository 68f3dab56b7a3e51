//! Words that nobody knows, and terms that say nothing: exit 2, and one line that says where and why.

use expect_test::expect;

use super::refused::{check, pod};

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
