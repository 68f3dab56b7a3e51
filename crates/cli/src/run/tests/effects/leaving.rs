//! How a node leaves.

use plimsoll_net::Clock;
use serde_json::{Value, json};

use super::{Effect, Time::Paused, Words, check};
use crate::run::tests::stage::{
    Stage,
    gate::{Asked, State},
    text,
};

const SOON: &[&str] = &["--scale-down-unneeded-time=1m", "--scale-down-delay-after-add=1m"];

/// Nobody is given time to see that a node leaves.
const AT_ONCE: &[&str] = &[
    "--scale-down-unneeded-time=1m",
    "--scale-down-delay-after-add=1m",
    "--node-delete-delay-after-taint=0s",
];

/// A machine that is there in the beginning.
const ONE: &str = "
name: simulated
groups:
- {id: cheap, max: 20, initial: 1, price: 0.10, template: {cpu: 4, memory: 16Gi}, boot: 30s, deletion: 20s}
";

pub(super) const TABLE: &[Effect] = &[
    Effect {
        flag: "cordon-node-before-terminating",
        cases: [
            ("true", "ToBeDeletedByClusterAutoscaler closed"),
            ("false", "ToBeDeletedByClusterAutoscaler"),
        ],
        with: &[SOON[0], SOON[1], "--max-bulk-soft-taint-count=0"],
        look: |words| Box::pin(marks_of_a_leaving_node(words)),
        time: Paused,
    },
    Effect {
        flag: "node-delete-delay-after-taint",
        cases: [("5s", "asked for after 5 s"), ("1m", "asked for after 60 s")],
        with: SOON,
        look: |words| Box::pin(from_mark_to_deletion(words)),
        time: Paused,
    },
    Effect {
        flag: "node-deletion-batcher-interval",
        cases: [("0s", "asked for after 0 s"), ("30s", "asked for after 30 s")],
        with: AT_ONCE,
        look: |words| Box::pin(from_mark_to_deletion(words)),
        time: Paused,
    },
    Effect {
        flag: "node-deletion-delay-timeout",
        cases: [("2m", "asked for after 120 s"), ("30s", "asked for after 30 s")],
        with: AT_ONCE,
        look: |words| Box::pin(somebody_wants_a_delay(words)),
        time: Paused,
    },
    Effect {
        flag: "max-graceful-termination-sec",
        cases: [("600", "after 0 s: high, low"), ("7", "after 0 s: high for 7 s, low for 7 s")],
        with: SOON,
        look: |words| Box::pin(who_is_asked_to_leave(words)),
        time: Paused,
    },
    Effect {
        flag: "drain-priority-config",
        cases: [
            ("", "after 0 s: high, low"),
            ("0:20,1000:10", "after 0 s: low for 20 s; after 2 s: high for 10 s"),
        ],
        with: SOON,
        look: |words| Box::pin(who_is_asked_to_leave(words)),
        time: Paused,
    },
    Effect {
        flag: "max-pod-eviction-time",
        cases: [("2m", "stays after 12 attempts"), ("30s", "stays after 3 attempts")],
        with: SOON,
        look: |words| Box::pin(nobody_may_leave(words)),
        time: Paused,
    },
    Effect {
        flag: "daemonset-eviction-for-occupied-nodes",
        cases: [("true", "agent, high, low"), ("false", "high, low")],
        with: SOON,
        look: |words| Box::pin(who_leaves_beside_a_daemon(words)),
        time: Paused,
    },
    Effect {
        flag: "daemonset-eviction-for-empty-nodes",
        cases: [("false", ""), ("true", "agent")],
        with: SOON,
        look: |words| Box::pin(a_daemon_alone(words)),
        time: Paused,
    },
    Effect {
        flag: "max-bulk-soft-taint-count",
        cases: [("10", "DeletionCandidateOfClusterAutoscaler"), ("0", "")],
        with: &["--scale-down-delay-after-add=0s"],
        look: |words| Box::pin(taints_of_a_node_that_nobody_needs(words)),
        time: Paused,
    },
    Effect {
        flag: "max-bulk-soft-taint-time",
        cases: [("3s", "DeletionCandidateOfClusterAutoscaler"), ("0s", "")],
        with: &["--scale-down-delay-after-add=0s"],
        look: |words| Box::pin(taints_of_a_node_that_nobody_needs(words)),
        time: Paused,
    },
    Effect {
        flag: "node-deletion-candidate-ttl",
        cases: [("0s", "leaves 30 min after the start"), ("3h", "leaves 0 min after the start")],
        with: &["--scale-down-unneeded-time=30m"],
        look: |words| Box::pin(an_earlier_run_had_marked_it(words)),
        time: Paused,
    },
];

#[test]
fn flags_about_the_times_of_a_leaving_node_are_seen_from_outside() {
    check(&TABLE[..4]);
}

#[test]
fn flags_about_pods_that_have_to_leave_are_seen_from_outside() {
    check(&TABLE[4..]);
}

/// A node on which nothing runs begins to leave.
async fn leaving(words: Words) -> Stage {
    let stage = Stage::begun(&words).await;
    stage.deploy("web", 1, "1", |_| {});
    stage.until("it runs", |stage| stage.running("web") == 1).await;
    stage
}

async fn marks_of_a_leaving_node(words: Words) -> String {
    let stage = leaving(words).await;
    stage.scale("web", 0);
    stage.until("the node leaves", Stage::has_leaving).await;
    stage.marks().join(", ")
}

async fn from_mark_to_deletion(words: Words) -> String {
    deletion(leaving(words).await).await
}

