use expect_test::{Expect, expect};

use super::total;
use crate::{parse::parse, wire::pod::Pod};

fn check(pod: &str, expected: &Expect) {
    let pod: Pod<'_> = parse(pod).unwrap();
    let status = (!pod.spec.node.is_empty()).then_some(&pod.status);
    let total = match total(&pod.spec, status) {
        Ok(total) => format!("{total:?}"),
        Err(problem) => format!("{}: {}", problem.path(), problem.text),
    };
    expected.assert_eq(&total);
}

#[test]
fn a_limit_without_a_request_is_one() {
    check(
        r#"{"spec":{"containers":[
            {"resources":{"limits":{"nvidia.com/gpu":1,"cpu":"2"},"requests":{"cpu":"500m"}}},
            {"resources":{"limits":{"memory":"1Gi"}}}]}}"#,
        &expect![[r#"{"cpu": 500, "memory": 1073741824, "nvidia.com/gpu": 1}"#]],
    );
}

#[test]
fn sidecars_run_beside_containers_and_init_containers_before_them() {
    check(
        r#"{"spec":{
            "initContainers":[
                {"resources":{"requests":{"cpu":"1"}},"restartPolicy":"Always"},
                {"resources":{"requests":{"cpu":"3","memory":"1Ki"}}}],
            "containers":[{"resources":{"requests":{"cpu":"2"}}}],
            "overhead":{"cpu":"100m"}}}"#,
        &expect![[r#"{"cpu": 4100, "memory": 1024}"#]],
    );
}

#[test]
fn the_pod_as_a_whole_overrides_what_its_containers_ask_for() {
    check(
        r#"{"spec":{
            "resources":{"requests":{"cpu":"1","example.com/x":"9"},"limits":{"memory":"4Gi"}},
            "containers":[{"resources":{"requests":{"cpu":"3","memory":"1Gi"}}}]}}"#,
        &expect![[r#"{"cpu": 1000, "memory": 1073741824}"#]],
    );
    check(
        r#"{"spec":{"resources":{"limits":{"memory":"4Gi"}},"containers":[{}]}}"#,
        &expect![[r#"{"memory": 4294967296}"#]],
    );
}

/// A container that wants 1 cpu, was promised 2 and has 3.
fn resized(node: &str, condition: &str, status: &str) -> String {
    format!(
        r#"{{"spec":{{"nodeName":"{node}",
              "containers":[{{"name":"a","resources":{{"requests":{{"cpu":"1","memory":"1"}}}}}}]}},
            "status":{{"conditions":[{{"type":"PodResizePending","reason":"{condition}"}}],
              "containerStatuses":[{{"name":"a","allocatedResources":{{"cpu":"2"}}{status}}}]}}}}"#
    )
}

const ACTUAL: &str = r#","resources":{"requests":{"cpu":"3"}}"#;

#[test]
fn a_running_container_counts_with_the_most_of_wanted_promised_and_actual() {
    check(&resized("n1", "Deferred", ACTUAL), &expect![[r#"{"cpu": 3000, "memory": 1}"#]]);
    check(&resized("n1", "Infeasible", ACTUAL), &expect![[r#"{"cpu": 3000}"#]]);
    // Without `resources` the status is that of a kubelet that knows no resizing.
    check(&resized("n1", "Infeasible", ""), &expect![[r#"{"cpu": 1000, "memory": 1}"#]]);
    check(&resized("", "Infeasible", ACTUAL), &expect![[r#"{"cpu": 1000, "memory": 1}"#]]);
}

#[test]
fn a_wrong_amount_is_found() {
    check(
        r#"{"spec":{"initContainers":[{"resources":{"limits":{"example.com/x":"1.5"}}}]}}"#,
        &expect![
            "spec.initContainers[0].resources.limits[example.com/x]: 1500m is not a whole number"
        ],
    );
    check(
        r#"{"spec":{"nodeName":"n","containers":[{"name":"a"}]},
            "status":{"containerStatuses":[{},{"name":"a","resources":{"requests":{"cpu":[]}}}]}}"#,
        &expect![[
            r#"status.containerStatuses[1].resources.requests[cpu]: quantity "[]" is not a number with an optional suffix"#
        ]],
    );
    check(
        r#"{"spec":{"containers":[{"resources":{"requests":{"memory":"1e30"}}}]}}"#,
        &expect![[
            r#"spec.containers[0].resources.requests[memory]: quantity "1e30" is out of range"#
        ]],
    );
}
