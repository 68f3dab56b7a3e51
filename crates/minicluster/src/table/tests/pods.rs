//! What a pod's containers amount to.

#![expect(
    clippy::needless_pass_by_value,
    reason = "JSON that is written in place reads best by value"
)]

use serde_json::{Value, json};

use super::{check, now};
use crate::{registry::Registry, table::Printer};

/// A pod's READY, STATUS and RESTARTS.
#[track_caller]
fn shows(pod: &Value, expected: &str) {
    check("v1", "Pod", pod, &format!("p|{expected}|<unknown>|<none>|<none>|<none>|<none>"));
}

fn pod(status: Value) -> Value {
    json!({ "metadata": { "name": "p" }, "spec": { "containers": [{ "name": "a" }, { "name": "b" }] }, "status": status })
}

/// A pod with containers in these states.
fn containers(phase: &str, statuses: Value) -> Value {
    pod(json!({ "phase": phase, "containerStatuses": statuses }))
}

fn running() -> Value {
    json!({ "ready": true, "state": { "running": {} } })
}

fn completed() -> Value {
    json!({ "state": { "terminated": { "exitCode": 0, "reason": "Completed" } } })
}

/// A pod whose init containers are `specs` and are in these states.
fn init(specs: Value, statuses: Value) -> Value {
    let mut pod = pod(json!({ "phase": "Pending", "initContainerStatuses": statuses }));
    pod["spec"]["initContainers"] = specs;
    pod
}

fn deleted(mut pod: Value) -> Value {
    pod["metadata"]["deletionTimestamp"] = json!("2026-03-01T12:00:30Z");
    pod
}

#[test]
fn phases_and_reasons() {
    shows(&pod(json!({ "phase": "Pending" })), "0/2|Pending|0");
    shows(&pod(json!({ "phase": "Failed", "reason": "Evicted" })), "0/2|Evicted|0");
    let gated = json!({ "phase": "Pending", "conditions": [{ "type": "PodScheduled", "reason": "SchedulingGated" }] });
    shows(&pod(gated), "0/2|SchedulingGated|0");
}

#[test]
fn the_first_container_has_the_last_word() {
    let waiting = |reason: &str| json!({ "state": { "waiting": { "reason": reason } } });
    shows(&containers("Running", json!([running(), running()])), "2/2|Running|0");
    shows(
        &containers("Pending", json!([waiting("ImagePullBackOff"), waiting("ContainerCreating")])),
        "0/2|ImagePullBackOff|0",
    );
    shows(
        &containers("Running", json!([running(), waiting("CrashLoopBackOff")])),
        "1/2|CrashLoopBackOff|0",
    );
    let not_ready = json!({ "ready": false, "state": { "running": {} } });
    shows(&containers("Running", json!([not_ready, running()])), "1/2|Running|0");
    let ended = |end: Value| containers("Failed", json!([{ "state": { "terminated": end } }]));
    shows(&ended(json!({ "exitCode": 3 })), "0/2|ExitCode:3|0");
    shows(&ended(json!({ "exitCode": 137, "signal": 9 })), "0/2|Signal:9|0");
    shows(&ended(json!({ "exitCode": 137, "reason": "OOMKilled" })), "0/2|OOMKilled|0");
}

#[test]
fn a_pod_is_complete_when_all_its_containers_are() {
    shows(&containers("Succeeded", json!([completed(), completed()])), "0/2|Completed|0");
    let half = containers("Running", json!([completed(), running()]));
    shows(&half, "1/2|NotReady|0");
    let mut ready = half.clone();
    ready["status"]["conditions"] = json!([{ "type": "Ready", "status": "True" }]);
    shows(&ready, "1/2|Running|0");
    let failed = json!({ "state": { "terminated": { "exitCode": 1, "reason": "Error" } } });
    shows(&containers("Failed", json!([completed(), failed])), "0/2|Error|0");
}

#[test]
fn pods_that_are_deleted() {
    shows(&deleted(containers("Running", json!([running(), running()]))), "2/2|Terminating|0");
    shows(&deleted(pod(json!({ "phase": "Running", "reason": "NodeLost" }))), "0/2|Unknown|0");
    shows(&deleted(containers("Succeeded", json!([completed()]))), "0/2|Completed|0");
}

