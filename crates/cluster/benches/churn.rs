//! Jobs that come and go, each with labels of its own: how fast they are taken, and what is left of them in memory.
//!
//! `cargo bench -p plimsoll-cluster --bench churn [-- JOBS]`. A million Jobs unless told otherwise; resident memory should end within a
//! tenth of where it was when the first of them had come and gone.

#![expect(clippy::unwrap_used, reason = "a benchmark stops where it is surprised")]
#![expect(clippy::print_stdout, reason = "the figures are for the person who asked for them")]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::{fs, time::Instant};

use jiff::Timestamp;
use plimsoll_cluster::{
    mirror::Mirror,
    source::{Change, Kinds, Object, Watched},
};

/// Jobs that run at the same time.
const AT_ONCE: u32 = 2_000;
/// Jobs after which memory is measured for the first time: what is kept for them is kept by then.
const FIRST: u32 = 100_000;

fn main() {
    let told = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let jobs: u32 = told.unwrap_or(1_000_000);
    let now = Timestamp::UNIX_EPOCH;
    let mut mirror = Mirror::new(now, Kinds::default());
    let (mut begun, mut before) = (Instant::now(), 0);
    for number in 0..jobs {
        if number == FIRST {
            (begun, before) = (Instant::now(), resident_kilobytes());
        }
        mirror.apply(Change::Put(Watched::Pods, Box::new(pod(number))), now);
        if let Some(ended) = number.checked_sub(AT_ONCE) {
            mirror.apply(Change::Gone(Watched::Pods, Box::new(pod(ended))), now);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let after = resident_kilobytes();
    assert_eq!(mirror.world().pods.len(), usize::try_from(AT_ONCE).unwrap());
    let measured = f64::from(jobs.saturating_sub(FIRST));
    println!("jobs                 {jobs}, {AT_ONCE} at once");
    println!("pods taken           {:.0} a second", measured / seconds);
    println!("memory               {} MiB, then {} MiB", before >> 10, after >> 10);
    println!("after / before       {:.3}", ratio(after, before));
}

/// The pod of a Job as the API server tells it.
fn pod(number: u32) -> Object {
    let text = format!(
        r#"{{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "job-{number}-x", "namespace": "batch", "uid": "{number:08}",
        "resourceVersion": "{number}", "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {{"job-name": "job-{number}", "controller-uid": "uid-of-job-{number}", "app": "batch"}},
        "ownerReferences": [{{"apiVersion": "batch/v1", "kind": "Job", "name": "job-{number}", "uid": "u{number}", "controller": true}}]}},
        "spec": {{"schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30, "priority": 0,
        "tolerations": [{{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}}],
        "containers": [{{"name": "main", "image": "i", "resources": {{"requests": {{"cpu": "1", "memory": "1Gi"}}}}}}]}},
        "status": {{"phase": "Pending", "conditions": [{{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}}]}}}}"#
    );
    serde_json::from_str(&text).unwrap()
}

fn resident_kilobytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "three digits are told")]
fn ratio(after: u64, before: u64) -> f64 {
    after as f64 / before.max(1) as f64
}
