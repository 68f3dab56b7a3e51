//! What is wrong with a file is said in one line, place first.

use expect_test::{Expect, expect};

use super::{NOW, read};

/// What is said about each file, all of which begin with `now`.
fn check(files: &[&str], expected: &Expect) {
    let lines: Vec<String> = files.iter().map(|rest| problem(&format!("{NOW}{rest}"))).collect();
    expected.assert_eq(&lines.join("\n"));
}

fn problem(text: &str) -> String {
    let line = read(text).unwrap_err().to_string();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn the_file_as_a_whole() {
    let lines = [
        "",
        "# nothing\n",
        "groups: []\n",
        "now: soon\n",
        "now: 5\n",
        "now: -009999-01-02T02:00:00Z\n",
        "- a\n- b\n",
        "just words",
        "now: 2026-01-01T12:00:00Z\n---\nexpect: {}\n",
        "now: [\n",
        "now: 2026-01-01T12:00:00Z\nnow: 2026-01-01T12:00:00Z\n",
        "{\"now\": \"2026-01-01T12:00:00Z\",}",
        "{\"now\": \"2026-01-01T12:00:00Z\"} x",
        "{\"now\": \"2026-01-01T12:00:00Z\",\n \"objects\": [{\"kind\": }]}",
        "{\"now\": \"2026-01-01T12:00:00Z\", \"now\": 1}",
        "{\"objects\": [], \"objects\": []}",
        "{\"now\": \"2026-01-01T12:00:00Z\"",
    ]
    .map(problem);
    expect![[r#"
        the file is empty
        the file is empty
        now: is missing
        now: "soon" is not a time such as 2026-01-01T12:00:00Z
        now: 5 is not a time such as 2026-01-01T12:00:00Z
        now: is too early
        invalid type: sequence, expected a scenario, which is an object
        invalid type: string "just words", expected a scenario, which is an object
        document 2: follows the scenario, and a file holds only one document
        line 1, column 6: unclosed bracket '['
        line 2, column 1: duplicate mapping key: now
        line 1, column 32: trailing comma
        line 1, column 33: trailing characters
        line 2, column 23: expected value
        now stands twice
        objects stands twice
        line 1, column 30: EOF while parsing an object"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn fields_that_nobody_knows() {
    check(
        &[
            "group: []",
            "colour: blue",
            "groups: [{id: a, mx: 5}]",
            "groups: [{id: a, max: 5, instances: [{id: i, nod: x}]}]",
            "groups: [{id: a, max: 5, instances: [{id: i, error: {klass: Other}}]}]",
            "groups: [{id: a, max: 5, options: {scale-down-uneeded-time: 1m}}]",
            "memory: {unneeded: {}}",
            "memory: {unneededsince: {}}",
            "memory: {backoff: [{group: a, untill: x}]}",
            "flags: {scale-down-unneded-time: 1m}",
            "objects: [{counts: 3, object: {kind: Node, metadata: {name: n}}}]",
        ],
        &expect![[r"
            group: unknown field, did you mean groups?
            colour: unknown field, known are name, now, flags, groups, objects, memory
            groups[0].mx: unknown field, did you mean max?
            groups[0].instances[0].nod: unknown field, did you mean node?
            groups[0].instances[0].error.klass: unknown field, did you mean class?
            groups[0].options.scale-down-uneeded-time: unknown option, did you mean scale-down-unneeded-time?
            memory.unneeded: unknown field, known are unneededSince, unreadySince, lastScaleUp, lastScaleDown, lastScaleDownFailure, scaleUps, backoff, sizeMismatchSince, unremovableUntil
            memory.unneededsince: unknown field, did you mean unneededSince?
            memory.backoff[0].untill: unknown field, did you mean until?
            flags.scale-down-unneded-time: unknown flag, did you mean scale-down-unneeded-time?
            objects[0].counts: unknown field, did you mean count?"]],
    );
}

#[test]
fn groups() {
    check(
        &[
            "groups: {}",
            "groups: [5]",
            "groups: [{max: 5}]",
            "groups: [{id: '', max: 5}]",
            "groups: [{id: 7, max: 5}]",
            "groups: [{id: a}]",
            "groups: [{id: a, max: 5}, {id: b, min: 0, max: plenty}]",
            "groups: [{id: a, max: -5}]",
            "groups: [{id: a, max: 2.5}]",
            "groups: [{id: a, max: 5000000000}]",
            "groups: [{id: a, max: {}}]",
            "groups: [{id: a, min: 6, max: 5}]",
            "groups: [{id: a, max: 5}, {id: a, max: 5}]",
            "groups: [{id: a, max: 5, price: free}]",
            "groups: [{id: a, max: 5, price: -1}]",
            "groups: [{id: a, max: 5, price: 1e30}]",
            "groups: [{id: a, max: 5, target: many}]",
            "groups: [{id: a, max: 5, template: 4cpu}]",
            "groups: [{id: a, max: 5, template: {status: {capacity: {cpu: four}}}}]",
            "groups: [{id: a, max: 5, template: {spec: {taints: [{key: k, effect: Never}]}}}]",
            "groups: [{id: a, max: 5, options: {expander: random}}]",
            "groups: [{id: a, max: 5, options: [x]}]",
        ],
        &expect![[r#"
            groups: invalid type: map, expected a list
            groups[0]: invalid type: integer `5`, expected an object
            groups[0].id: is missing
            groups[0].id: is empty
            groups[0].id: 7 is not a name
            groups[0].max: is missing
            groups[1].max: "plenty" is not a whole number
            groups[0].max: -5 is negative
            groups[0].max: 2.5 is not a whole number
            groups[0].max: 5000000000 is too large
            groups[0].max: an object is not a whole number
            groups[0].min: 6 is above max, which is 5
            groups[1].id: another group has the id "a" already
            groups[0].price: "free" is not a number
            groups[0].price: -1 is negative
            groups[0].price: 1000000000000000000000000000000 is too large
            groups[0].target: "many" is not a whole number
            groups[0].template: invalid type: string "4cpu", expected an object
            groups[0].template.status.capacity[cpu]: quantity "four" is not a number with an optional suffix
            groups[0].template.spec.taints[0].effect: "Never" is not an effect, known are NoSchedule, PreferNoSchedule and NoExecute
            groups[0].options.expander: cannot be set for a group
            groups[0].options: invalid type: sequence, expected an object"#]],
    );
}

#[test]
fn instances() {
    check(
        &[
            "groups: [{id: a, max: 5, instances: 3}]",
            "groups: [{id: a, max: 5, instances: [{node: n}]}]",
            "groups: [{id: a, max: 5, instances: [{id: i, state: asleep}]}]",
            "groups: [{id: a, max: 5, instances: [{id: i, created: yesterday}]}]",
            "groups: [{id: a, max: 5, instances: [{id: i, error: {class: Bad}}]}]",
            "groups: [{id: a, max: 5, instances: [{id: i}, {id: i}]}]",
            "groups: [{id: a, max: 5, instances: [{id: i, node: n}]}, {id: b, max: 5, instances: [{id: j, node: n}]}]",
        ],
        &expect![[r#"
            groups[0].instances: invalid type: integer `3`, expected a list
            groups[0].instances[0].id: is missing
            groups[0].instances[0].state: "asleep" is not a state, known are running, creating and deleting
            groups[0].instances[0].created: "yesterday" is not a time such as 2026-01-01T12:00:00Z
            groups[0].instances[0].error.class: "Bad" is not an error class, known are OutOfResources and Other
            groups[0].instances[1].id: another instance has the id "i" already
            groups[1].instances[0].node: an instance of group "a" is node "n" already"#]],
    );
}

#[test]
fn flags() {
    check(
        &[
            "flags: [a]",
            "flags: {expander: }",
            "flags: {expander: {}}",
            "flags: {startup-taint: [a, [b]]}",
            "flags: {scale-down-unneeded-time: 10}",
            "flags: {max-nodes-total: [1, 2]}",
            "flags: {zero-or-max-node-scaling: true}",
            "flags: {balancing-label: x, balancing-ignore-label: y}",
        ],
        &expect![[r#"
            flags: invalid type: sequence, expected an object
            flags.expander: has no value
            flags.expander: an object is not a value
            flags.startup-taint[1]: a list is not a value
            flags.scale-down-unneeded-time: "10" is not a duration such as 90s or 1h30m
            flags.max-nodes-total: takes one value, not 2
            flags.zero-or-max-node-scaling: can be set for a group only
            flags.balancing-label: cannot be set together with balancing-ignore-label"#]],
    );
}

#[test]
fn objects() {
    check(
        &[
            "objects: {}",
            "objects: [Pod]",
            "objects: [{metadata: {name: x}}]",
            "objects: [{kind: Pod}]",
            "objects: [{kind: Node, metadata: {name: n}}, {kind: Pod, metadata: {name: x}, spec: {containers: [{name: c, resources: {requests: {cpu: lots}}}]}}]",
            "objects: [{kind: Node, metadata: {name: n}}, {kind: Node, metadata: {name: n}}]",
            "objects: [{kind: Pod, metadata: {name: p}, spec: {containers: []}}, {kind: Pod, metadata: {name: p}, spec: {containers: []}}]",
            "objects: [{object: {kind: Node, metadata: {name: n}}}]",
            "objects: [{count: some, object: {kind: Node, metadata: {name: n}}}]",
            "objects: [{count: 1000001, object: {kind: Node, metadata: {name: n}}}]",
            "objects: [{count: 2, object: {kind: Node, metadata: {name: n, creationTimestamp: never}}}]",
            "objects: [{count: 2, object: }]",
        ],
        &expect![[r#"
            objects: invalid type: map, expected a list
            objects[0]: invalid type: string "Pod", expected an object
            objects[0]: kind: is missing
            objects[0]: Pod: metadata.name: is missing
            objects[1]: Pod default/x: spec.containers[0].resources.requests[cpu]: quantity "lots" is not a number with an optional suffix
            objects[1]: Node n: metadata.name: another Node has the name "n" already
            objects: Pod default/p: metadata.name: another Pod has the name "p" already
            objects[0].count: is missing
            objects[0].count: "some" is not a whole number
            objects[0].count: 1000001 is more than 1000000
            objects[0]: Node n: metadata.creationTimestamp: "never" is not a time
            objects[0].object: is missing"#]],
    );
}

#[test]
fn memory() {
    check(
        &[
            "memory: []",
            "memory: {unneededSince: [a-0]}",
            "memory: {unneededSince: {a-0: long ago}}",
            "memory: {lastScaleUp: 12}",
            "memory: {scaleUps: [{group: a, increase: -2, at: 2026-01-01T11:58:00Z}]}",
            "memory: {scaleUps: [{group: a, increase: 2}]}",
            "memory: {backoff: [{group: a, until: never}]}",
            "memory: {backoff: [{group: a, until: 2026-01-01T12:03:00Z, step: 5}]}",
            "memory: {backoff: [{group: a, until: 2026-01-01T12:03:00Z, step: -5m}]}",
            "memory: {backoff: [{group: a, until: 2026-01-01T12:03:00Z}, {group: a, until: 2026-01-01T12:03:00Z}]}",
        ],
        &expect![[r#"
            memory: invalid type: sequence, expected an object
            memory.unneededSince: invalid type: sequence, expected an object
            memory.unneededSince[a-0]: "long ago" is not a time such as 2026-01-01T12:00:00Z
            memory.lastScaleUp: 12 is not a time such as 2026-01-01T12:00:00Z
            memory.scaleUps[0].increase: -2 is negative
            memory.scaleUps[0].at: is missing
            memory.backoff[0].until: "never" is not a time such as 2026-01-01T12:00:00Z
            memory.backoff[0].step: 5 is not a duration such as 90s or 1h30m
            memory.backoff[0].step: "-5m" is negative
            memory.backoff[1].group: group "a" rests already"#]],
    );
}
