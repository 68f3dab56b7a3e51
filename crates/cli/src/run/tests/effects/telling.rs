//! What is told, where and to whom.

use std::{
    io,
    sync::{Arc, Mutex},
};

use tracing_subscriber::fmt::MakeWriter;

use super::{
    Effect,
    Time::{Paused, Real},
    Words, check,
};
use crate::{
    listen,
    log::{self, Colours},
    run::{
        greet,
        tests::{
            process,
            stage::{Stage, text},
        },
    },
};

pub(super) const TABLE: &[Effect] = &[
    Effect {
        flag: "write-status-configmap",
        cases: [
            ("true", "kube-system/cluster-autoscaler-status, kube-system/plimsoll-memory"),
            ("false", "kube-system/plimsoll-memory"),
        ],
        with: &[],
        look: |words| Box::pin(config_maps(words)),
        time: Paused,
    },
    Effect {
        flag: "status-config-map-name",
        cases: [
            (
                "cluster-autoscaler-status",
                "kube-system/cluster-autoscaler-status, kube-system/plimsoll-memory",
            ),
            ("told", "kube-system/plimsoll-memory, kube-system/told"),
        ],
        with: &[],
        look: |words| Box::pin(config_maps(words)),
        time: Paused,
    },
    Effect {
        flag: "namespace",
        cases: [
            ("kube-system", "kube-system/cluster-autoscaler-status, kube-system/plimsoll-memory"),
            ("default", "default/cluster-autoscaler-status, default/plimsoll-memory"),
        ],
        with: &[],
        look: |words| Box::pin(config_maps(words)),
        time: Paused,
    },
    Effect {
        flag: "emit-per-nodegroup-metrics",
        cases: [("false", ""), ("true", "cheap, dear")],
        with: &[],
        look: |words| Box::pin(groups_in_metrics(words)),
        time: Paused,
    },
    Effect {
        flag: "debugging-snapshot-enabled",
        cases: [("false", "404"), ("true", "200")],
        with: &[],
        look: |words| Box::pin(snapshot(words)),
        time: Paused,
    },
    Effect {
        flag: "profiling",
        cases: [("false", "404, 404"), ("true", "200, 200 and a profile")],
        with: &[],
        look: |words| Box::pin(profile(words)),
        time: Paused,
    },
    Effect {
        flag: "insecure-debug-endpoints",
        cases: [("false", "/status 401, /metrics 200"), ("true", "/status 200, /metrics 200")],
        with: &[],
        look: |words| Box::pin(answers_to_strangers(words)),
        time: Paused,
    },
    Effect {
        flag: "record-duplicated-events",
        cases: [("false", "told once"), ("true", "told again and again")],
        with: &[],
        look: |words| Box::pin(a_pod_that_nobody_can_take(words)),
        time: Paused,
    },
    Effect {
        flag: "address",
        cases: [("127.0.0.1:0", "answers at 127.0.0.1"), ("127.0.0.2:0", "answers at 127.0.0.2")],
        with: &[],
        look: |words| Box::pin(place_of_answers(words)),
        time: Real,
    },
    Effect {
        flag: "cluster-name",
        cases: [("prod", "cluster=\"prod\""), ("test", "cluster=\"test\"")],
        with: &[],
        look: |words| Box::pin(cluster_in_the_log(words)),
        time: Paused,
    },
    Effect {
        flag: "v",
        cases: [("0", "passes are not in the log"), ("2", "passes are in the log")],
        with: &[],
        look: |words| Box::pin(passes_in_the_log(words)),
        time: Paused,
    },
    Effect {
        flag: "logging-format",
        cases: [("text", "lines of text"), ("json", "lines of JSON")],
        with: &[],
        look: |words| Box::pin(form_of_the_log(words)),
        time: Paused,
    },
];

/// A log that is kept. Clones are the same.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

#[test]
fn flags_about_what_is_told_are_seen_from_outside() {
    check(TABLE);
}

async fn config_maps(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(60).await;
    stage.names("configmaps").join(", ")
}

/// Groups that have series of their own.
async fn groups_in_metrics(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(30).await;
    let metrics = stage.get("/metrics").await.1;
    let start = "cluster_autoscaler_node_group_max_count{node_group=\"";
    let groups = metrics.lines().filter_map(|line| line.strip_prefix(start)?.split('"').next());
    let mut groups: Vec<&str> = groups.collect();
    groups.sort_unstable();
    groups.join(", ")
}

async fn snapshot(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(30).await;
    stage.get("/snapshotz").await.0.to_string()
}

/// What is at the addresses that `go tool pprof` knows.
async fn profile(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    let (index, _) = stage.get("/debug/pprof/").await;
    let (code, body) = stage.fetch("/debug/pprof/profile?seconds=1").await;
    // The first two bytes of what gzip has packed.
    let what = if body.starts_with(&[0x1f, 0x8b]) { " and a profile" } else { "" };
    format!("{index}, {code}{what}")
}

/// What another machine is answered.
async fn answers_to_strangers(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.pass(30).await;
    let (status, _) = stage.fetch_from([10, 0, 0, 7], "/status").await;
    let (metrics, _) = stage.fetch_from([10, 0, 0, 7], "/metrics").await;
    format!("/status {status}, /metrics {metrics}")
}

async fn a_pod_that_nobody_can_take(words: Words) -> String {
    let stage = Stage::begun(&words).await;
    stage.deploy("huge", 1, "64", |_| {});
    stage.pass(120).await;
    let events = stage.list("events");
    let told = events.iter().find(|event| text(event, "/reason") == "NotTriggerScaleUp").unwrap();
    match told["count"].as_u64().unwrap() {
        1 => "told once".to_owned(),
        _ => "told again and again".to_owned(),
    }
}

async fn place_of_answers(words: Words) -> String {
    let given: Vec<&str> = words.iter().map(String::as_str).collect();
    let listener = listen::bind(process(&given).unwrap().address).await.unwrap();
    format!("answers at {}", listener.local_addr().unwrap().ip())
}

/// What the autoscaler writes to its log within a minute.
async fn log_of(words: Words) -> String {
    let stage = Stage::set(&words).await;
    let kept = Kept::default();
    let writer = log::writer(stage.process.logs, kept.clone(), Colours::Left);
    // With one writer alone, what other threads do decides what is worth writing.
    let _another = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::default());
    // All of it runs on this thread.
    let until_the_end = tracing::dispatcher::set_default(&writer);
    let mut stage = stage;
    greet(&stage.process, stage.process.address, &stage.client());
    stage.begin();
    stage.pass(60).await;
    drop(until_the_end);
    String::from_utf8(kept.0.lock().unwrap().clone()).unwrap()
}

async fn cluster_in_the_log(words: Words) -> String {
    let log = log_of(words).await;
    let greeting = log.lines().find(|line| line.contains("plimsoll begins")).unwrap();
    greeting.split(' ').find(|word| word.starts_with("cluster=")).unwrap().to_owned()
}

async fn passes_in_the_log(words: Words) -> String {
    let has = if log_of(words).await.contains("pass finished") { "are" } else { "are not" };
    format!("passes {has} in the log")
}

async fn form_of_the_log(words: Words) -> String {
    let log = log_of(words).await;
    let is_json = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
    assert!(log.lines().count() > 1, "{log}");
    match (log.lines().all(is_json), log.lines().any(is_json)) {
        (true, _) => "lines of JSON".to_owned(),
        (_, false) => "lines of text".to_owned(),
        _ => "neither".to_owned(),
    }
}

// === impl Kept ===

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Kept {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
