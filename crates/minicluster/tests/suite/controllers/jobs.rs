//! Jobs.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Cluster, condition, number, settle, template, text};

fn job(spec: &Value) -> Value {
    let mut template = template("job", "image:1");
    template["spec"]["restartPolicy"] = json!("Never");
    let mut job = json!({ "metadata": { "name": "job" }, "spec": { "template": template } });
    super::merge(&mut job, &json!({ "spec": spec }));
    job
}

/// Ends all pods that run.
fn end(cluster: &Cluster, phase: &str) {
    for pod in cluster.list("pods", "job-name=job") {
        if text(&pod, "/status/phase") == "Running" {
            let status = json!({ "status": { "phase": phase, "conditions": [] } });
            cluster.change_status("pods", &text(&pod, "/metadata/name"), &status);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_runs_until_it_has_succeeded_often_enough() {
    let cluster = Cluster::with_kubelets();
    cluster.create("jobs.batch", job(&json!({ "completions": 5, "parallelism": 2 })));
    for done in [2, 4, 5] {
        settle().await;
        let job = cluster.get("jobs.batch", "job");
        assert_eq!(number(&job, "/status/active"), if done == 5 { 1 } else { 2 });
        end(&cluster, "Succeeded");
        sleep(Duration::from_millis(10)).await;
        assert_eq!(number(&cluster.get("jobs.batch", "job"), "/status/succeeded"), done);
    }
    settle().await;
    let job = cluster.get("jobs.batch", "job");
    assert_eq!(condition(&job, "Complete"), "True");
    assert_eq!(condition(&job, "SuccessCriteriaMet"), "True");
    assert!(job.pointer("/status/completionTime").is_some());
    let pods = cluster.list("pods", "job-name=job");
    assert_eq!(pods.len(), 5);
    assert!(pods.iter().all(|pod| pod.pointer("/metadata/finalizers").is_none()));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_keeps_failing_waits_longer_each_time_and_then_gives_up() {
    let cluster = Cluster::with_kubelets();
    cluster.create("jobs.batch", job(&json!({ "backoffLimit": 2 })));
    let pods = |cluster: &Cluster| cluster.names("pods", "job-name=job").len();
    let mut waits = Vec::new();
    for failures in 1..=2 {
        settle().await;
        end(&cluster, "Failed");
        let mut seconds = 0;
        while pods(&cluster) == failures {
            sleep(Duration::from_secs(1)).await;
            seconds += 1;
        }
        waits.push(seconds);
    }
    assert_eq!(waits, [11, 21]);
    settle().await;
    end(&cluster, "Failed");
    settle().await;
    let job = cluster.get("jobs.batch", "job");
    assert_eq!((condition(&job, "Failed"), number(&job, "/status/failed")), ("True".into(), 3));
    assert_eq!(text(&job, "/status/conditions/1/reason"), "BackoffLimitExceeded");
    sleep(Duration::from_hours(1)).await;
    assert_eq!(pods(&cluster), 3);
}

#[tokio::test(start_paused = true)]
async fn an_indexed_job_repeats_the_index_that_failed() {
    let cluster = Cluster::with_kubelets();
    let spec = json!({ "completionMode": "Indexed", "completions": 3, "parallelism": 3 });
    cluster.create("jobs.batch", job(&spec));
    settle().await;
    let index = "/metadata/labels/batch.kubernetes.io~1job-completion-index";
    let pods = cluster.list("pods", "job-name=job");
    let mut indexes: Vec<String> = pods.iter().map(|pod| text(pod, index)).collect();
    indexes.sort();
    assert_eq!(indexes, ["0", "1", "2"]);
    for pod in pods {
        let phase = if text(&pod, index) == "1" { "Failed" } else { "Succeeded" };
        let status = json!({ "status": { "phase": phase } });
        cluster.change_status("pods", &text(&pod, "/metadata/name"), &status);
    }
    settle().await;
    assert_eq!(text(&cluster.get("jobs.batch", "job"), "/status/completedIndexes"), "0,2");
    end(&cluster, "Succeeded");
    settle().await;
    let job = cluster.get("jobs.batch", "job");
    assert_eq!(text(&job, "/status/completedIndexes"), "0-2");
    assert_eq!(condition(&job, "Complete"), "True");
}

#[tokio::test(start_paused = true)]
async fn a_job_that_is_over_goes_after_its_time_and_takes_its_pods_along() {
    let cluster = Cluster::with_kubelets();
    cluster.create("jobs.batch", job(&json!({ "ttlSecondsAfterFinished": 100 })));
    settle().await;
    end(&cluster, "Succeeded");
    sleep(Duration::from_secs(90)).await;
    assert!(cluster.find("jobs.batch", "job").is_some());
    sleep(Duration::from_secs(20)).await;
    assert!(cluster.find("jobs.batch", "job").is_none());
    assert!(cluster.list("pods", "job-name=job").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_job_has_a_deadline_and_can_be_suspended() {
    let cluster = Cluster::with_kubelets();
    cluster.create("jobs.batch", job(&json!({ "activeDeadlineSeconds": 60, "suspend": true })));
    settle().await;
    assert!(cluster.list("pods", "job-name=job").is_empty());
    assert_eq!(condition(&cluster.get("jobs.batch", "job"), "Suspended"), "True");
    cluster.change("jobs.batch", "job", &json!({ "spec": { "suspend": false } }));
    settle().await;
    assert_eq!(cluster.list("pods", "job-name=job").len(), 1);
    sleep(Duration::from_mins(1)).await;
    let job = cluster.get("jobs.batch", "job");
    assert_eq!(
        (condition(&job, "Failed"), condition(&job, "Suspended")),
        ("True".into(), "False".into())
    );
    settle().await;
    assert!(cluster.list("pods", "job-name=job").is_empty());
}
