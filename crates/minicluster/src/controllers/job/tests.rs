//! Tests of how jobs count.

use serde_json::json;

use super::*;
use crate::controllers::facts::tests::pod;

fn tracked(name: &str, phase: &str) -> Arc<Pod> {
    pod(name, &json!({ "metadata": { "finalizers": [TRACKING] }, "status": { "phase": phase } }))
}

#[test]
fn each_pod_is_counted_once() {
    let leaving = json!({
        "metadata": { "finalizers": [TRACKING], "deletionTimestamp": "2026-01-01T00:00:00Z" },
        "status": { "phase": "Running" },
    });
    let pods = [
        tracked("running", "Running"),
        tracked("succeeded", "Succeeded"),
        tracked("failed", "Failed"),
        // Counted before: nothing holds it any more.
        pod("counted", &json!({ "status": { "phase": "Succeeded" } })),
        // Deleted before it ended: a failure.
        pod("leaving", &leaving),
    ];
    let job = json!({ "status": { "succeeded": 1, "failed": 2 } });
    let tally = Tally::of(&job, &pods);
    assert_eq!((tally.active, tally.succeeded, tally.failed, tally.terminating), (1, 2, 4, 1));
    let counted: Vec<&str> = tally.counted.iter().map(|pod| pod.name()).collect();
    assert_eq!(counted, ["succeeded", "failed", "leaving"]);
}

#[test]
fn an_index_that_succeeds_twice_counts_once() {
    let job = json!({ "spec": { "completionMode": "Indexed" }, "status": { "succeeded": 1, "completedIndexes": "0" } });
    let indexed = |name: &str, index: &str| {
        let metadata = json!({ "finalizers": [TRACKING], "labels": { (INDEX): index } });
        pod(name, &json!({ "metadata": metadata, "status": { "phase": "Succeeded" } }))
    };
    let tally = Tally::of(&job, &[indexed("again", "0"), indexed("new", "2")]);
    assert_eq!(tally.succeeded, 2);
    let free: Vec<i64> = tally::free_indexes(&[], &tally.indexes, 4).collect();
    assert_eq!(free, [1, 3]);
}
