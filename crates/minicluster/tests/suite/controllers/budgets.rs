//! Disruption budgets, evictions, and draining a node.

use std::time::Duration;

use plimsoll_minicluster::{
    Api, ApiError,
    api::{Target, WriteOptions},
    controllers,
    special::eviction::evict,
};
use plimsoll_net::{Clock, Shutdown};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{Cluster, condition, is_leaving, is_ready, number, settle, template, text, workload};

fn try_evict(api: &Api, pod: &str, more: &Value) -> Result<Value, ApiError> {
    let mut body = json!({ "metadata": { "name": pod } });
    super::merge(&mut body, more);
    let pods = api.kind("", "v1", "pods").unwrap();
    evict(api, &pods, &Target::new("default", pod), &body, &WriteOptions::default())
}

fn budget(bounds: &Value) -> Value {
    let mut budget = json!({
        "metadata": { "name": "web" },
        "spec": { "selector": { "matchLabels": { "app": "web" } } },
    });
    super::merge(&mut budget, &json!({ "spec": bounds }));
    budget
}

/// A pod that is running and ready on a node.
fn running(cluster: &Cluster, name: &str) {
    let mut pod = template("web", "image:1");
    pod["metadata"]["name"] = json!(name);
    pod["spec"]["nodeName"] = json!("node");
    cluster.create("pods", pod);
    let ready = json!([{ "type": "Ready", "status": "True" }]);
    cluster.change_status(
        "pods",
        name,
        &json!({ "status": { "phase": "Running", "conditions": ready } }),
    );
}

fn allowed(cluster: &Cluster) -> i64 {
    number(&cluster.get("poddisruptionbudgets.policy", "web"), "/status/disruptionsAllowed")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_evictions_at_once_never_overdraw_a_budget() {
    for round in 0..4 {
        let api = Api::new(Clock::system());
        let cluster = Cluster { api };
        cluster.node("node", &json!({}));
        (0..50).for_each(|number| running(&cluster, &format!("web-{number}")));
        cluster.create("poddisruptionbudgets.policy", budget(&json!({ "minAvailable": 40 })));
        let shutdown = Shutdown::new();
        controllers::start(&cluster.api, &shutdown);
        let observed = async {
            while allowed(&cluster) != 10 {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(30), observed).await.unwrap();
        let tasks: Vec<_> = (0..50)
            .map(|number| {
                let api = cluster.api.clone();
                tokio::spawn(async move { try_evict(&api, &format!("web-{number}"), &json!({})) })
            })
            .collect();
        let mut passed = 0;
        for task in tasks {
            match task.await.unwrap() {
                Ok(_) => passed += 1,
                Err(error) => assert_eq!(error.code, 429, "{error}"),
            }
        }
        let leaving = cluster.list("pods", "").iter().filter(|pod| is_leaving(pod)).count();
        assert_eq!((passed, leaving), (10, 10), "round {round}");
        shutdown.trigger();
    }
}

#[tokio::test(start_paused = true)]
async fn an_eviction_that_does_not_happen_is_forgotten_after_two_minutes() {
    let cluster = Cluster::start();
    cluster.node("node", &json!({}));
    running(&cluster, "a");
    running(&cluster, "b");
    cluster.create("poddisruptionbudgets.policy", budget(&json!({ "minAvailable": 1 })));
    settle().await;
    let wrong = json!({ "deleteOptions": { "preconditions": { "uid": "another" } } });
    assert_eq!(try_evict(&cluster.api, "a", &wrong).unwrap_err().code, 409);
    assert_eq!(try_evict(&cluster.api, "b", &json!({})).unwrap_err().code, 429);
    sleep(Duration::from_secs(110)).await;
    let status = cluster.get("poddisruptionbudgets.policy", "web")["status"].clone();
    assert!(status.pointer("/disruptedPods/a").is_some());
    sleep(Duration::from_secs(20)).await;
    assert_eq!(allowed(&cluster), 1);
    try_evict(&cluster.api, "b", &json!({})).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_charges_nothing() {
    let cluster = Cluster::start();
    cluster.node("node", &json!({}));
    running(&cluster, "a");
    cluster.create("poddisruptionbudgets.policy", budget(&json!({ "minAvailable": 0 })));
    settle().await;
    let dry = json!({ "deleteOptions": { "dryRun": ["All"] } });
    for _ in 0..3 {
        try_evict(&cluster.api, "a", &dry).unwrap();
    }
    assert_eq!(allowed(&cluster), 1);
    assert!(!is_leaving(&cluster.get("pods", "a")));
    assert_eq!(condition(&cluster.get("pods", "a"), "DisruptionTarget"), "");
}

#[tokio::test(start_paused = true)]
async fn pods_that_do_not_work_may_go_while_the_budget_is_met() {
    let cluster = Cluster::start();
    cluster.node("node", &json!({}));
    running(&cluster, "a");
    running(&cluster, "broken");
    let broken = json!([{ "type": "Ready", "status": "False" }]);
    cluster.change_status("pods", "broken", &json!({ "status": { "conditions": broken } }));
    cluster.create("poddisruptionbudgets.policy", budget(&json!({ "minAvailable": 1 })));
    settle().await;
    assert_eq!(try_evict(&cluster.api, "a", &json!({})).unwrap_err().code, 429);
    try_evict(&cluster.api, "broken", &json!({})).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_budget_of_pods_whose_workload_has_no_scale_allows_nothing() {
    let cluster = Cluster::with_kubelets();
    let mut job_template = template("web", "image:1");
    job_template["spec"]["restartPolicy"] = json!("Never");
    cluster.create(
        "jobs.batch",
        json!({ "metadata": { "name": "job" }, "spec": { "template": job_template } }),
    );
    cluster.create("poddisruptionbudgets.policy", budget(&json!({ "maxUnavailable": 1 })));
    settle().await;
    let budget = cluster.get("poddisruptionbudgets.policy", "web");
    assert_eq!(text(&budget, "/status/conditions/0/reason"), "SyncFailed");
    let pod = cluster.names("pods", "app=web").remove(0);
    let refusal = try_evict(&cluster.api, &pod, &json!({})).unwrap_err();
    // The budget has never been worked out, so that it is still being processed.
    assert_eq!((refusal.code, refusal.retry_after), (429, Some(10)));
}

#[tokio::test(start_paused = true)]
async fn draining_a_node_never_takes_more_than_the_budget_allows() {
    let cluster = Cluster::with_kubelets();
    cluster.create("deployments.apps", workload("web", 6, &json!({})));
    cluster.create("poddisruptionbudgets.policy", budget(&json!({ "maxUnavailable": "25%" })));
    settle().await;
    let old = cluster.names("pods", "app=web");
    assert_eq!(allowed(&cluster), 2);
    cluster.change("nodes", "node", &json!({ "spec": { "unschedulable": true } }));
    let mut left = old.clone();
    let mut refused = 0;
    while !left.is_empty() {
        left.retain(|pod| match try_evict(&cluster.api, pod, &json!({})) {
            Ok(_) => false,
            Err(error) => {
                assert_eq!(error.code, 429);
                refused += 1;
                true
            }
        });
        let ready = cluster
            .list("pods", "app=web")
            .iter()
            .filter(|pod| is_ready(pod) && !is_leaving(pod))
            .count();
        assert!(ready >= 4, "only {ready} left");
        sleep(Duration::from_secs(5)).await;
    }
    settle().await;
    assert!(refused > 0);
    let now = cluster.names("pods", "app=web");
    assert_eq!(now.len(), 6);
    assert!(old.iter().all(|pod| !now.contains(pod)));
}