async fn somebody_wants_a_delay(words: Words) -> String {
    let stage = leaving(words).await;
    let node = text(&stage.list("nodes")[0], "/metadata/name");
    let key = "delay-deletion.cluster-autoscaler.kubernetes.io/backup";
    stage.modify("nodes", &node, |node| node["metadata"]["annotations"][key] = json!("wait"));
    deletion(stage).await
}

async fn deletion(stage: Stage) -> String {
    stage.scale("web", 0);
    stage.until("the node leaves", Stage::has_leaving).await;
    let seconds = stage.until("its machine is to go", Stage::has_deleted).await;
    format!("asked for after {seconds} s")
}

/// A node with a pod of low and one of high priority on it, and another one to which they can go.
async fn drained(words: Words) -> Stage {
    let stage = Stage::begun(&words).await;
    let class = json!({ "metadata": { "name": "high" }, "value": 1000 });
    stage.create("priorityclasses.scheduling.k8s.io", class);
    stage.deploy("wide", 1, "3", |_| {});
    stage.until("it runs", |stage| stage.running("wide") == 1).await;
    let slow = |template: &mut Value| {
        template["spec"]["terminationGracePeriodSeconds"] = json!(300);
    };
    stage.deploy("low", 1, "100m", slow);
    stage.deploy("high", 1, "100m", |template| {
        slow(template);
        template["spec"]["priorityClassName"] = json!("high");
    });
    let both = |stage: &Stage| (stage.running("low"), stage.running("high")) == (1, 1);
    stage.until("both run", both).await;
    stage.deploy("other", 1, "3", |_| {});
    stage.until("another runs", |stage| stage.running("other") == 1).await;
    stage
}

async fn who_is_asked_to_leave(words: Words) -> String {
    let stage = drained(words).await;
    stage.scale("wide", 0);
    stage.until("one node is left", |stage| stage.list("nodes").len() == 1).await;
    let evictions = stage.gate.evictions();
    let begun = evictions[0].at;
    let mut waves: Vec<(i64, Vec<String>)> = Vec::new();
    for asked in &evictions {
        let grace = asked.grace.map(|grace| format!(" for {grace} s")).unwrap_or_default();
        let line = app(asked) + &grace;
        let after = asked.at.duration_since(begun).round(jiff::Unit::Second).unwrap().as_secs();
        match waves.last_mut() {
            Some((known, lines)) if *known == after => lines.push(line),
            _ => waves.push((after, vec![line])),
        }
    }
    let waves = waves.iter_mut().map(|(after, lines)| {
        lines.sort();
        format!("after {after} s: {}", lines.join(", "))
    });
    waves.collect::<Vec<_>>().join("; ")
}

async fn nobody_may_leave(words: Words) -> String {
    let stage = drained(words).await;
    stage.gate.set(State::Protecting);
    stage.scale("wide", 0);
    stage.until("a node leaves", Stage::has_leaving).await;
    stage.until("it stays after all", |stage| !stage.has_leaving()).await;
    let attempts = stage.gate.evictions().iter().filter(|asked| app(asked) == "low").count();
    format!("stays after {attempts} attempts")
}

async fn who_leaves_beside_a_daemon(words: Words) -> String {
    let stage = drained(words).await;
    daemon(&stage);
    stage.until("the daemon runs", |stage| stage.running("agent") == 2).await;
    stage.scale("wide", 0);
    stage.until("one node is left", |stage| stage.list("nodes").len() == 1).await;
    asked(&stage)
}

async fn a_daemon_alone(words: Words) -> String {
    let stage = leaving(words).await;
    daemon(&stage);
    stage.until("the daemon runs", |stage| stage.running("agent") == 1).await;
    stage.scale("web", 0);
    stage.until("no node is left", |stage| stage.list("nodes").is_empty()).await;
    asked(&stage)
}

async fn taints_of_a_node_that_nobody_needs(words: Words) -> String {
    let stage = leaving(words).await;
    stage.scale("web", 0);
    stage.pass(60).await;
    stage.marks().join(", ")
}

/// Nothing is remembered, but the node says that nobody has needed it for an hour.
async fn an_earlier_run_had_marked_it(words: Words) -> String {
    let mut stage = Box::pin(Stage::set_with(ONE, &words)).await;
    stage.until("there is a node", |stage| stage.list("nodes").len() == 1).await;
    stage.pass(60).await;
    let node = text(&stage.list("nodes")[0], "/metadata/name");
    let since = (seconds(stage.clock) - 3600).to_string();
    let key = "DeletionCandidateOfClusterAutoscaler";
    let taint = json!([{ "key": key, "value": since, "effect": "PreferNoSchedule" }]);
    stage.modify("nodes", &node, |node| node["spec"]["taints"] = taint.clone());
    stage.begin();
    let waited = stage.until("it leaves", Stage::has_leaving).await;
    format!("leaves {} min after the start", waited / 60)
}

fn seconds(clock: Clock) -> i64 {
    clock.now().as_second()
}

fn daemon(stage: &Stage) {
    let labels = json!({ "app": "agent" });
    let spec = json!({ "containers": [{ "name": "main", "image": "agent" }] });
    let template = json!({ "metadata": { "labels": labels }, "spec": spec });
    let spec = json!({ "selector": { "matchLabels": labels }, "template": template });
    stage.create("daemonsets.apps", json!({ "metadata": { "name": "agent" }, "spec": spec }));
}

/// The apps whose pods were asked to leave.
fn asked(stage: &Stage) -> String {
    let mut apps: Vec<String> = stage.gate.evictions().iter().map(app).collect();
    apps.sort();
    apps.dedup();
    apps.join(", ")
}

fn app(asked: &Asked) -> String {
    asked.pod.split('-').next().unwrap_or_default().to_owned()
}
