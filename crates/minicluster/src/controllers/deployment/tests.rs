//! Tests of deployments: how large each replica set is to be.

use serde_json::json;

use super::{rollout::Sizes, *};
use crate::controllers::revision::hash;

fn deployment(replicas: i64, surge: &Value, unavailable: &Value) -> Value {
    json!({
        "metadata": { "name": "web", "namespace": "default", "uid": "d", "generation": 1 },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "app": "web" } },
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable },
            },
            "template": { "metadata": { "labels": { "app": "web" } } },
        },
    })
}

/// Replica sets, oldest first, each with its size and how many of its pods are available. The last is the newest.
fn sizes(sets: &[(i64, i64)], most: i64) -> Sizes {
    let sets: Vec<Set> = sets
        .iter()
        .enumerate()
        .map(|(number, (replicas, available))| {
            Set::new(json!({
                "metadata": {
                    "name": format!("set-{number}"),
                    "uid": number.to_string(),
                    "annotations": { (MOST): most.to_string() },
                },
                "spec": { "replicas": replicas },
                "status": { "availableReplicas": available },
            }))
        })
        .collect();
    Sizes::new(&sets, sets.len().checked_sub(1))
}

fn after(sizes: &Sizes) -> Vec<i64> {
    sizes.all.iter().map(|size| size.after).collect()
}

#[test]
fn a_rolling_update_goes_step_by_step() {
    let quarter = json!("25%");
    let deployment = deployment(10, &quarter, &quarter);
    for (before, expected) in [
        // The new one grows as far as the surge allows.
        (vec![(10, 10), (0, 0)], vec![10, 3]),
        // It cannot grow: the old one shrinks as far as availability allows.
        (vec![(10, 10), (3, 0)], vec![8, 3]),
        (vec![(8, 8), (5, 0)], vec![8, 5]),
        (vec![(8, 8), (5, 5)], vec![3, 5]),
        (vec![(3, 3), (10, 7)], vec![1, 10]),
        (vec![(1, 1), (10, 10)], vec![0, 10]),
        // Pods that do not work go first, whatever the order.
        (vec![(4, 0), (6, 6), (3, 0)], vec![2, 6, 3]),
        (vec![(0, 0), (12, 12)], vec![0, 10]),
    ] {
        let mut sizes = sizes(&before, 13);
        rolling(&deployment, &mut sizes);
        assert_eq!(after(&sizes), expected, "{before:?}");
    }
}

#[test]
fn fences_leave_room_for_at_least_one() {
    for (replicas, surge, unavailable, expected) in [
        (10, json!("25%"), json!("25%"), (3, 2)),
        (1, json!("25%"), json!("25%"), (1, 0)),
        (1, json!(0), json!("25%"), (0, 1)),
        (4, json!(0), json!(9), (0, 4)),
    ] {
        assert_eq!(fences(&deployment(replicas, &surge, &unavailable)), expected);
    }
}

#[test]
fn scaling_in_the_middle_of_an_update_keeps_proportions() {
    for (wanted, before, most, expected) in [
        (20, vec![(8, 8), (5, 5)], 13, vec![15, 10]),
        (5, vec![(8, 8), (5, 5)], 13, vec![4, 3]),
        (0, vec![(8, 8), (5, 5)], 13, vec![0, 0]),
        // There is only one to scale.
        (7, vec![(0, 0), (5, 5)], 7, vec![0, 7]),
    ] {
        let quarter = json!("25%");
        let mut sizes = sizes(&before, most);
        scaling(&deployment(wanted, &quarter, &quarter), &mut sizes);
        assert_eq!(after(&sizes), expected, "to {wanted}");
    }
}

#[test]
fn a_name_that_is_taken_is_avoided_the_next_time() {
    let deployment = deployment(1, &json!(1), &json!(0));
    let target = Ref { resource: deployments(), key: Key::new("default", "web") };
    let now: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let scene = Scene {
        deployment: &deployment,
        sets: Vec::new(),
        old_pods: false,
        is_taken: &|_| true,
        now,
    };
    let actions = plan(&scene, &target, 1);
    let [Action::Status { status, .. }] = actions.as_slice() else { panic!("{actions:?}") };
    assert_eq!(number(status, "/collisionCount"), 1);
    assert_ne!(hash(&deployment, 0), hash(&deployment, 1));
}
