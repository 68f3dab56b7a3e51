//! Tests of replica sets.

use serde_json::json;

use super::*;
use crate::{controllers::facts::tests::pod, object::Key};

fn now() -> Timestamp {
    "2026-01-01T01:00:00Z".parse().unwrap()
}

fn set(replicas: i64) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": { "name": "web", "namespace": "default", "uid": "set", "generation": 1 },
        "spec": {
            "replicas": replicas,
            "template": { "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [] } },
        },
    })
}

fn decide(set: &Value, pods: &[Arc<Pod>]) -> Vec<Action> {
    let target =
        Ref { resource: Resource::new("apps", "replicasets"), key: Key::new("default", "web") };
    plan(set, &target, 1, pods, now())
}

/// The names of the pods that are deleted.
fn deleted(actions: &[Action]) -> Vec<&str> {
    let mut names = Vec::new();
    for action in actions {
        if let Action::Delete { target, .. } = action {
            names.push(&*target.key.name);
        }
    }
    names
}

fn created(actions: &[Action]) -> usize {
    actions.iter().filter(|action| matches!(action, Action::Create { .. })).count()
}

#[test]
fn what_is_missing_is_made_and_what_has_ended_does_not_count() {
    let pods = [
        pod("running", &json!({ "status": { "phase": "Running" } })),
        pod("failed", &json!({ "status": { "phase": "Failed" } })),
        pod("leaving", &json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" } })),
    ];
    for (wanted, missing) in [(0, 0), (1, 0), (3, 2)] {
        let actions = decide(&set(wanted), &pods);
        assert_eq!(created(&actions), missing, "of {wanted}");
    }
    assert_eq!(deleted(&decide(&set(0), &pods)), ["running"]);
}

#[test]
fn a_large_set_is_made_in_bursts() {
    let actions = decide(&set(1200), &[]);
    assert_eq!(created(&actions), 500);
    assert_eq!(actions.last(), Some(&Action::Again(now())));
}

#[test]
fn a_set_on_its_way_out_makes_nothing() {
    let mut set = set(3);
    set["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert_eq!(created(&decide(&set, &[])), 0);
}

#[test]
fn the_smallest_loss_goes_first() {
    let ready = |since: &str| {
        json!({
            "spec": { "nodeName": "a" },
            "status": {
                "phase": "Running",
                "conditions": [{ "type": "Ready", "status": "True", "lastTransitionTime": since }],
            },
        })
    };
    let mut alone = ready("2026-01-01T00:00:00Z");
    alone["spec"]["nodeName"] = json!("b");
    let mut cheap = ready("2026-01-01T00:00:00Z");
    cheap["metadata"] =
        json!({ "annotations": { "controller.kubernetes.io/pod-deletion-cost": "-1" } });
    let pods = [
        pod("alone", &alone),
        pod("old", &ready("2026-01-01T00:00:00Z")),
        pod("young", &ready("2026-01-01T00:59:00Z")),
        pod("cheap", &cheap),
        pod("unready", &json!({ "spec": { "nodeName": "a" }, "status": { "phase": "Running" } })),
        pod("pending", &json!({ "spec": { "nodeName": "a" } })),
        pod("unbound", &json!({})),
    ];
    let order = ["unbound", "pending", "unready", "cheap", "young", "old", "alone"];
    assert_eq!(deleted(&decide(&set(0), &pods)), order);
}

#[test]
fn ready_pods_become_available_after_a_while() {
    let mut set = set(1);
    set["spec"]["minReadySeconds"] = json!(90);
    let ready = json!([{ "type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:59:00Z" }]);
    let pods = [pod("web-1", &json!({ "status": { "phase": "Running", "conditions": ready } }))];
    let actions = decide(&set, &pods);
    let Some(Action::Status { status, .. }) = actions.first() else { panic!("{actions:?}") };
    assert_eq!((number(status, "/readyReplicas"), number(status, "/availableReplicas")), (1, 0));
    let later: Timestamp = "2026-01-01T01:00:30Z".parse().unwrap();
    assert_eq!(actions.last(), Some(&Action::Again(later)));
}