#[test]
fn init_containers() {
    let two = json!([{ "name": "x" }, { "name": "y" }]);
    let done = json!({ "name": "x", "state": { "terminated": { "exitCode": 0 } } });
    let second = |state: Value| {
        init(two.clone(), json!([done, { "name": "y", "restartCount": 2, "state": state }]))
    };
    shows(&second(json!({ "running": {} })), "0/2|Init:1/2|2");
    shows(&second(json!({ "waiting": { "reason": "PodInitializing" } })), "0/2|Init:1/2|2");
    shows(&second(json!({ "waiting": { "reason": "ErrImagePull" } })), "0/2|Init:ErrImagePull|2");
    shows(&second(json!({ "terminated": { "exitCode": 2 } })), "0/2|Init:ExitCode:2|2");
    shows(&second(json!({ "terminated": { "exitCode": 1, "signal": 6 } })), "0/2|Init:Signal:6|2");
    shows(
        &second(json!({ "terminated": { "exitCode": 1, "reason": "Error" } })),
        "0/2|Init:Error|2",
    );
    shows(&second(json!({ "terminated": { "exitCode": 0 } })), "0/2|Pending|0");
}

#[test]
fn init_containers_that_go_on_running_count() {
    let one = json!([{ "name": "x", "restartPolicy": "Always" }]);
    let status = |started: bool| json!([{ "name": "x", "started": started, "ready": true, "restartCount": 1, "state": { "running": {} } }]);
    shows(&init(one.clone(), status(false)), "0/3|Init:0/1|1");
    let mut started = init(one, status(true));
    shows(&started, "1/3|Pending|1");
    started["status"]["phase"] = json!("Running");
    started["status"]["containerStatuses"] = json!([running(), running()]);
    shows(&started, "3/3|Running|1");
}

#[test]
fn restarts_say_when_the_last_was() {
    let restarted = |count: u32, finished: &str| {
        json!({
            "ready": true,
            "restartCount": count,
            "state": { "running": {} },
            "lastState": { "terminated": { "finishedAt": finished } },
        })
    };
    let both = json!([restarted(1, "2026-03-01T11:55:00Z"), restarted(2, "2026-03-01T11:00:00Z")]);
    shows(&containers("Running", both), "2/2|Running|3 (5m ago)");
    shows(&containers("Running", json!([restarted(0, "2026-03-01T11:55:00Z")])), "1/2|Running|0");
}

#[test]
fn wide_columns() {
    let pod = json!({
        "metadata": { "name": "p", "creationTimestamp": "2026-03-01T11:59:00Z" },
        "spec": { "nodeName": "n", "readinessGates": [{ "conditionType": "a" }, { "conditionType": "b" }] },
        "status": {
            "podIPs": [{ "ip": "192.0.2.1" }, { "ip": "2001:db8::1" }],
            "nominatedNodeName": "m",
            "conditions": [{ "type": "a", "status": "True" }, { "type": "b", "status": "False" }],
        },
    });
    check("v1", "Pod", &pod, "p|0/0||0|60s|192.0.2.1|n|m|1/2");
}

#[test]
fn rows_of_finished_pods_say_so() {
    let registry = Registry::new();
    let printer = Printer::of(registry.find_kind("v1", "Pod").unwrap());
    let reason = |phase: &str| {
        let conditions = printer.conditions(&pod(json!({ "phase": phase })))?;
        conditions[0]["reason"].as_str().map(str::to_owned)
    };
    assert_eq!(reason("Running"), None);
    assert_eq!(reason("Succeeded").as_deref(), Some("Succeeded"));
    assert_eq!(reason("Failed").as_deref(), Some("Failed"));
    let namespaces = Printer::of(registry.find_kind("v1", "Namespace").unwrap());
    assert_eq!(namespaces.conditions(&pod(json!({ "phase": "Failed" }))), None);
    assert!(printer.cells(&json!([]), now()).is_array());
}
